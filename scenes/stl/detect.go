package stl

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// fileFormat is the Format of this package.
type fileFormat struct {
	chunk      int  // size of a chunk of a text in bytes; 0: the usual size; only tests set it
	sequential bool // do not parse chunks in parallel
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
// The first word decides nothing, because programs write "solid" into binary headers and anything into names. Detect
// checks in this order: the size that a binary header promises, with or without bytes behind facets, because it
// outweighs the marks of other formats; the keywords of a text with few NUL bytes; records that look like triangles;
// and, if the records could be anything, the number in the header. Only the first check needs the size, so it alone is
// not possible for a stream, see Possible.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	follow := payloadOf(prefix, size)
	switch {
	case sizeMatches(prefix, size) && size > headerSize, follow == payloadWhole:
		return format.Certain
	case sizeMatches(prefix, size) || looksASCII(prefix) || headerOnly(prefix, size):
		return format.Likely
	case follow == payloadBegins:
		return format.Plausible
	case len(prefix) < headerSize || text.IsText(prefix) || !plausibleBinary(prefix):
		return format.No
	}
	return format.Plausible
}

// sizeMatches reports whether the size is the size of a binary file with the number of triangles in the header.
func sizeMatches(prefix []byte, size int64) bool {
	return len(prefix) >= headerSize && size == sizeOf(headerCount(prefix))
}

// ascii reports whether an input that Detect or Possible recognised is ASCII STL.
func ascii(in *format.Input) bool {
	return in.Doubt == "" && !sizeMatches(in.Prefix, in.Size) && looksASCII(in.Prefix)
}

// Read reads an input into memory: 36 bytes per triangle (40 with colours) plus small buffers. If the number of
// triangles is not known in advance, as in a text or a stream, it briefly needs twice as much.
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

// errShort is the error for an input that is too short for the format that the user asked for.
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

// plausibleBinary reports whether the records look like triangles: as many as the header claims, or all records if it
// claims none. Place-holders are accepted if the header claims at least as many triangles as there are.
func plausibleBinary(prefix []byte) bool {
	claimed, records := headerCount(prefix), prefix[headerSize:]
	if len(records) < recordSize {
		return true // too short to judge; the reader reports the damage
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

// maxDoubtful is the greatest number of triangles, and so bounds the memory, of a stream that looks like something
// else. A random count is lower with probability 0.004, and text in place of the count is always higher.
const maxDoubtful = 1 << 24

// Possible reports whether a stream that looks like something else may still have the length that its binary header
// promises.
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

// sizeOf returns the size in bytes of a binary STL file of n triangles.
func sizeOf(n int64) int64 { return headerSize + n*recordSize }

// looksASCII reports whether p is the start of an ASCII STL file. After white space, comments or a byte order mark, p
// must start with the word "solid" in any case, and continue with facets or "endsolid". p must have too few NUL bytes
// for binary records, where at least the attributes, 2 of 50 bytes, are zero in nearly all files, and for a binary
// header without records. A text whose first line does not end in p is also accepted. If the file is longer than p,
// some of the keywords must be behind the place of a binary header.
func looksASCII(p []byte) bool {
	if text.IsText(p) {
		p = bytes.TrimRight(p, "\x00\x1a") // some files are padded at the end
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
			return true // the name is longer than p
		}
		words = body
	}
	return text.HasWord(words, "facet") || text.HasWord(words, "endsolid")
}
