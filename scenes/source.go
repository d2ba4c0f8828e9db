package scenes

import (
	"context"
	"errors"
	"fmt"

	"lockstep/scenes/internal/parallel"
)

// BlockSize is the number of triangles in a block. A block has 144 KiB of coordinates, or 200 KiB in an STL file. While
// a block is drawn, it stays in the second-level cache of one core, together with its polygons and spans.
const BlockSize = 4096

// A Source is a mesh that is read in blocks. Block i has the triangles i*BlockSize to (i+1)*BlockSize (exclusive); only
// the last block may have fewer.
type Source interface {
	// Len returns the number of triangles.
	Len() int
	// Info describes the coordinates and colours.
	Info() Info
	// ReadBlock sets dst to block i, 0 <= i < NumBlocks. The contents are valid until the next call with the same dst.
	// They may be views of memory of the source and must not be changed. Several goroutines may call ReadBlock at the
	// same time with different dst. Only the first call with a dst allocates memory.
	ReadBlock(i int, dst *Block) error
}

// A Stream is a source whose triangles stay in its file: ReadBlock reads and decodes one block. Its memory does not
// depend on the size of the file.
type Stream interface {
	Source
	// Bounds returns the box of all finite vertices; it is empty if no vertex is finite.
	Bounds() Box
	// Close closes the file. ReadBlock must not run during Close or after it.
	Close() error
}

// Info describes the coordinates and colours of a source.
type Info struct {
	Origin [3]float64 // the point that the reader subtracted from every vertex, see Mesh
	Up     Axis       // up axis of the mesh
	Unit   float64    // length of a unit in metres; 0 if unknown
	Colors bool       // whether blocks carry colours
	// Attributes describes the triangles of all blocks. Its indices of triangles count from the start of the source. It
	// is nil if the source has no attributes. It must not be changed.
	Attributes *Attributes
}

// NumBlocks returns the number of blocks of src.
func NumBlocks(src Source) int { return (src.Len() + BlockSize - 1) / BlockSize }

// BlockRange returns the range of triangles, lo to hi (exclusive), of block i of a source of n triangles.
func BlockRange(i, n int) (lo, hi int) {
	lo = i * BlockSize
	if i < 0 || lo >= n {
		panic("scenes: block index out of range")
	}
	return lo, min(lo+BlockSize, n)
}

// ForEachBlock reads every block of src once and calls fn for it, on `workers` goroutines (GOMAXPROCS if workers is not
// positive). Each goroutine takes the next block when it is free. worker is the number of the goroutine; calls with the
// same worker never overlap. fn may use the block until it returns.
//
// After an error or the end of ctx, no further block is started. If blocks failed, ForEachBlock returns the error of
// the failed block with the lowest index. Otherwise it returns the error of ctx.
func ForEachBlock(ctx context.Context, src Source, workers int, fn func(worker, i int, b *Block) error) error {
	if err := checkNotNil(ctx, src); err != nil {
		return err
	}
	blocks := make([]Block, parallel.Workers(workers, NumBlocks(src)))
	return parallel.For(ctx, len(blocks), NumBlocks(src), func(worker, i int) error {
		b := &blocks[worker]
		if err := src.ReadBlock(i, b); err != nil {
			return err
		}
		return fn(worker, i, b)
	})
}

// Bounds returns the box of all finite vertices of src, relative to its origin. The box is empty if no vertex is
// finite. Bounds reads all blocks on `workers` goroutines (GOMAXPROCS if workers is not positive). For a Stream, it
// returns the box that the Stream knows, and reads no block.
func Bounds(ctx context.Context, src Source, workers int) (Box, error) {
	if err := checkNotNil(ctx, src); err != nil {
		return EmptyBox(), err
	}
	if s, ok := src.(Stream); ok {
		return s.Bounds(), nil
	}
	boxes := make([]Box, parallel.Workers(workers, NumBlocks(src)))
	for w := range boxes {
		boxes[w] = EmptyBox()
	}
	err := ForEachBlock(ctx, src, len(boxes), func(worker, _ int, b *Block) error {
		boxes[worker] = boxes[worker].Union(b.Bounds())
		return nil
	})
	all := EmptyBox()
	for _, b := range boxes {
		all = all.Union(b)
	}
	return all, err
}

// Load reads all of src into memory. It uses only the name, the limits and Workers of opts.
func Load(ctx context.Context, src Source, opts ReadOptions) (*Mesh, error) {
	if opts.Name == "" {
		opts.Name = "mesh"
	}
	if err := checkNotNil(ctx, src); err != nil {
		return nil, fmt.Errorf("%s: %w", opts.Name, err)
	}
	if g, ok := src.(Generated); ok {
		if err := opts.Allow(0, g.Memory()); err != nil {
			return nil, err
		}
	}
	info, memory := src.Info(), int64(src.Len())*TriangleBytes
	if info.Colors {
		memory += int64(src.Len()) * ColorBytes
	}
	if err := opts.Allow(int64(src.Len()), memory); err != nil {
		return nil, err
	}
	m := &Mesh{Block: MakeBlock(src.Len()), Origin: info.Origin, Up: info.Up, Unit: info.Unit, Attributes: info.Attributes}
	if info.Colors {
		m.Colors = make([]uint32, src.Len())
	}
	err := ForEachBlock(ctx, src, opts.Workers, func(_, i int, b *Block) error {
		m.CopyAt(i*BlockSize, b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkNotNil returns an error if ctx or src is nil, or if src is a nil *Mesh.
func checkNotNil(ctx context.Context, src Source) error {
	if m, ok := src.(*Mesh); src == nil || ok && m == nil {
		return errors.New("expected a mesh or another source, not nil")
	}
	if ctx == nil {
		return errors.New("expected a context, not nil")
	}
	return nil
}

// A Generated is a Source that computes all of its triangles at its first use.
type Generated interface {
	Source
	// Memory returns the number of bytes that the computation needs.
	Memory() int64
}

// CopyAt copies all triangles of src to b. The first of them becomes triangle lo of b. It copies colours only if both
// blocks have them.
func (b *Block) CopyAt(lo int, src *Block) {
	for k := range 3 {
		copy(b.X[k][lo:], src.X[k])
		copy(b.Y[k][lo:], src.Y[k])
		copy(b.Z[k][lo:], src.Z[k])
	}
	if b.Colors != nil && src.Colors != nil {
		copy(b.Colors[lo:], src.Colors)
	}
}
