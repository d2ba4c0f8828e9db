package scenes

import (
	"encoding/binary"
	"fmt"
	"io"

	"lockstep/scenes/internal/stlkernel"
)

// readBinaryStream reads a binary STL file front to back. If doubt says what
// the input looks like otherwise, only the length that its header promises
// makes it one.
func readBinaryStream(in *input, doubt string) (*Mesh, *Report, error) {
	s := stlStream{
		in: in, loops: stlkernel.Best(), pending: in.prefix[stlHeaderSize:],
		tally: newTally(), warn: warnings{in: in}, doubt: doubt,
	}
	if err := s.records(); err != nil {
		return nil, nil, err
	}
	if err := s.warn.addBad(recordPlace(s.tally.firstBad), &s.tally); err != nil {
		return nil, nil, err
	}
	m := &Mesh{Block: s.mesh.finish()}
	scheme := chooseColors(in.prefix[:stlCommentSize], s.tally.colors)
	if scheme.kind != colorNone {
		m.Colors = s.attrs.colors(scheme, m.Len())
	}
	return m, s.tally.report(m.Len(), in.done, s.warn.list()), nil
}

// stlStream is the state of readBinaryStream.
type stlStream struct {
	in      *input
	loops   *stlkernel.Set // for this processor
	pending []byte         // bytes of the prefix that were not decoded yet
	mesh    builder
	attrs   attributes
	tally   stlTally
	warn    warnings
	doubt   string // what the input is unless its length is right; empty: an STL file
}

// records reads all records and judges the count in the header by them.
func (s *stlStream) records() error {
	claimed := headerCount(s.in.prefix)
	rest, end, err := s.copy(claimed)
	if err != nil {
		return err
	}
	have := int64(s.mesh.n)
	if have < claimed {
		if s.doubt != "" {
			return s.in.unknown(s.doubt)
		}
		return s.warn.short(claimed, have, rest)
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
	if s.doubt != "" {
		return s.in.unknown(s.doubt)
	}
	if !moreTriangles(probe[:n]) {
		return s.warn.trailing(claimed, int64(n), err == io.EOF)
	}
	s.pending = append(probe[:n:n], s.pending...)
	rest, _, err = s.copy(maxRecords)
	if err != nil {
		return err
	}
	return s.warn.long(claimed, int64(s.mesh.n), rest)
}

// maxRecords is more than any input has.
const maxRecords = 1 << 56

// copy decodes up to n records. It returns the number of bytes left over at
// the end of the input, less than a record, and whether the end was met.
func (s *stlStream) copy(n int64) (rest int, end bool, err error) {
	buf := make([]byte, BlockSize*stlRecordSize)
	for n > 0 && !end {
		k, err := s.read(buf[:min(n, BlockSize)*stlRecordSize])
		end = err == io.EOF
		if err != nil && !end {
			return 0, false, err
		}
		rest = k % stlRecordSize
		s.add(buf[:k-rest])
		n -= int64(k / stlRecordSize)
	}
	return rest, end, nil
}

// read is fill, preceded by what is pending.
func (s *stlStream) read(p []byte) (int, error) {
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	k, err := s.in.fill(p[n:])
	return n + k, err
}

func (s *stlStream) add(raw []byte) {
	n := len(raw) / stlRecordSize
	if n == 0 {
		return
	}
	s.tally.scan(s.loops, raw, s.mesh.n)
	if s.tally.colors != (colorTally{}) {
		s.attrs.add(raw, s.mesh.n)
	}
	block, at := s.mesh.grow(n)
	decodeRecords(s.loops, block, at, raw)
	s.mesh.commit(n)
}

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
	part := make([]uint16, len(raw)/stlRecordSize)
	for t := range part {
		part[t] = binary.LittleEndian.Uint16(raw[t*stlRecordSize+stlAttribute:])
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
	return fmt.Sprintf("triangle %d at byte %d", t, stlSize(int64(t)))
}

// probeSize is how much of what follows the claimed number of records decides
// whether that is records too.
const probeSize = 64 * stlRecordSize

const countPlace = "byte 80"

// short notes a header that claims more triangles than there are.
func (w *warnings) short(claimed, have int64, rest int) error {
	if have == 0 {
		return w.in.damage(countPlace, "the header claims %d triangles, but there is not one whole", claimed)
	}
	if rest > 0 {
		return w.add(fmt.Sprintf("byte %d", stlSize(have)),
			"the file ends within triangle %d of %d", have, claimed)
	}
	return w.add(countPlace, "the header claims %d triangles, the file holds %d", claimed, have)
}

// long notes a header that claims fewer triangles than there are.
func (w *warnings) long(claimed, have int64, rest int) error {
	err := w.add(countPlace, "the header claims %d triangles, the file holds %d", claimed, have)
	if err == nil && rest > 0 {
		err = w.trailing(have, int64(rest), true)
	}
	return err
}

// trailing notes bytes after the last triangle that are not triangles.
func (w *warnings) trailing(have, extra int64, all bool) error {
	place := fmt.Sprintf("byte %d", stlSize(have))
	if have == 0 {
		return w.in.damage(place, "the header claims no triangles, and what follows are none")
	}
	if !all {
		return w.add(place, "what follows the last triangle is ignored")
	}
	return w.add(place, "%d bytes after the last triangle are ignored", extra)
}

// report fills a report on a binary STL file.
func (a *stlTally) report(triangles int, size int64, lines []string) *Report {
	return &Report{
		Format: FormatSTLBinary, Bytes: size,
		Triangles: triangles, BadTriangles: a.bad, Bounds: a.box(),
		Warnings: lines,
	}
}
