package png

import "encoding/binary"

// source is the caller's picture, in one of two forms.
type source struct {
	pix    []byte   // R, G, B, A of each pixel
	grey   []uint16 // used when pix is nil
	stride int      // distance between the starts of two rows, in elements
	first  int      // row of the picture at the beginning of pix
}

// row returns row y in the form of the file. If the source has rows in this form, the result is part of the source.
// Otherwise it is the start of buf.
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

// packRGB copies the R, G and B of the RGBA pixels in src to dst.
func packRGB(dst, src []byte) {
	// Copy two pixels per step. A step writes 8 bytes, but the two pixels have only 6. The next step, or the loop
	// below, overwrites the other two bytes.
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

// packGreyAlpha copies two channels of the RGBA pixels in src to dst: B, which is the grey value, and A.
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

// packGrey copies the channel R of the RGBA pixels in src to dst. R is the grey value.
func packGrey(dst, src []byte) {
	for i := range dst {
		dst[i] = src[4*i]
	}
}

// packGrey16 stores the samples in big-endian order.
func packGrey16(dst []byte, src []uint16) {
	for i, v := range src {
		binary.BigEndian.PutUint16(dst[2*i:], v)
	}
}

// traits are properties that all pixels of a picture may have.
type traits struct{ opaque, grey bool }

func (t traits) and(u traits) traits { return traits{t.opaque && u.opaque, t.grey && u.grey} }

// traits returns which of the traits `wanted` all pixels of rows y0 to y1-1 have. It returns early if no trait is left.
func (s *source) traits(width, y0, y1 int, wanted traits) traits {
	for y := y0; y < y1 && wanted != (traits{}); y++ {
		wanted = wanted.and(rowTraits(s.pix[y*s.stride:][:4*width]))
	}
	return wanted
}

// rowTraits returns the traits of a row of pixels.
//
// A pixel x is grey if x ^ x>>8 has zeros in its two low bytes, because these are R^G and G^B.
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
