package off

import (
	"bytes"
	"fmt"

	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
)

// readBinary reads a binary file from its second line on: three counts as int32, the vertices as float32, and the
// faces. A face has the number of its corners, the corners, the number of components of its colour, and these
// components as float32.
func (r *reader) readBinary(prefix []byte) error {
	start := bytes.Index(prefix, []byte("BINARY"))
	line := bytes.IndexByte(prefix[max(start, 0):], '\n')
	if start < 0 || line < 0 {
		return r.in.Damage("line 1", "the file ends behind the word BINARY")
	}
	b := &binaryReader{reader: r, Reader: binary.NewReader(r.in, start+line+1, true)}
	r.polygon.Place = b.place
	err := b.readElements()
	if err == binary.ErrEnd {
		return r.Warn.Add(b.place(), "the file ends within %s %d of %d", b.name, b.i, b.n)
	}
	return err
}

// binaryReader is the state of readBinary.
type binaryReader struct {
	*reader
	*binary.Reader
	started int64  // offset in bytes where the current vertex or face starts
	name    string // "vertex" or "face"
	i, n    int64  // number of the current vertex or face, and count of vertices or faces
}

func (b *binaryReader) place() string { return fmt.Sprintf("byte %d", b.started) }

// readElements reads the whole file. The error is binary.ErrEnd if the file ends early.
func (b *binaryReader) readElements() error {
	var counts [3]int64
	b.name, b.n = "number", 3
	for i := range counts {
		var err error
		b.i, b.started = int64(i), b.Offset()
		if counts[i], err = b.int32(); err != nil {
			return err
		}
		if counts[i] < 0 && i < 2 {
			return b.in.Damage(b.place(), "a number of %d", counts[i])
		}
	}
	if err := b.readEach("vertex", counts[0], b.readVertex); err != nil {
		return err
	}
	if err := b.readEach("face", counts[1], b.readFace); err != nil {
		return err
	}
	b.started = b.Offset()
	more, err := b.More()
	if err == nil && more {
		err = b.Warn.Add(b.place(), "what follows the last face is ignored")
	}
	return err
}

func (b *binaryReader) readEach(name string, n int64, read func() error) error {
	b.name, b.n = name, n
	for b.i = 0; b.i < n; b.i++ {
		b.started = b.Offset()
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

func (b *binaryReader) int32() (int64, error) {
	if err := b.Fits(4); err != nil {
		return 0, err
	}
	return int64(int32(b.Uint32())), nil
}

func (b *binaryReader) float32() (float64, error) {
	if err := b.Fits(4); err != nil {
		return 0, err
	}
	return float64(b.Float32()), nil
}

func (b *binaryReader) readVertex() error {
	before, behind := b.extraNumbers()
	n := 3 + before + behind
	if b.color {
		n += 4
	}
	var v [3 + 4 + 4 + 2]float64
	for k := range n {
		var err error
		if v[k], err = b.float32(); err != nil {
			return err
		}
	}
	p := [3]float64(v[:3])
	if b.weight {
		for c := range p {
			p[c] /= v[3]
		}
	}
	if err := b.AddPoint(p); err != nil {
		return err
	}
	if b.normal {
		if err := b.PointNormal([3]float64(v[before:])); err != nil {
			return err
		}
	}
	if b.texture {
		if err := b.PointTexCoord([2]float64{v[n-2], 1 - v[n-1]}); err != nil {
			return err
		}
	}
	if !b.color {
		return nil
	}
	return b.ColorPoint(indexed.RGB([3]float64(v[3+before:]), 255))
}

func (b *binaryReader) readFace() error {
	p := &b.polygon
	p.Corners, p.Color = p.Corners[:0], indexed.NoColor
	n, err := b.int32()
	for k := int64(0); err == nil && k < n; k++ {
		var index int64
		if index, err = b.int32(); len(p.Corners) <= indexed.MaxCorners {
			p.Corners = append(p.Corners, index)
		}
	}
	if err != nil {
		return err
	}
	values, err := b.int32()
	var v [3]float64
	for k := int64(0); err == nil && k < values; k++ {
		var x float64
		if x, err = b.float32(); k < 3 {
			v[k] = x
		}
	}
	if err != nil {
		return err
	}
	if values == 3 || values == 4 {
		p.Color = indexed.RGB(v, 255)
	}
	return b.AddPolygon(*p)
}
