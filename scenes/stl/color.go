package stl

import (
	"bytes"
	"encoding/binary"

	"lockstep/scenes"
)

// The 16 attribute bits of a binary STL record hold a colour by one of two
// conventions with opposite meanings of bit 15, or nothing, or the private
// data of some program.
//
//	Magics: the header holds "COLOR=" and R, G, B, A bytes, the colour of the
//	        object. Bit 15 clear: the triangle's own colour, bits 0-4 red,
//	        5-9 green, 10-14 blue. Bit 15 set: the colour of the object.
//	        Files of MeshLab have colours of triangles with bit 15 set, below a
//	        header that tells them apart.
//	VisCAM: no "COLOR=". Bit 15 set: the triangle's own colour, bits 0-4 blue,
//	        5-9 green, 10-14 red. Bit 15 clear: none.
type colorScheme struct {
	kind colorKind
	base uint32 // colour of triangles without their own
}

type colorKind uint8

const (
	colorNone colorKind = iota
	colorUniform
	colorMagics
	colorMeshLab // of Magics, but for bit 15
	colorVisCAM
)

// colorTally summarises the attributes of a file that are not zero.
type colorTally struct {
	marked    bool   // some have bit 15 set
	markedAnd uint16 // bits that all of those share
	markedOr  uint16 // bits that some of those have
	plain     bool   // some are not zero with bit 15 clear
	zero      bool   // some are zero; not looked for where the others differ
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

// chooseColors decides by the evidence of the whole file which convention its
// attributes follow.
//
// With "COLOR=" in the header they are Magics colours if any triangle has a
// colour that is not black; a file of zeros was written by a program that
// knows only the header, whose colour then is the colour of all.
//
// Without it they are VisCAM colours if every attribute that is not zero has
// bit 15 set. Otherwise, and when all of those are 0xFFFF or all 0x8000, which
// programs use for "unset", they are not colours. Nor is one attribute that all
// facets have, which is rubbish of an exporter, unless the header speaks of
// materials.
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

// meshLabHeader begins files that MeshLab writes with colours of triangles: its VCG library
// writes a grey for the object, and sets bit 15 with every colour (wrap/io_trimesh/export_stl.h).
var meshLabHeader = []byte("COLOR=\x7f\x7f\x7f\x20MATERIAL=\x7f\x7f\x7f\x20")

// magicsBase returns the colour after "COLOR=" in the header.
func magicsBase(comment []byte) (rgb uint32, ok bool) {
	_, after, found := bytes.Cut(comment, []byte("COLOR="))
	if !found || len(after) < 4 {
		return 0, false
	}
	return uint32(after[0])<<16 | uint32(after[1])<<8 | uint32(after[2]), true
}

// color returns the colour of a triangle with attributes a.
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

// eightBits spreads the low five bits of v over 0..255, rounding to nearest.
func eightBits(v uint16) uint32 { return (uint32(v&31)*255 + 15) / 31 }

// decodeColors writes the colours of the records in raw to dst.
func (s colorScheme) decodeColors(dst []uint32, raw []byte) {
	for t := range len(raw) / recordSize {
		dst[t] = s.color(binary.LittleEndian.Uint16(raw[t*recordSize+attributeAt:]))
	}
}
