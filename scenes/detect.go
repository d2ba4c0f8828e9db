package scenes

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

type fileFormat uint8

const (
	formatUnknown fileFormat = iota
	formatBinarySTL
	formatASCIISTL
)

// detect finds out the format of an input by its first bytes, prefix, and its
// size in bytes, -1 if that is unknown because prefix is not all. For an
// unknown format it says what the input looks like.
//
// Programs write "solid" into binary headers and anything into names, so the
// first word decides nothing. In this order: the size that a binary header
// promises; the marks of other formats; the words of an ASCII file with few NUL
// bytes; other text; records that look like triangles; where they could be
// anything, the number that the header claims. Only the first rests on size, so
// a stream differs from a file only there, see binaryByCount.
func detect(prefix []byte, size int64) (format fileFormat, reason string) {
	if len(prefix) == 0 {
		return formatUnknown, "it is empty"
	}
	exact := len(prefix) >= stlHeaderSize && size == stlSize(headerCount(prefix))
	if exact && size > stlHeaderSize {
		return formatBinarySTL, ""
	}
	if kind := knownKind(prefix); kind != "" {
		return formatUnknown, "it looks like " + kind
	}
	if exact {
		return formatBinarySTL, ""
	}
	if looksASCII(prefix) {
		return formatASCIISTL, ""
	}
	if isText(prefix) {
		return formatUnknown, "text without an STL facet"
	}
	if len(prefix) < stlHeaderSize {
		return formatUnknown, fmt.Sprintf("%d bytes are less than the header of a binary STL file", len(prefix))
	}
	if !plausibleBinary(prefix) {
		return formatUnknown, "neither text nor plausible STL triangles"
	}
	return formatBinarySTL, ""
}

// plausibleBinary judges the first of the records that the header claims, or
// of all if it claims none. Place-holders are believed if the header claims at
// least as many as there are.
func plausibleBinary(prefix []byte) bool {
	claimed, records := headerCount(prefix), prefix[stlHeaderSize:]
	if len(records) < stlRecordSize {
		return true // too short to judge; its reader says what is wrong
	}
	enough := claimed*stlRecordSize >= int64(len(records))
	if claimed > 0 && !enough {
		records = records[:claimed*stlRecordSize]
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

// binaryByCount reports whether a stream of unknown length that looks like
// something else might still be as long as its binary header promises, which
// would make it an STL file.
func binaryByCount(prefix []byte) bool {
	if len(prefix) < stlHeaderSize {
		return false
	}
	claimed := headerCount(prefix)
	return claimed > 0 && claimed <= maxDoubtful && stlSize(claimed) >= int64(len(prefix))
}

// headerCount returns the number of triangles that a binary header claims.
func headerCount(header []byte) int64 {
	return int64(binary.LittleEndian.Uint32(header[stlCommentSize:]))
}

// stlSize returns the size in bytes of a binary STL file of n triangles.
func stlSize(n int64) int64 { return stlHeaderSize + n*stlRecordSize }

// otherKinds are formats that are certainly not ours, by their first bytes.
// Marks of two bytes are left out: they might start an STL header.
var otherKinds = []struct{ mark, kind string }{
	{"\x89PNG\r\n\x1a\n", "a PNG picture"},
	{"\xff\xd8\xff", "a JPEG picture"},
	{"GIF8", "a GIF picture"},
	{"II*\x00", "a TIFF picture"},
	{"MM\x00*", "a TIFF picture"},
	{"RIFF", "a RIFF file (WebP, WAV or AVI)"},
	{"PK\x03\x04", "a ZIP archive (3MF and office documents are such)"},
	{"PK\x05\x06", "an empty ZIP archive"},
	{"%PDF", "a PDF document"},
	{"\x7fELF", "an ELF program"},
	{"\xcf\xfa\xed\xfe", "a Mach-O program"},
	{"\xca\xfe\xba\xbe", "a Java class or Mach-O program"},
	{"\x1f\x8b\x08", "a gzip file"},
	{"\xfd7zXZ\x00", "an xz file"},
	{"\x28\xb5\x2f\xfd", "a Zstandard file"},
	{"BZh", "a bzip2 file"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"glTF", "a binary glTF scene, which this version does not read"},
	{"ply\n", "a PLY mesh, which this version does not read"},
	{"ply\r", "a PLY mesh, which this version does not read"},
	{"OFF\n", "an OFF mesh, which this version does not read"},
	{"OFF\r", "an OFF mesh, which this version does not read"},
	{"ISO-10303-21;", "a STEP model, which this version does not read"},
	{"Kaydara FBX Binary", "an FBX scene, which this version does not read"},
	{"BLENDER-v", "a Blender scene, which this version does not read"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\x00\x00\x00\x0cjP", "a JPEG 2000 picture"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
	{"<?xml", "XML"},
	{"<!DOCTYPE", "HTML"},
	{"<html", "HTML"},
}

func knownKind(p []byte) string {
	for _, k := range otherKinds {
		if bytes.HasPrefix(p, []byte(k.mark)) {
			return k.kind
		}
	}
	return ""
}

var utf8BOM = []byte("\xef\xbb\xbf")

// looksASCII reports whether p starts with the word "solid" in any case,
// after white space or a byte order mark, goes on with facets or an
// "endsolid", and has too few NUL bytes for binary records, where at least the
// attributes, 2 of 50 bytes, are zero in nearly all files, or for the header of
// a file that has no whole record. The words must not all stand in what would
// be the header of a file longer than p.
func looksASCII(p []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(p, utf8BOM), " \t\r\n\v\f")
	if len(text) < 5 || !bytes.EqualFold(text[:5], []byte("solid")) {
		return false
	}
	body := p[min(len(p), stlHeaderSize):]
	if len(body) < stlRecordSize {
		body = p
	}
	if bytes.Count(body, []byte{0})*64 > len(body) {
		return false
	}
	if len(p) == prefixSize {
		text = body
	}
	return hasWord(text, "facet") || hasWord(text, "endsolid")
}

// hasWord reports whether word, in any case, stands in p after white space
// and before white space or the end.
func hasWord(p []byte, word string) bool {
	lower := bytes.ToLower(p)
	for {
		at := bytes.Index(lower, []byte(word))
		if at < 0 {
			return false
		}
		end := at + len(word)
		if at > 0 && isSpace(lower[at-1]) && (end == len(lower) || isSpace(lower[end])) {
			return true
		}
		lower = lower[end:]
	}
}

// isSpace counts every control character as white space.
func isSpace(c byte) bool { return c <= ' ' }

// isText reports whether the start of p has no byte that text does not have.
// A binary header without NUL bytes is followed by a count with some.
func isText(p []byte) bool {
	for _, c := range p[:min(len(p), 1024)] {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b {
			return false
		}
	}
	return true
}
