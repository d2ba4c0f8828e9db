package stl

import (
	"encoding/binary"
	"fmt"
	"io"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/stl/internal/kernel"
)

// readBinaryStream reads a binary STL file from front to back. pending holds the bytes after the header that are read
// already. If Input.Doubt is set, the file must have the length that the header promises.
func readBinaryStream(in *format.Input, pending []byte) (*scenes.Mesh, *scenes.Report, error) {
	s := stream{
		in: in, loops: kernel.Best(), pending: pending,
		mesh: in.NewBuilder(), tally: newTally(), warn: in.Warnings(),
	}
	if err := s.readRecords(); err != nil {
		return nil, nil, err
	}
	return s.finish(in.Done())
}

// finish returns the mesh and the report. size is the size of the input.
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
		m.Colors = s.attrs.colors(scheme, m.Len()) // Finish has allowed more memory than these colours need
	}
	return m, s.tally.report(m.Len(), size, s.warn.Lines()), nil
}

// A stream is the state of readBinaryStream.
type stream struct {
	in      *format.Input
	loops   *kernel.Set // decoding loops for the instruction set of this processor
	pending []byte      // bytes that are read but not decoded
	mesh    *format.Builder
	attrs   attributes
	tally   tally
	warn    *format.Warnings
	spread  bool // records are separated by extra bytes in the file
}

// readRecords reads all records, and checks the count in the header against them.
func (s *stream) readRecords() error {
	claimed := headerCount(s.in.Prefix)
	rest, end, err := s.decodeRecords(claimed)
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
	// The input has more bytes than the header claims. They may be padding, or may never end. So the first of them must
	// look like triangles before more are read.
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
	if !hasMoreTriangles(probe[:n]) {
		return warnTrailing(s.in, s.warn, claimed, int64(n), err == io.EOF)
	}
	s.pending = append(probe[:n:n], s.pending...)
	rest, _, err = s.decodeRecords(maxRecords)
	if err != nil {
		return err
	}
	return warnLong(s.in, s.warn, claimed, int64(s.mesh.Len()), rest)
}

// maxRecords is more than the number of records of any input.
const maxRecords = 1 << 56

// decodeRecords decodes up to n records. `end` is true if the input has ended. `rest` is the number of bytes after the
// last complete record.
func (s *stream) decodeRecords(n int64) (rest int, end bool, err error) {
	buf := make([]byte, scenes.BlockSize*recordSize)
	for n > 0 && !end {
		k, err := s.read(buf[:min(n, scenes.BlockSize)*recordSize])
		end = err == io.EOF
		if err != nil && !end {
			return 0, false, err
		}
		rest = k % recordSize
		if err := s.addRecords(buf[:k-rest]); err != nil {
			return 0, false, err
		}
		n -= int64(k / recordSize)
	}
	return rest, end, nil
}

// read fills p, first with the pending bytes and then with further bytes of the input.
func (s *stream) read(p []byte) (int, error) {
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	k, err := s.in.Fill(p[n:])
	return n + k, err
}

func (s *stream) addRecords(raw []byte) error {
	n := len(raw) / recordSize
	if n == 0 {
		return nil
	}
	s.tally.addRecords(s.loops, raw, s.mesh.Len())
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

// attributeBytes is the size in bytes of the attributes of a triangle.
const attributeBytes = 2

// An attributes stores the attribute bits of a stream until their meaning is known. It starts at the first buffer with
// an attribute that is not zero.
type attributes struct {
	parts [][]uint16
	first int // index of the first triangle in parts
}

// add stores the attributes of the records in raw. first is the index of their first triangle.
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

// colors returns the colours of n triangles according to scheme s.
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
	for len(rgb) < n { // also fills rgb if there are no parts, when only the header has a colour
		rgb = append(rgb, s.color(0))
	}
	return rgb
}

// recordPlace returns the position of record t in the file, for messages.
func recordPlace(t int) string {
	return fmt.Sprintf("triangle %d at byte %d", t, sizeOf(int64(t)))
}

// probeSize is how many bytes the method readRecords reads to decide whether more records follow than the header
// claims.
const probeSize = 64 * recordSize
