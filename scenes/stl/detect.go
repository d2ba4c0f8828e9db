package stl

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/text"
)

// A fileFormat is the format of this package.
type fileFormat struct {
	chunk      int  // bytes of a chunk of a text; 0: the usual size; set only by tests
	sequential bool // chunks are not parsed in parallel
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

// Detect judges an input by its first bytes and its size. The word "solid" at the start proves nothing, because
// programs write it into binary headers, too. Detect looks for these signs, in this order:
//
//   - The size is the one that a binary header promises, perhaps with extra bytes after the facets.
//   - The text has the keywords of the format and few NUL bytes.
//   - The records look like triangles.
//   - The records are blank, but the header claims at least as many triangles as there are records.
//
// The size counts more than the marks of other formats. If it is unknown, as for a stream, Possible checks it later.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	follow := payloadOf(prefix, size)
	switch {
	case sizeMatches(prefix, size) && size > headerSize, follow == payloadWhole:
		return format.Certain
	case sizeMatches(prefix, size) || looksASCII(prefix) || isHeaderOnly(prefix, size):
		return format.Likely
	case follow == payloadBegins:
		return format.Plausible
	case len(prefix) < headerSize || text.IsText(prefix) || !isPlausibleBinary(prefix):
		return format.No
	}
	return format.Plausible
}

// sizeMatches reports whether size is the size of a binary file with as many triangles as the header claims.
func sizeMatches(prefix []byte, size int64) bool {
	return len(prefix) >= headerSize && size == sizeOf(headerCount(prefix))
}

// isASCII reports whether an input that Detect or Possible recognised is ASCII STL.
func isASCII(in *format.Input) bool {
	return in.Doubt == "" && !sizeMatches(in.Prefix, in.Size) && looksASCII(in.Prefix)
}

// Read reads an input into memory: 36 bytes per triangle (40 with colours) plus small buffers. If the number of
// triangles is not known in advance, as in a text or a stream, Read needs twice as much for a short time.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	switch {
	case isASCII(in):
		return readASCII(in, f)
	case isHeaderOnly(in.Prefix, in.Size):
		return readEmpty(in)
	case len(in.Prefix) < headerSize:
		return nil, nil, tooShortError(in)
	}
	pending := in.Prefix[headerSize:]
	if in.Doubt == "" && payloadOf(in.Prefix, in.Size) != noPayload {
		m, rep, all, err := readPayload(in)
		if err != errNoPayload {
			return m, rep, err
		}
		if !isPlausibleBinary(in.Prefix) {
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

// tooShortError returns the error for an input that is too short for STL although the user asked for this format.
func tooShortError(in *format.Input) error {
	return in.Unknown(fmt.Sprintf("%d bytes are no binary STL file, and the words of a text are missing", len(in.Prefix)))
}

// Open opens a binary STL file as a File.
func (fileFormat) Open(in *format.Input) (scenes.Stream, *scenes.Report, error) {
	if isASCII(in) {
		return nil, nil, fmt.Errorf("%s: %w", text.OneLine(in.Options.Name), scenes.ErrNotSeekable)
	}
	if isHeaderOnly(in.Prefix, in.Size) || payloadOf(in.Prefix, in.Size) != noPayload {
		return nil, nil, fmt.Errorf("%s: %w", text.OneLine(in.Options.Name), scenes.ErrNotSeekable)
	}
	if len(in.Prefix) < headerSize {
		return nil, nil, tooShortError(in)
	}
	s, rep, err := openBinary(in, func(s *File) (recordFunc, error) {
		return func(int, []byte) {}, in.Allow(int64(s.n), 0)
	})
	if err != nil {
		return nil, nil, err
	}
	return s, rep, nil
}

// isPlausibleBinary reports whether the records look like triangles. It examines as many records as the header claims,
// or all records if it claims none. If all of them are blank, it reports whether the header claims at least as many
// triangles as there are records.
func isPlausibleBinary(prefix []byte) bool {
	claimed, records := headerCount(prefix), prefix[headerSize:]
	if len(records) < recordSize {
		return true // too short to judge; reading reports the damage
	}
	enough := claimed*recordSize >= int64(len(records))
	if claimed > 0 && !enough {
		records = records[:claimed*recordSize]
	}
	switch judgeRecords(records) {
	case triangleFound:
		return true
	case blankRecords:
		return claimed > 0 && enough
	}
	return false
}

// maxDoubtful is the greatest number of triangles in a stream that looks like something else. It limits the memory for
// such a stream. A random count in the header is lower with probability 0.004. Text in place of the count is always
// higher.
const maxDoubtful = 1 << 24

// Possible reports whether a stream that looks like something else may have the length that its binary header promises.
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
// must start with the word "solid" in any case, and continue with facets or "endsolid". If the file is longer than p,
// some of the keywords must be after the first 84 bytes, where a binary header would end. A text whose first line does
// not end within p is also accepted.
//
// At most one in 64 bytes may be NUL. Binary files have more: nearly all have zero attributes, which are 2 of the 50
// bytes of each record.
func looksASCII(p []byte) bool {
	if text.IsText(p) {
		p = bytes.TrimRight(p, "\x00\x1a") // some files have padding at the end
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
	if len(p) >= format.PrefixSize {
		if text.IsText(p) && !bytes.ContainsAny(p, "\r\n") {
			return true // the name of the solid is longer than p
		}
		words = body
	}
	return text.HasWord(words, "facet") || text.HasWord(words, "endsolid")
}
