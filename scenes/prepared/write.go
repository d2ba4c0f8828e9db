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

// Contents is what Write puts into a file.
type Contents struct {
	Mesh   *scenes.Mesh
	Leaves *leaves.Leaves // leaves of Mesh
	Bad    int            // number of triangles that are not finite
	// Normals holds three normals for each triangle, packed as the comment of the package says; nil if the mesh is
	// shaded flat.
	Normals []uint32
	Crease  float64 // crease angle, in degrees, with which Normals were computed
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
	d, arrays, err := c.describe()
	if err != nil {
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	o := &writer{ctx: ctx, to: w, chunk: make([]uint32, 0, ChunkWords)}
	if err := o.begin(d); err != nil {
		return err
	}
	o.leaves(c.Leaves)
	o.records(c)
	o.boxes()
	o.array(c.Mesh.Colors)
	for _, a := range arrays {
		o.array(a)
	}
	return o.end()
}

// describe returns the description of a mesh, and the arrays of the sections after those that every file has.
func (c *Contents) describe() (*description, [][]uint32, error) {
	m := c.Mesh
	d := &description{Triangles: m.Len(), Bad: c.Bad, Unit: number(m.Unit), Up: m.Up.String(), Smooth: c.Normals != nil}
	if d.Smooth {
		d.Crease = number(c.Crease)
	}
	d.setBox(m.Bounds())
	for axis, v := range m.Origin {
		d.Origin[axis] = number(v)
	}
	d.Sections = sections(m.Len(), m.Colors != nil, d.Smooth)
	d.Parts = partsOf(m.Parts)
	p := packer{to: d}
	if err := p.attributes(m.Attributes); err != nil {
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

// words returns a copy of numbers as words.
func words(of []float32) []uint32 {
	all := make([]uint32, len(of))
	for i, v := range of {
		all[i] = math.Float32bits(v)
	}
	return all
}

// A writer writes the sections of a file one after the other.
type writer struct {
	ctx    context.Context
	to     io.Writer
	chunk  []uint32 // scratch
	sums   []uint32
	bounds [6][]float32 // boxes of the groups so far
	err    error
}

// begin writes the header and the description.
func (o *writer) begin(d *description) error {
	if err := d.check(); err != nil { // no reader would accept the file
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	meta, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write a prepared mesh: %w", err)
	}
	if len(meta) > maxMeta {
		return fmt.Errorf("write a prepared mesh: a description of %d bytes, at most %d can be read", len(meta), maxMeta)
	}
	h := header{meta: uint32(len(meta)), metaSum: sum(meta)}
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

// put writes a chunk. It may change the words.
func (o *writer) put(chunk []uint32) {
	swapBytes(chunk)
	p := bytesOf(chunk)
	o.sums = append(o.sums, sum(p))
	o.write(p)
}

// leaves writes the triangles in the order of leaves, and records the boxes of their groups.
func (o *writer) leaves(l *leaves.Leaves) {
	for lo := 0; lo < l.Len() && o.err == nil; lo += ChunkTriangles {
		hi := min(lo+ChunkTriangles, l.Len())
		b := l.Slice(lo, hi)
		o.leaf(&b, l.Numbers[lo:hi])
	}
}

// leaf writes a chunk of leaves and records the boxes of its groups.
func (o *writer) leaf(b *scenes.Block, numbers []uint32) {
	c := o.chunk[:0]
	for _, columns := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		for k := range 3 {
			for _, v := range columns[k] {
				c = append(c, math.Float32bits(v))
			}
		}
	}
	c = append(c, numbers...)
	if b.Colors != nil {
		c = append(c, b.Colors...)
	}
	for lo := 0; lo < b.Len(); lo += GroupTriangles {
		o.bound(b, lo, min(lo+GroupTriangles, b.Len()))
	}
	o.put(c)
}

// bound records the box of the group of triangles from to to (exclusive).
func (o *writer) bound(b *scenes.Block, from, to int) {
	var low, high [3]float32
	finite := true
	for axis, columns := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		lo, hi, sum := columns[0][from], columns[0][from], float32(0)
		for k := range 3 {
			for _, v := range columns[k][from:to] {
				lo, hi = min(lo, v), max(hi, v)
				sum += v - v // NaN if v is not finite
			}
		}
		finite = finite && sum == 0
		low[axis], high[axis] = lo, hi
	}
	for axis := range 3 {
		if !finite {
			low[axis], high[axis] = float32(math.Inf(-1)), float32(math.Inf(1))
		}
		o.bounds[axis] = append(o.bounds[axis], low[axis])
		o.bounds[3+axis] = append(o.bounds[3+axis], high[axis])
	}
}

// records writes the triangles in the order of the mesh.
func (o *writer) records(c *Contents) {
	for lo := 0; lo < c.Mesh.Len() && o.err == nil; lo += ChunkTriangles {
		hi := min(lo+ChunkTriangles, c.Mesh.Len())
		b := c.Mesh.Slice(lo, hi)
		var normals []uint32
		if c.Normals != nil {
			normals = c.Normals[3*lo : 3*hi]
		}
		o.record(&b, normals)
	}
}

// record writes a chunk of records.
func (o *writer) record(b *scenes.Block, normals []uint32) {
	c := o.chunk[:0]
	for t := range b.Len() {
		for k := range 3 {
			c = append(c, math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t]))
		}
		if normals != nil {
			c = append(c, normals[3*t:3*t+3]...)
		}
	}
	o.put(c)
}

// array writes an array in chunks.
func (o *writer) array(all []uint32) {
	for len(all) > 0 && o.err == nil {
		n := min(ChunkWords, len(all))
		o.put(append(o.chunk[:0], all[:n]...))
		all = all[n:]
	}
}

// boxes writes the section with the boxes of groups.
func (o *writer) boxes() {
	var all []uint32
	for i := range o.bounds {
		all = append(all, words(o.bounds[i])...)
	}
	o.array(all)
}

// end writes the sums of all chunks.
func (o *writer) end() error {
	swapBytes(o.sums)
	p := bytesOf(o.sums)
	o.write(p)
	last := []uint32{sum(p)}
	swapBytes(last)
	o.write(bytesOf(last))
	if o.err != nil {
		return fmt.Errorf("write a prepared mesh: %w", o.err)
	}
	return nil
}
