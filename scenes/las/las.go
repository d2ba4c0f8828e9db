package las

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	ours "lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
)

// Format reads LAS.
var Format format.Format = fileFormat{}

type fileFormat struct{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"las"} }

// signature is the start of every file.
const signature = "LASF"

// Detect recognises the signature.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, []byte(signature)) {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs 24 bytes per point while it reads, and 300 bytes per point afterwards.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	h, problem := parseHeader(in.Prefix)
	if problem != "" {
		return nil, nil, in.Damage("header", "%s", problem)
	}
	r := newReader(in, h)
	if err := r.readPoints(in); err != nil {
		return nil, nil, err
	}
	if r.row < h.count {
		if err := r.mesh.Warn.Add("its points", "the file ends within point %d of %d", r.row, h.count); err != nil {
			return nil, nil, err
		}
	}
	return r.mesh.Finish(scenes.PlusZ, fmt.Sprintf("las-1.%d", h.minor))
}

// A header holds the part of the header of a file that describes the points.
type header struct {
	minor  uint8
	offset int // offset of the first point
	kind   uint8
	size   int // bytes per point
	count  uint64
	scale  [3]float64
	origin [3]float64
}

// Offsets in bytes of the fields in a header, and the least length in bytes of a header.
const (
	atMinor, atOffset, atKind, atSize, atCount, atScale, atOrigin, atLongCount = 25, 96, 104, 105, 107, 131, 155, 247
	leastHeader                                                                = 227
)

// maxOffset is the greatest accepted offset of the first point in bytes. Other records may precede the points, for
// example reference systems.
const maxOffset = 1 << 30

// maxPointSize is the greatest accepted size of a point in bytes. A point may have more bytes than its format needs.
const maxPointSize = 4096

// parseHeader parses the header at the start of a file. problem describes what is wrong with the header, or is empty.
func parseHeader(b []byte) (h header, problem string) {
	if len(b) < leastHeader {
		return h, "the file ends within its header"
	}
	u32 := binary.LittleEndian.Uint32
	h.minor, h.kind, h.size = b[atMinor], b[atKind], int(binary.LittleEndian.Uint16(b[atSize:]))
	h.offset, h.count = int(u32(b[atOffset:])), uint64(u32(b[atCount:]))
	if major := b[atMinor-1]; major != 1 {
		return h, fmt.Sprintf("version %d.%d of LAS: expected 1.0 to 1.4", major, h.minor)
	}
	if h.kind >= 64 {
		return h, "its points are compressed (LAZ), which is not read: las2las or laszip write LAS"
	}
	if int(h.kind) >= len(layouts) || h.size < layouts[h.kind].size || h.size > maxPointSize {
		return h, fmt.Sprintf("points of the format %d and %d bytes", h.kind, h.size)
	}
	if h.offset < leastHeader || h.offset > maxOffset {
		return h, fmt.Sprintf("points that begin at byte %d", h.offset)
	}
	if h.minor >= 4 && len(b) >= atLongCount+8 {
		if long := binary.LittleEndian.Uint64(b[atLongCount:]); long > 0 {
			h.count = long
		}
	}
	for axis := range 3 {
		h.scale[axis] = math.Float64frombits(binary.LittleEndian.Uint64(b[atScale+8*axis:]))
		h.origin[axis] = math.Float64frombits(binary.LittleEndian.Uint64(b[atOrigin+8*axis:]))
		if s, o := h.scale[axis], h.origin[axis]; s-s != 0 || s == 0 || o-o != 0 {
			return h, fmt.Sprintf("a scale of %g and an origin of %g", s, o)
		}
	}
	return h, ""
}

// A layout tells where the data is in a point of one format.
type layout struct {
	size             int // size of a point in bytes
	class, color     int // offsets in bytes within a point; color is 0 if points have no colour
	classes, returns uint8
}

// Masks of the bits with the class and with the return number. Formats 6 to 10 have more bits for both.
const (
	fewClasses, fewReturns = 31, 7
	allClasses, allReturns = 255, 15
)

// layouts holds the layouts of the formats 0 to 10.
var layouts = [...]layout{
	{20, 15, 0, fewClasses, fewReturns}, {28, 15, 0, fewClasses, fewReturns}, {26, 15, 20, fewClasses, fewReturns},
	{34, 15, 28, fewClasses, fewReturns}, {57, 15, 0, fewClasses, fewReturns}, {63, 15, 28, fewClasses, fewReturns},
	{30, 16, 0, allClasses, allReturns}, {36, 16, 30, allClasses, allReturns}, {38, 16, 30, allClasses, allReturns},
	{59, 16, 0, allClasses, allReturns}, {67, 16, 30, allClasses, allReturns},
}

// Offsets in bytes within a point, the same in all formats.
const atIntensity, atReturn = 12, 14

// A reader builds the mesh from points.
type reader struct {
	header
	layout
	mesh  *indexed.Mesh
	row   uint64
	shift int // number of bits by which colours are shifted right to get 8 bits; -1: not known yet
}

func newReader(in *format.Input, h header) *reader {
	r := &reader{header: h, layout: layouts[h.kind], mesh: indexed.New(in)}
	r.mesh.Cloud = true
	r.mesh.PointFields("intensity", "classification", "return")
	r.shift = r.colorShift(in.Prefix)
	return r
}

// colorShift returns by how many bits colours are shifted right to get 8 bits. Colours have 16 bits, or 8 bits that
// are stored in 16. colorShift decides this by the points in the prefix.
func (r *reader) colorShift(prefix []byte) int {
	most := uint16(0)
	for at := r.offset; r.color > 0 && at+r.header.size <= len(prefix); at += r.header.size {
		most = max(most, r.brightest(prefix[at:]))
	}
	return shiftOf(most)
}

// brightest returns the largest component of the colour of a point.
func (r *reader) brightest(w []byte) (most uint16) {
	for c := range 3 {
		most = max(most, binary.LittleEndian.Uint16(w[r.color+2*c:]))
	}
	return most
}

// shiftOf returns by how many bits colours are shifted right if `most` is their largest component. It returns -1 if
// `most` is 0, because black does not show how many bits colours have.
func shiftOf(most uint16) int {
	switch {
	case most == 0:
		return -1
	case most < 256:
		return 0
	}
	return 8
}

// skipBytes is how many of the bytes before the first point are skipped at a time.
const skipBytes = 4096

// readPoints reads all points.
func (r *reader) readPoints(in *format.Input) error {
	b := ours.NewReader(in, 0, false)
	for left := r.offset; left > 0; {
		n := min(left, skipBytes)
		w, err := b.Window(n)
		if err != nil || len(w) < n {
			return err
		}
		b.Skip(n)
		left -= n
	}
	for ; r.row < r.count; r.row++ {
		w, err := b.Window(r.header.size)
		if err != nil {
			return err
		}
		if len(w) < r.header.size {
			return nil
		}
		if err := r.addPoint(w); err != nil {
			return err
		}
		b.Skip(r.header.size)
	}
	return nil
}

// addPoint adds the point in w.
func (r *reader) addPoint(w []byte) error {
	var p [3]float64
	for axis := range p {
		p[axis] = float64(float64(int32(binary.LittleEndian.Uint32(w[4*axis:])))*r.scale[axis]) + r.origin[axis]
	}
	if err := r.mesh.AddPoint(p); err != nil {
		return err
	}
	fields := [3]float32{float32(binary.LittleEndian.Uint16(w[atIntensity:])), float32(w[r.class] & r.classes), float32(w[atReturn] & r.returns)}
	for i, v := range fields {
		if err := r.mesh.PointField(i, v); err != nil {
			return err
		}
	}
	if r.shift < 0 && r.color > 0 { // all points so far were black, which happens at the start of some scans
		r.shift = shiftOf(r.brightest(w))
	}
	if r.shift < 0 {
		return nil
	}
	rgb := uint32(0)
	for c := range 3 {
		rgb = rgb<<8 | uint32(min(binary.LittleEndian.Uint16(w[r.color+2*c:])>>r.shift, 255))
	}
	return r.mesh.ColorPoint(rgb)
}
