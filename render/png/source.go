package png

import "encoding/binary"

// source is the caller's picture, in one of two forms.
type source struct {
	pix    []byte   // R, G, B, A
	grey   []uint16 // used when pix is nil
	stride int      // elements between the starts of two rows
	first  int      // number of the row with which pix begins
}

// row returns row y as the file stores it: in buf, or as a part of the source if the source has the same form.
func (s *source) row(f *format, y int, buf []byte) []byte {
	at := (y - s.first) * s.stride
	if s.pix == nil {
		buf = buf[:f.rowBytes]
		packGrey16(buf, s.grey[at:at+f.width])
		return buf
	}
	row := s.pix[at : at+4*f.width]
	if f.colour == colourRGBA {
		return row
	}
	buf = buf[:f.rowBytes]
	switch f.colour {
	case colourRGB:
		packRGB(buf, row)
	case colourGreyAlpha:
		packGreyAlpha(buf, row)
	default:
		packGrey(buf, row)
	}
	return buf
}

// packRGB copies src without every fourth byte.
func packRGB(dst, src []byte) {
	// Two pixels per step. The store writes two bytes too many; these must exist, and are overwritten by the next step
	// or by the loop below.
	for len(src) >= 12 && len(dst) >= 8 {
		x := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(dst, x&0xFFFFFF|x>>8&0xFFFFFF000000)
		src, dst = src[8:], dst[6:]
	}
	for len(src) >= 4 && len(dst) >= 3 {
		dst[0], dst[1], dst[2] = src[0], src[1], src[2]
		src, dst = src[4:], dst[3:]
	}
}

// packGreyAlpha copies the third and fourth of every four bytes of src.
func packGreyAlpha(dst, src []byte) {
	for len(src) >= 8 && len(dst) >= 4 {
		x := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint32(dst, uint32(x)>>16|uint32(x>>48)<<16)
		src, dst = src[8:], dst[4:]
	}
	if len(src) >= 4 {
		dst[0], dst[1] = src[2], src[3]
	}
}

// packGrey copies the first of every four bytes of src.
func packGrey(dst, src []byte) {
	for i := range dst {
		dst[i] = src[4*i]
	}
}

// packGrey16 stores the samples with their high byte first.
func packGrey16(dst []byte, src []uint16) {
	for i, v := range src {
		binary.BigEndian.PutUint16(dst[2*i:], v)
	}
}

// traits are properties that all pixels may have in common.
type traits struct{ opaque, grey bool }

func (t traits) and(u traits) traits { return traits{t.opaque && u.opaque, t.grey && u.grey} }

// traits returns which of the wanted traits rows y0 to y1-1 have. It stops when none is left.
func (s *source) traits(width, y0, y1 int, wanted traits) traits {
	for y := y0; y < y1 && wanted != (traits{}); y++ {
		wanted = wanted.and(rowTraits(s.pix[y*s.stride:][:4*width]))
	}
	return wanted
}

// rowTraits examines one row of pixels.
//
// The exclusive or of a pixel with itself shifted by a byte leaves R^G and G^B in the two low bytes; they are zero for
// grey.
func rowTraits(row []byte) traits {
	const alphas, colours = 0xFF000000FF000000, 0x0000FFFF0000FFFF
	all, mixed := uint64(alphas), uint64(0)
	for len(row) >= 16 {
		x, y := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:16])
		all &= x & y
		mixed |= (x ^ x>>8) | (y ^ y>>8)
		row = row[16:]
	}
	for ; len(row) >= 4; row = row[4:] {
		x := uint64(binary.LittleEndian.Uint32(row))
		all &= x | x<<32
		mixed |= x ^ x>>8
	}
	return traits{opaque: all == alphas, grey: mixed&colours == 0}
}
