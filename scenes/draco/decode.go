package draco

import (
	"bytes"
	"errors"
	"fmt"
)

// Mark is the first five bytes of every buffer.
const Mark = "DRACO"

// A Mesh is a decoded buffer: triangles between points, or a cloud of points.
type Mesh struct {
	Points     int
	Triangles  [][3]uint32
	Cloud      bool // the buffer holds only points, no triangles
	Attributes []Attribute
}

// Limits limits the memory and the work of a decoder. The package comment says which limits apply if a function is nil.
type Limits struct {
	// Hold is called before memory is allocated. Its arguments are the number of triangles of the mesh and the number
	// of bytes that the decoder will hold afterwards. If it returns an error, decoding ends.
	Hold func(triangles, bytes int64) error
	// Work is called before work is done. One unit is roughly the work for one number. If Work returns an error,
	// decoding ends.
	Work func(units int64) error
}

// FreeWork is the work that is allowed for any buffer, in the units of Limits.Work. WorkPerByte is the additional
// work that is allowed for each byte of the buffer. WorkPerByte is large because a number may take less than a bit.
// For example, all differences of a large mesh may be zero.
const (
	FreeWork    = 1 << 26
	WorkPerByte = 1 << 8
)

// Versions of the bitstream. The high byte is the major version, the low byte the minor version.
const (
	version11 = 0x101 // oldest supported version
	version12 = 0x102
	version13 = 0x103
	version20 = 0x200
	version21 = 0x201
	version22 = 0x202
	version23 = 0x203 // for clouds of points
)

// A decoder is the state of Decode.
type decoder struct {
	source
	limits   Limits
	held     int64
	workDone int64
	coder    coder
	mesh     *Mesh
	tree     bool // the points of a cloud are in a kd-tree
	corners
	seams  []*seams // seams of each attribute that has seams
	groups []*group
}

// ErrUnread is the error for a well-formed buffer that uses an unsupported part of the format. A *DamageError wraps
// ErrUnread and names the part.
var ErrUnread = errors.New("which is not read")

// Decode decodes a whole buffer. The error is a *DamageError, or an error that a function of limits returned.
func Decode(data []byte, limits Limits) (*Mesh, error) {
	d := &decoder{source: source{data: data}, limits: limits, mesh: new(Mesh)}
	d.decode()
	if d.err != nil {
		return nil, d.err
	}
	return d.mesh, nil
}

func (d *decoder) decode() {
	edgebreaker := d.readHeader()
	if d.err != nil {
		return
	}
	switch {
	case d.mesh.Cloud:
		d.mesh.Points = int(d.u32())
		if d.mesh.Points < 0 || d.mesh.Points > maxPoints {
			d.fail("%d points", d.mesh.Points)
		}
	case edgebreaker:
		d.readEdgebreaker()
	default:
		d.readSequential()
	}
	if d.err != nil {
		return
	}
	d.readAttributes(edgebreaker)
}

// failUnread records an error that wraps ErrUnread. `what` and args name the unsupported part of the format.
func (d *decoder) failUnread(what string, args ...any) {
	d.fail("%s, %w", fmt.Sprintf(what, args...), ErrUnread)
}

// readHeader reads the header and the metadata. It reports whether the triangles are coded by EdgeBreaker.
func (d *decoder) readHeader() (edgebreaker bool) {
	if !bytes.HasPrefix(d.data, []byte(Mark)) {
		d.fail("the mark %s is not there", Mark)
		return false
	}
	d.at = len(Mark)
	major, minor := d.u8(), d.u8()
	d.version = int(major)<<8 | int(minor)
	kind, method, flags := d.u8(), d.u8(), d.u16()
	if d.err != nil {
		return false
	}
	newest := version22
	if kind == 0 {
		newest = version23
	}
	switch {
	case kind > 1:
		d.fail("unknown kind of geometry %d", kind)
	case d.version < version11 || d.version > newest:
		d.failUnread("Draco's bitstream of version %d.%d", major, minor)
	case method > 1:
		d.fail("unknown method of encoding %d", method)
	}
	d.mesh.Cloud, d.tree = kind == 0, kind == 0 && method == 1
	const hasMetadata = 1 << 15
	if flags&hasMetadata != 0 && d.version >= version13 {
		d.skipMetadata()
	}
	return method == 1 && !d.tree
}

// skipMetadata skips the names and values that describe attributes and the file.
func (d *decoder) skipMetadata() {
	for n := d.readCount("attributes with metadata", 3, 1); n > 0 && d.err == nil; n-- {
		d.varint()
		d.skipMetadataTree()
	}
	d.skipMetadataTree()
}

// skipMetadataTree skips an element and all elements below it, which are stored in depth-first order.
func (d *decoder) skipMetadataTree() {
	pending := d.skipMetadataElement()
	for pending > 0 && d.err == nil {
		d.take(uint64(d.u8())) // skips the name of the element
		pending += d.skipMetadataElement() - 1
	}
}

// skipMetadataElement skips the entries of an element, and returns the number of elements directly below it.
func (d *decoder) skipMetadataElement() (below int) {
	for n := d.readCount("entries of metadata", 2, 1); n > 0 && d.err == nil; n-- {
		d.take(uint64(d.u8()))
		d.take(d.varint())
	}
	return d.readCount("elements of metadata", 3, 1)
}

// spendWork counts units of work, and reports whether the limits allow this work.
func (d *decoder) spendWork(units int64) bool {
	if d.err != nil {
		return false
	}
	d.workDone += units
	if d.limits.Work != nil {
		d.err = d.limits.Work(units)
	} else if most := FreeWork + WorkPerByte*int64(len(d.data)); d.workDone > most {
		d.fail("more work than %d bytes may ask for", len(d.data))
	}
	return d.err == nil
}

// reserveMemory counts bytes of memory, and reports whether the limits allow this memory.
func (d *decoder) reserveMemory(bytes int64) bool {
	if d.err != nil {
		return false
	}
	d.held += bytes
	if d.limits.Hold != nil {
		d.err = d.limits.Hold(int64(d.faces), d.held)
	}
	return d.err == nil
}

// maxPoints is the greatest number of points, of faces and of vertices. With so many faces, three corners per face
// can be numbered in an int32.
const maxPoints = 1 << 29
