package prepared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/leaves"
)

// Contents holds the data that Write puts into a file.
type Contents struct {
	Mesh   *scenes.Mesh
	Leaves *leaves.Leaves // the triangles of Mesh, sorted by package leaves
	// Run calls `do` for each of n tasks, perhaps in parallel. If Run is nil, tasks run one after the other.
	Run func(n int, do func(task int))
	Bad int // number of triangles that are not finite
	// Normals holds three normals for each triangle, packed as the package comment describes. It is nil if the mesh is
	// shaded flat.
	Normals []uint32
	Crease  float64 // angle in degrees with which Normals were computed, see File.Smooth
}

// Write writes a file. The bytes do not depend on how many workers computed the contents.
func Write(ctx context.Context, w io.Writer, c *Contents) error {
	if ctx == nil || c == nil || c.Mesh == nil || c.Leaves == nil {
		return errors.New("write a prepared mesh: expected a context, a mesh and its leaves, not nil")
	}
	n := c.Mesh.Len()
	if c.Leaves.Len() != n || c.Normals != nil && len(c.Normals) != 3*n || int64(n) > maxTriangles {
		return fmt.Errorf("write a prepared mesh: %d triangles, %d in leaves, %d normals", n, c.Leaves.Len(), len(c.Normals))
	}
	o := &writer{ctx: ctx, to: w, chunk: make([]uint32, 0, ChunkWords)}
	encoder := leafEncoder{run: runOrSerial(c.Run)}
	// Groups are encoded twice. The first time only their total size is needed, because the description precedes them
	// and states it.
	encode := func(to *leafWriter) error {
		return encoder.encode(&c.Leaves.Block, c.Leaves.Numbers, func(g *encodedGroups) error {
			to.addGroups(g)
			return errors.Join(o.err, ctx.Err())
		})
	}
	var sizes leafWriter
	if err := encode(&sizes); err != nil {
		return err
	}
	d, arrays, err := c.describe(sizes.words)
	if err != nil {
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	if err := o.writeHeader(d); err != nil {
		return err
	}
	if err := o.writeLeaves(encode); err != nil {
		return err
	}
	o.writeRecords(c)
	o.writePlaces(&sizes)
	o.writeArray(c.Leaves.Numbers, numbersChunk)
	o.writeArray(c.Leaves.Colors, numbersChunk)
	o.writeArray(c.Mesh.Colors, ChunkWords)
	for _, a := range arrays {
		o.writeArray(a, ChunkWords)
	}
	return o.writeSums()
}

// writeLeaves writes all groups of triangles. The function encode adds them to a leafWriter.
func (o *writer) writeLeaves(encode func(to *leafWriter) error) error {
	leaves := leafWriter{put: o.writeChunk}
	err := encode(&leaves)
	leaves.endChunk(0)
	return errors.Join(err, o.err)
}

// runOrSerial returns run. If run is nil, it returns a function that runs the tasks one after the other.
func runOrSerial(run func(n int, do func(task int))) func(n int, do func(task int)) {
	if run != nil {
		return run
	}
	return func(n int, do func(task int)) {
		for i := range n {
			do(i)
		}
	}
}

// describe returns the description of a mesh, and the arrays of the sections that only some files have. leafWords is
// the number of 32-bit words of all groups.
func (c *Contents) describe(leafWords int64) (*description, [][]uint32, error) {
	m := c.Mesh
	d := &description{Triangles: m.Len(), Bad: c.Bad, Unit: number(m.Unit), Up: m.Up.String(), Smooth: c.Normals != nil}
	if d.Smooth {
		d.Crease = number(c.Crease)
	}
	d.setBox(m.Bounds())
	for axis, v := range m.Origin {
		d.Origin[axis] = number(v)
	}
	d.Sections = sections(m.Len(), leafWords, m.Colors != nil, d.Smooth)
	d.Parts = partsOf(m.Parts)
	p := packer{to: d}
	if err := p.addAttributes(m.Attributes); err != nil {
		return nil, nil, err
	}
	return d, p.arrays, nil
}

func (d *description) setBox(b scenes.Box) {
	if b.Empty() {
		return
	}
	d.Box = new([2][3]number)
	for axis := range 3 {
		d.Box[0][axis], d.Box[1][axis] = number(b.Min[axis]), number(b.Max[axis])
	}
}

// A writer writes the sections of a file one after the other.
type writer struct {
	ctx   context.Context
	to    io.Writer
	chunk []uint32 // buffer for a chunk
	sums  []uint32
	err   error
}

// writeHeader writes the header and the description.
func (o *writer) writeHeader(d *description) error {
	if err := d.check(); err != nil { // otherwise no reader would accept the file
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	meta, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	if len(meta) > maxMeta {
		return fmt.Errorf("write a prepared mesh: a description of %d bytes, at most %d can be read", len(meta), maxMeta)
	}
	h := header{meta: uint32(len(meta)), metaSum: checksum(meta)}
	for i := range d.Sections {
		h.sums += uint64(d.Sections[i].chunks())
	}
	o.write(h.bytes())
	o.write(meta)
	return o.err
}

func (o *writer) write(p []byte) {
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	if o.err == nil {
		_, o.err = o.to.Write(p)
	}
}

// writeChunk writes a chunk. It may change the words.
func (o *writer) writeChunk(chunk []uint32) {
	swapBytes(chunk)
	p := bytesOf(chunk)
	o.sums = append(o.sums, checksum(p))
	o.write(p)
}

// writeRecords writes the triangles in the order of the mesh.
func (o *writer) writeRecords(c *Contents) {
	for lo := 0; lo < c.Mesh.Len() && o.err == nil; lo += ChunkTriangles {
		hi := min(lo+ChunkTriangles, c.Mesh.Len())
		b := c.Mesh.Slice(lo, hi)
		var normals []uint32
		if c.Normals != nil {
			normals = c.Normals[3*lo : 3*hi]
		}
		o.writeChunk(appendRecords(o.chunk[:0], &b, normals))
	}
}

// appendRecords appends records of the triangles of b. normals has three normals for each triangle, or is nil.
func appendRecords(to []uint32, b *scenes.Block, normals []uint32) []uint32 {
	for t := range b.Len() {
		for k := range 3 {
			to = append(to, math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t]))
		}
		if normals != nil {
			to = append(to, normals[3*t:3*t+3]...)
		}
	}
	return to
}

// writeArray writes an array in chunks of the given number of words.
func (o *writer) writeArray(all []uint32, chunk int) {
	for len(all) > 0 && o.err == nil {
		n := min(chunk, len(all))
		o.writeChunk(append(o.chunk[:0], all[:n]...))
		all = all[n:]
	}
}

// writePlaces writes the boxes and the numbers of vertices of all groups.
func (o *writer) writePlaces(w *leafWriter) {
	var all []uint32
	for i := range w.bounds {
		all = append(all, wordsOf(w.bounds[i])...)
	}
	o.writeArray(all, ChunkWords)
	o.writeArray(w.countWords(), ChunkWords)
}

// writeSums writes the checksums of all chunks.
func (o *writer) writeSums() error {
	swapBytes(o.sums)
	p := bytesOf(o.sums)
	o.write(p)
	last := []uint32{checksum(p)}
	swapBytes(last)
	o.write(bytesOf(last))
	if o.err != nil {
		return fmt.Errorf("write a prepared mesh: %w", o.err)
	}
	return nil
}
