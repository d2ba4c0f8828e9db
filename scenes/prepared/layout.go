package prepared

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/leaves"
)

const (
	// Mark is the start of every file.
	Mark = "\x89LKM\r\n\x1a\n"
	// version is the version of files that are written. Since version 4, materials may have second texture coordinates,
	// textures with a placement of their own, sheen, thickness and absorption.
	version    = 4
	oldest     = 3
	headerSize = 64
	// ChunkTriangles is the number of triangles in a chunk of records. GroupTriangles is the number of triangles in a
	// group, which has one bounding box.
	ChunkTriangles = 1024
	GroupTriangles = leaves.GroupTriangles
	// ChunkWords is the greatest number of 32-bit words in a chunk.
	ChunkWords = 1 << 14
	// leastChunk is the least number of 32-bit words in a chunk, except the last chunk of a section. Smaller chunks
	// would need too many checksums and cache entries.
	leastChunk = 1 << 10
	// RecordWords is the number of 32-bit words of a record with normals.
	RecordWords = 12
	flatWords   = 9
	// numbersChunk is the number of 32-bit words in a chunk of the numbers or colours of sorted triangles. It is enough
	// for 64 groups.
	numbersChunk = 1 << 12
	// maxMeta is the greatest size of the JSON description in bytes. Most of it are names of parts.
	maxMeta = 64 << 20
	// maxTriangles is the greatest number of triangles, because their numbers are uint32.
	maxTriangles = math.MaxUint32
	maxVertices  = math.MaxUint32 + 1
)

// Indices of the sections that every file has. If triangles have colours, the colours of leaves and the colours in the
// order of the mesh follow.
const (
	leavesIndex = iota
	recordsIndex
	boundsIndex
	countsIndex
	numbersIndex
	leafColorsIndex
)

// Names of the first sections of every file.
const (
	leavesSection  = "leaves"
	recordsSection = "records"
	boundsSection  = "bounds"
	countsSection  = "counts"
	numbersSection = "numbers"
	leafColors     = "leaf colors"
	colorsSection  = "colors"
)

var table = crc32.MakeTable(crc32.Castagnoli)

func checksum(p []byte) uint32 { return crc32.Checksum(p, table) }

// A description is the JSON after the header. It holds the list of sections, and data of the mesh that is not in
// sections.
type description struct {
	Triangles int           `json:"triangles"`
	Bad       int           `json:"bad,omitempty"` // number of triangles that are not finite
	Box       *[2][3]number `json:"box,omitempty"` // box of all finite vertices; nil if there are none
	Origin    [3]number     `json:"origin"`
	Unit      number        `json:"unit,omitempty"`
	Up        string        `json:"up"`
	Crease    number        `json:"crease,omitempty"` // crease angle of the normals in degrees, see File.Smooth
	Smooth    bool          `json:"smooth,omitempty"` // records have normals
	Sections  list[section] `json:"sections"`

	Parts      list[part]  `json:"parts,omitempty"`
	Attributes *attributes `json:"attributes,omitempty"`
}

// A section is an array of 32-bit words in the file.
type section struct {
	Name  string `json:"name"`
	Words int64  `json:"words"`
	Chunk int64  `json:"chunk"` // words per chunk; the last chunk may have fewer
}

// A number is a float64 that may be NaN or infinite, which JSON numbers cannot be.
type number float64

// MarshalJSON writes NaN and infinities as strings.
func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); f-f != 0 {
		return json.Marshal(fmt.Sprint(f))
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads a number, or a string that MarshalJSON writes.
func (n *number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"NaN"`:
		*n = number(math.NaN())
	case `"+Inf"`:
		*n = number(math.Inf(1))
	case `"-Inf"`:
		*n = number(math.Inf(-1))
	default:
		return json.Unmarshal(data, (*float64)(n))
	}
	return nil
}

// chunks returns the number of chunks of the section.
func (s *section) chunks() int64 { return (s.Words + s.Chunk - 1) / s.Chunk }

// sections returns the first sections of a file of n triangles, which every file has. leafWords is the number of 32-bit
// words of all groups.
func sections(n int, leafWords int64, colors, smooth bool) []section {
	record := int64(flatWords)
	if smooth {
		record = RecordWords
	}
	groups := int64(groupsOf(n))
	all := []section{
		{leavesSection, leafWords, leafChunk},
		{recordsSection, record * int64(n), record * ChunkTriangles},
		{boundsSection, 6 * groups, ChunkWords},
		{countsSection, (groups + 3) / 4, ChunkWords},
		{numbersSection, int64(n), numbersChunk},
	}
	if colors {
		all = append(all, section{leafColors, int64(n), numbersChunk}, section{colorsSection, int64(n), ChunkWords})
	}
	return all
}

// check returns an error if the description is wrong. It checks the sections that every file has, and accepts further
// sections.
func (d *description) check() error {
	if d.Triangles < 0 || int64(d.Triangles) > maxTriangles {
		return fmt.Errorf("%d triangles", d.Triangles)
	}
	leafWords := int64(0) // compared later with the numbers of vertices of groups
	if len(d.Sections) > 0 {
		leafWords = d.Sections[leavesIndex].Words
	}
	want := sections(d.Triangles, leafWords, d.section(colorsSection) >= 0, d.Smooth)
	if len(d.Sections) < len(want) {
		return errors.New("a section is missing")
	}
	for i, s := range d.Sections {
		if i < len(want) && s != want[i] {
			return fmt.Errorf("section %q has %d numbers in chunks of %d: expected %q, %d and %d", s.Name, s.Words, s.Chunk, want[i].Name, want[i].Words, want[i].Chunk)
		}
		if s.Words < 0 || s.Words > math.MaxInt64/8 || s.Chunk < leastChunk || s.Chunk > ChunkWords {
			return fmt.Errorf("section %q has %d numbers in chunks of %d", s.Name, s.Words, s.Chunk)
		}
	}
	if d.Bad < 0 || d.Bad > d.Triangles {
		return fmt.Errorf("%d of %d triangles are not finite", d.Bad, d.Triangles)
	}
	if _, err := scenes.ParseAxis(d.Up); err != nil {
		return err
	}
	return d.checkNumbers()
}

// checkNumbers returns an error if unit, crease, origin or box are not finite. Cameras and writers of other formats
// need finite numbers.
func (d *description) checkNumbers() error {
	for name, n := range map[string]number{"unit": d.Unit, "crease": d.Crease} {
		if !(n >= 0) || n-n != 0 {
			return fmt.Errorf("%s %g", name, n)
		}
	}
	for axis, n := range d.Origin {
		if n-n != 0 {
			return fmt.Errorf("origin %g", d.Origin)
		}
		if b := d.Box; b != nil && (!(b[0][axis] <= b[1][axis]) || b[0][axis]-b[0][axis] != 0 || b[1][axis]-b[1][axis] != 0) {
			return fmt.Errorf("a box from %g to %g", b[0], b[1])
		}
	}
	return nil
}

// section returns the index of the section called name, or -1 if there is none.
func (d *description) section(name string) int {
	for i := range d.Sections {
		if d.Sections[i].Name == name {
			return i
		}
	}
	return -1
}

// A header holds the numbers of the header of a file.
type header struct {
	meta    uint32 // size of the JSON description in bytes
	metaSum uint32
	sums    uint64
}

func (h *header) bytes() []byte {
	b := make([]byte, headerSize)
	copy(b, Mark)
	le := binary.LittleEndian
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], h.meta)
	le.PutUint32(b[16:], h.metaSum)
	le.PutUint64(b[24:], h.sums)
	le.PutUint32(b[60:], checksum(b[:60]))
	return b
}

// parseHeader parses a header. The caller has checked its Mark.
func parseHeader(b []byte) (h header, err error) {
	le := binary.LittleEndian
	if v := le.Uint32(b[8:]); v < oldest || v > version {
		return h, fmt.Errorf("a prepared mesh of version %d: this program reads versions %d to %d, and render prepare makes it anew", v, oldest, version)
	}
	if checksum(b[:60]) != le.Uint32(b[60:]) {
		return h, errors.New("the checksum of the header is wrong")
	}
	h = header{meta: le.Uint32(b[12:]), metaSum: le.Uint32(b[16:]), sums: le.Uint64(b[24:])}
	if h.meta > maxMeta {
		return h, fmt.Errorf("a description of %d bytes", h.meta)
	}
	return h, nil
}
