package stl

import (
	"bytes"
	"encoding/binary"

	"lockstep/scenes"
)

// colorScheme tells how the 16 attribute bits of a binary STL record encode a colour. They may also have no meaning, or
// a private meaning of some program. There are two conventions, in which bit 15 has opposite meanings:
//
//   - Magics: the header has "COLOR=" and the bytes R, G, B, A, the colour of the object. If bit 15 is clear, the
//     triangle has its own colour: bits 0-4 red, 5-9 green, 10-14 blue. If it is set, the triangle has the colour of
//     the object. MeshLab inverts bit 15; its header identifies such files.
//   - VisCAM: the header has no "COLOR=". If bit 15 is set, the triangle has its own colour: bits 0-4 blue, 5-9 green,
//     10-14 red. If it is clear, the triangle has none.
type colorScheme struct {
	kind colorKind
	base uint32 // colour of triangles that do not have their own colour
}

type colorKind uint8

const (
	colorNone colorKind = iota
	colorUniform
	colorMagics
	colorMeshLab // like Magics, but with bit 15 inverted
	colorVisCAM
)

// A colorTally summarises the attribute bits of all triangles of a file.
type colorTally struct {
	marked    bool   // some attributes have bit 15 set
	markedAnd uint16 // bits that all attributes with bit 15 have
	markedOr  uint16 // bits that any attribute with bit 15 has
	plain     bool   // some attributes are not zero but have bit 15 clear
	zero      bool   // some attributes are zero; meaningless if the others differ from each other, see hasZeroAttribute
}

func (c *colorTally) join(o colorTally) {
	c.plain, c.zero = c.plain || o.plain, c.zero || o.zero
	switch {
	case !o.marked:
	case !c.marked:
		c.marked, c.markedAnd, c.markedOr = true, o.markedAnd, o.markedOr
	default:
		c.markedAnd &= o.markedAnd
		c.markedOr |= o.markedOr
	}
}

// chooseColors decides from the attributes of the whole file which convention the file follows.
//
// With "COLOR=" in the header,
//
//   - it is the convention of MeshLab if the header is MeshLab's and every attribute other than 0 has bit 15 set;
//   - it is the convention of Magics if some attribute other than 0 has bit 15 clear;
//   - otherwise attributes are not colours, and all triangles have the colour in the header.
//
// Without "COLOR=", it is the convention of VisCAM if every attribute other than 0 has bit 15 set. But attributes are
// not colours if
//
//   - all attributes other than 0 are 0xFFFF, or all are 0x8000, which programs write for "unset";
//   - all facets have the same attribute, as some exporters write, and the header has no "MATERIAL=".
func chooseColors(comment []byte, c colorTally) colorScheme {
	if base, ok := magicsBase(comment); ok {
		if c.marked && !c.plain && bytes.HasPrefix(comment, meshLabHeader) {
			return colorScheme{colorMeshLab, base}
		}
		if c.plain {
			return colorScheme{colorMagics, base}
		}
		return colorScheme{colorUniform, base}
	}
	constant := c.markedAnd == c.markedOr && !c.zero && !bytes.Contains(comment, []byte("MATERIAL="))
	if c.marked && !c.plain && !constant && c.markedAnd != 0xFFFF && c.markedOr != 0x8000 {
		return colorScheme{colorVisCAM, scenes.DefaultColor}
	}
	return colorScheme{}
}

// meshLabHeader is the start of the files into which MeshLab writes colours of triangles. Its library VCG writes a grey
// as the colour of the object, and sets bit 15 of every colour (wrap/io_trimesh/export_stl.h).
var meshLabHeader = []byte("COLOR=\x7f\x7f\x7f\x20MATERIAL=\x7f\x7f\x7f\x20")

// magicsBase returns the colour after "COLOR=" in the header. ok is false if the header has no such colour.
func magicsBase(comment []byte) (rgb uint32, ok bool) {
	_, after, found := bytes.Cut(comment, []byte("COLOR="))
	if !found || len(after) < 4 {
		return 0, false
	}
	return uint32(after[0])<<16 | uint32(after[1])<<8 | uint32(after[2]), true
}

// color returns the colour of a triangle with the attribute bits a.
func (s colorScheme) color(a uint16) uint32 {
	own := a&0x8000 != 0
	lo, mid, hi := eightBits(a), eightBits(a>>5), eightBits(a>>10)
	switch {
	case s.kind == colorMagics && !own, s.kind == colorMeshLab && own:
		return lo<<16 | mid<<8 | hi
	case s.kind == colorVisCAM && own:
		return hi<<16 | mid<<8 | lo
	}
	return s.base
}

// eightBits scales the low five bits of v to the range 0 to 255, with rounding.
func eightBits(v uint16) uint32 { return (uint32(v&31)*255 + 15) / 31 }

// decodeColors writes the colours of the records in raw to dst.
func (s colorScheme) decodeColors(dst []uint32, raw []byte) {
	for t := range len(raw) / recordSize {
		dst[t] = s.color(binary.LittleEndian.Uint16(raw[t*recordSize+attributeAt:]))
	}
}
