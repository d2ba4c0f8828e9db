package split

import (
	"time"

	"lockstep/cluster/link"
)

// Owners decides which node owns which block. Only one goroutine calls its methods.
type Owners interface {
	// Assign returns the owner of every block, a number from 0 to nodes-1. It is called after nodes have joined or
	// left.
	Assign(blocks, nodes int) []int
	// Frame receives a frame, without its pixels, that was drawn by the latest assignment. It returns a new assignment,
	// or nil to keep the current one.
	Frame(p *Picture) []int
}

// RootOptions configure a root.
type RootOptions struct {
	Links link.Options // Links.Name is ignored
	// Address is the address to listen on. An empty string means a free port on the loopback interface.
	Address string
	Shape   Shape
	Frames  []int // frames in drawing order
	Owners  Owners
	// Window is the number of frames that are drawn at once. 0 means 2.
	Window int
	// MinNodes is the number of nodes for which the first frame waits. 0 means one.
	MinNodes int
	// Lease is how long a node may send nothing before it counts as lost. 0 means 5 s.
	Lease time.Duration
	// Check is called if Shape.Slab is not 0. It returns an error unless part consists of slabs lo to hi-1 of a
	// picture. If whole is true, Check decodes the part, which takes long. whole is true for the first part of each
	// node, and after that for one part in a hundred.
	Check func(part []byte, lo, hi int, whole bool) error
}

// A Picture is a complete frame.
type Picture struct {
	Frame  int
	Pixels []byte // RGBA, row by row; nil if Shape.Slab is not 0
	// Parts holds the encoded slabs of each node, ordered by rows. It is nil if Shape.Slab is 0.
	Parts   [][]byte
	Covered int // pixels that show something
	Epoch   uint32
	Nodes   int
	// Names are the names of the nodes. All frames of an epoch share the slices Names and Owner, which must not be
	// changed.
	Names   []string
	Owner   []int     // by block, an index of Names
	Seconds []float64 // drawing time by block
	Light   []float64 // by node, seconds for lighting and encoding
	Bytes   int64     // size of all keys before compression
	Elapsed time.Duration
}
