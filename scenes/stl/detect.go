package stl

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// format is the Format of this package.
type fileFormat struct {
	chunk int  // bytes of a chunk of a text, set by tests; 0: the usual number
	plain bool // no chunk is parsed on its own
}

// Format reads binary and ASCII STL.
var Format format.BlockFormat = fileFormat{}

// Names of the two kinds of STL in reports.
const (
	FormatBinary = "stl-binary"
	FormatASCII  = "stl-ascii"
)

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"stl"} }

// Detect judges an input by its first bytes and its size.
//
// Programs write "solid" into binary headers and anything into names, so the
// first word decides nothing. In this order: the size that a binary header
// promises, also with bytes behind facets, which the marks of other formats cannot deny; the words of an ASCII
// file with few NUL bytes; records that look like triangles; where they could
// be anything, the number that the header claims. Only the first rests on size,
// so a stream differs from a file only there, see Possible.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	follow := payloadOf(prefix, size)
	switch {
	case promised(prefix, size) && size > headerSize, follow == payloadWhole:
		return format.Certain
	case promised(prefix, size) || looksASCII(prefix) || headerOnly(prefix, size):
		return format.Likely
	case follow == payloadBegins:
		return format.Plausible
	case len(prefix) < headerSize || text.IsText(prefix) || !plausibleBinary(prefix):
		return format.No
	}
	return format.Plausible
}

// promised reports whether the size is that of a binary file with the number
// of triangles in its header.
func promised(prefix []byte, size int64) bool {
	return len(prefix) >= headerSize && size == sizeOf(headerCount(prefix))
}

// ascii reports whether an input that Detect recognised is ASCII STL.
func ascii(in *format.Input) bool {
	return in.Doubt == "" && !promised(in.Prefix, in.Size) && looksASCII(in.Prefix)
}

// Read reads the whole of an input into memory: 36 bytes a triangle (40 with
// colours) plus small buffers, and twice that for a moment where the number of
// triangles was not known before: in a text, and in a stream.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	switch {
	case ascii(in):
		return readASCII(in, f)
	case headerOnly(in.Prefix, in.Size):
		return readEmpty(in)
	case len(in.Prefix) < headerSize:
		return nil, nil, errShort(in)
	}
	pending := in.Prefix[headerSize:]
	if in.Doubt == "" && payloadOf(in.Prefix, in.Size) != noPayload {
		m, rep, all, err := readPayload(in)
		if err != errNoPayload {
			return m, rep, err
		}
		if !plausibleBinary(in.Prefix) {
			return nil, nil, in.Damage(countPlace, "%d facets, each with as many bytes behind it as it says, do not end with the file", headerCount(in.Prefix))
		}
		if all != nil {
			pending = all[headerSize:]
		}
	}
	if in.Seekable() {
		return readBinaryFile(in)
	}
	return readBinaryStream(in, pending)
}

// errShort is the error of an input that is read as STL whatever it looks like.
func errShort(in *format.Input) error {
	return in.Unknown(fmt.Sprintf("%d bytes are no binary STL file, and the words of a text are missing", len(in.Prefix)))
}

// Open makes a File of a binary STL file.
func (fileFormat) Open(in *format.Input) (scenes.Stream, *scenes.Report, error) {
	if ascii(in) {
		return nil, nil, fmt.Errorf("%s: %w", text.OneLine(in.Options.Name), scenes.ErrNotSeekable)
	}
	if headerOnly(in.Prefix, in.Size) || payloadOf(in.Prefix, in.Size) != noPayload {
		return nil, nil, fmt.Errorf("%s: %w", text.OneLine(in.Options.Name), scenes.ErrNotSeekable)
	}
	if len(in.Prefix) < headerSize {
		return nil, nil, errShort(in)
	}
	s, rep, err := openBinary(in, func(s *File) (recordFunc, error) {
		return func(int, []byte) {}, in.Allow(int64(s.n), 0)
	})
	if err != nil {
		return nil, nil, err
	}
	return s, rep, nil
}

// plausibleBinary judges the first of the records that the header claims, or
// of all if it claims none. Place-holders are believed if the header claims at
// least as many as there are.
func plausibleBinary(prefix []byte) bool {
	claimed, records := headerCount(prefix), prefix[headerSize:]
	if len(records) < recordSize {
		return true // too short to judge; the reader names the damage
	}
	enough := claimed*recordSize >= int64(len(records))
	if claimed > 0 && !enough {
		records = records[:claimed*recordSize]
	}
	switch judge(records) {
	case triangleFound:
		return true
	case blankRecords:
		return claimed > 0 && enough
	}
	return false
}

// maxDoubtful bounds the triangles, and so the memory, that a stream is given
// which looks like something else. A random count is below with probability
// 0.004, and text in place of the count is always above.
const maxDoubtful = 1 << 24

// Possible reports whether a stream that looks like something else might still
// be as long as its binary header promises.
func (fileFormat) Possible(prefix []byte) bool {
	if len(prefix) < headerSize {
		return false
	}
	claimed := headerCount(prefix)
	return claimed > 0 && claimed <= maxDoubtful && sizeOf(claimed) >= int64(len(prefix))
}

// headerCount returns the number of triangles that a binary header claims.
func headerCount(header []byte) int64 {
	return int64(binary.LittleEndian.Uint32(header[commentSize:]))
}

// stlSize returns the size in bytes of a binary STL file of n triangles.
func sizeOf(n int64) int64 { return headerSize + n*recordSize }

// looksASCII reports whether p starts with the word "solid" in any case,
// after white space, comments or a byte order mark, goes on with facets or an
// "endsolid", and has too few NUL bytes for binary records, where at least the
// attributes, 2 of 50 bytes, are zero in nearly all files, or for the header of
// a file that has no whole record. A text that is one line as far as p goes is ASCII STL too. The words must not all stand in what would
// be the header of a file longer than p.
func looksASCII(p []byte) bool {
	if text.IsText(p) {
		p = bytes.TrimRight(p, "\x00\x1a") // behind the last line
	}
	words := afterComments(text.TrimBOM(p))
	if len(words) < 5 || !bytes.EqualFold(words[:5], []byte("solid")) {
		return false
	}
	body := p[min(len(p), headerSize):]
	if len(body) < recordSize {
		body = p
	}
	if bytes.Count(body, []byte{0})*64 > len(body) {
		return false
	}
	if len(p) == format.PrefixSize {
		if text.IsText(p) && !bytes.ContainsAny(p, "\r\n") {
			return true // a name that is longer than p
		}
		words = body
	}
	return text.HasWord(words, "facet") || text.HasWord(words, "endsolid")
}
