package stl

import (
	"encoding/binary"
	"fmt"
	"io"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/stl/internal/kernel"
)

// readBinaryStream reads a binary STL file front to back: the pending bytes behind its header, and
// what follows. If there is doubt, only the length that its header promises makes it one.
func readBinaryStream(in *format.Input, pending []byte) (*scenes.Mesh, *scenes.Report, error) {
	s := stream{
		in: in, loops: kernel.Best(), pending: pending,
		mesh: in.NewBuilder(), tally: newTally(), warn: in.Warnings(),
	}
	if err := s.records(); err != nil {
		return nil, nil, err
	}
	return s.finish(in.Done())
}

// finish returns the mesh, and the report on an input of the given size.
func (s *stream) finish(size int64) (*scenes.Mesh, *scenes.Report, error) {
	place := recordPlace(s.tally.firstBad)
	if s.spread {
		place = fmt.Sprintf("triangle %d", s.tally.firstBad)
	}
	if err := s.warn.NotFinite(place, s.tally.bad, s.tally.large); err != nil {
		return nil, nil, err
	}
	block, err := s.mesh.Finish()
	if err != nil {
		return nil, nil, err
	}
	m := &scenes.Mesh{Block: block}
	scheme := chooseColors(s.in.Prefix[:commentSize], s.tally.colors)
	if scheme.kind != colorNone {
		m.Colors = s.attrs.colors(scheme, m.Len()) // in less memory than Finish was allowed
	}
	return m, s.tally.report(m.Len(), size, s.warn.Lines()), nil
}

// stream is the state of readBinaryStream.
type stream struct {
	in      *format.Input
	loops   *kernel.Set // for this processor
	pending []byte      // bytes that were read and not decoded yet
	mesh    *format.Builder
	attrs   attributes
	tally   tally
	warn    *format.Warnings
	spread  bool // other bytes stand between the records
}

// records reads all records and judges the count in the header by them.
func (s *stream) records() error {
	claimed := headerCount(s.in.Prefix)
	rest, end, err := s.copy(claimed)
	if err != nil {
		return err
	}
	have := int64(s.mesh.Len())
	if have < claimed {
		if s.in.Doubt != "" {
			return s.in.Unknown(s.in.Doubt)
		}
		return warnShort(s.in, s.warn, claimed, have, rest)
	}
	if end {
		return nil
	}
	// The input goes on. Look at what follows before believing that it is
	// triangles: it might be padding, or never end.
	probe := make([]byte, probeSize)
	n, err := s.read(probe)
	if err != nil && err != io.EOF {
		return err
	}
	if n == 0 {
		return nil
	}
	if s.in.Doubt != "" {
		return s.in.Unknown(s.in.Doubt)
	}
	if !moreTriangles(probe[:n]) {
		return warnTrailing(s.in, s.warn, claimed, int64(n), err == io.EOF)
	}
	s.pending = append(probe[:n:n], s.pending...)
	rest, _, err = s.copy(maxRecords)
	if err != nil {
		return err
	}
	return warnLong(s.in, s.warn, claimed, int64(s.mesh.Len()), rest)
}

// maxRecords is more than any input has.
const maxRecords = 1 << 56

// copy decodes up to n records. It returns the number of bytes left over at
// the end of the input, less than a record, and whether the end was met.
func (s *stream) copy(n int64) (rest int, end bool, err error) {
	buf := make([]byte, scenes.BlockSize*recordSize)
	for n > 0 && !end {
		k, err := s.read(buf[:min(n, scenes.BlockSize)*recordSize])
		end = err == io.EOF
		if err != nil && !end {
			return 0, false, err
		}
		rest = k % recordSize
		if err := s.add(buf[:k-rest]); err != nil {
			return 0, false, err
		}
		n -= int64(k / recordSize)
	}
	return rest, end, nil
}

// read fills p with the pending bytes and those of the input after them.
func (s *stream) read(p []byte) (int, error) {
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	k, err := s.in.Fill(p[n:])
	return n + k, err
}

func (s *stream) add(raw []byte) error {
	n := len(raw) / recordSize
	if n == 0 {
		return nil
	}
	s.tally.scan(s.loops, raw, s.mesh.Len())
	if s.tally.colors.marked || s.tally.colors.plain {
		s.mesh.Extra = attributeBytes
		s.attrs.add(raw, s.mesh.Len())
	}
	block, at, err := s.mesh.Grow(n)
	if err != nil {
		return err
	}
	decodeRecords(s.loops, block, at, raw)
	s.mesh.Commit(n)
	return nil
}

// attributeBytes is the size of the attributes of a triangle.
const attributeBytes = 2

// attributes keeps the attribute bits of a stream until its colour scheme is
// known. It holds none before the buffer with the first that is not zero.
type attributes struct {
	parts [][]uint16
	first int // index of the triangle that parts start with
}

// add takes in the records of raw, whose first is triangle first.
func (a *attributes) add(raw []byte, first int) {
	if len(a.parts) == 0 {
		a.first = first
	}
	part := make([]uint16, len(raw)/recordSize)
	for t := range part {
		part[t] = binary.LittleEndian.Uint16(raw[t*recordSize+attributeAt:])
	}
	a.parts = append(a.parts, part)
}

// colors returns the colours of n triangles.
func (a *attributes) colors(s colorScheme, n int) []uint32 {
	rgb := make([]uint32, 0, n)
	for range a.first {
		rgb = append(rgb, s.color(0))
	}
	for _, part := range a.parts {
		for _, bits := range part {
			rgb = append(rgb, s.color(bits))
		}
	}
	for len(rgb) < n { // no parts at all: the header alone has a colour
		rgb = append(rgb, s.color(0))
	}
	return rgb
}

// recordPlace says where record t stands in the file.
func recordPlace(t int) string {
	return fmt.Sprintf("triangle %d at byte %d", t, sizeOf(int64(t)))
}

// probeSize is how much of what follows the claimed number of records decides
// whether that is records too.
const probeSize = 64 * recordSize
