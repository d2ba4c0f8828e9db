package stl

import (
	"bytes"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// headerOnly reports whether a whole input is the header of a binary file without the number of facets,
// as packages of robots have in the place of parts that nothing is drawn of: 80 bytes in one line that
// begin with "solid" or end with padding. Zeros may stand for a part of the number.
func headerOnly(prefix []byte, size int64) bool {
	if size < commentSize || size >= headerSize || size != int64(len(prefix)) {
		return false
	}
	comment, rest := prefix[:commentSize], prefix[commentSize:]
	if len(bytes.Trim(rest, "\x00")) > 0 || bytes.ContainsAny(comment, "\r\n") {
		return false
	}
	if len(bytes.Trim(comment, "\x00")) == 0 {
		return false // what an interrupted write leaves
	}
	last := comment[commentSize-1]
	return last == 0 || last == ' ' || strings.EqualFold(string(comment[:6]), "solid ")
}

// readEmpty returns the mesh of such a header.
func readEmpty(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	t := newTally()
	return &scenes.Mesh{Block: scenes.MakeBlock(0)}, t.report(0, in.Size, nil), nil
}
