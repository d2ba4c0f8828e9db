package stl

import (
	"bytes"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// isHeaderOnly reports whether the whole input is the header of a binary file without the number of facets. Software
// for robots contains such files, for parts without a shape. The header has 80 bytes without line breaks, and starts
// with "solid" or ends with padding. A few zero bytes may follow it.
func isHeaderOnly(prefix []byte, size int64) bool {
	if size < commentSize || size >= headerSize || size != int64(len(prefix)) {
		return false
	}
	comment, rest := prefix[:commentSize], prefix[commentSize:]
	if len(bytes.Trim(rest, "\x00")) > 0 || bytes.ContainsAny(comment, "\r\n") {
		return false
	}
	if len(bytes.Trim(comment, "\x00")) == 0 {
		return false // only zeros, from an interrupted write
	}
	last := comment[commentSize-1]
	return last == 0 || last == ' ' || strings.EqualFold(string(comment[:6]), "solid ")
}

// readEmpty returns the empty mesh of an input for which isHeaderOnly returns true.
func readEmpty(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	t := newTally()
	return &scenes.Mesh{Block: scenes.MakeBlock(0)}, t.report(0, in.Size, nil), nil
}
