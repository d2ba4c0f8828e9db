package jpeg

import "bytes"

// An mcu (minimum coded unit) holds the blocks that a file stores together. With 4:2:0 these are four blocks of
// brightness (upper left, upper right, lower left, lower right) and one block of each colour component. With 4:4:4 it
// is one block of each component.
type mcu struct {
	y      [4]block
	cb, cr block
	// Bit y of flat[i] is set if all samples in row y of block i of brightness are equal. Bit y of flatColour is set
	// if this is true for row y of cb and of cr.
	flat       [4]uint8
	flatColour uint8
}

// A window holds the pixels of an MCU, in straight-alpha RGBA. Its rows begin stride bytes apart.
type window struct {
	pix    []byte
	stride int
}

// row returns row y, which has side pixels.
func (w *window) row(y, side int) []byte { return w.pix[y*w.stride:][:4*side] }

// Factors of JFIF's colour conversion, times 2^colourBits.
const (
	redY, greenY, blueY = 19595, 38470, 7471
	redCb, greenCb      = -11056, -21712
	greenCr, blueCr     = -27440, -5328
	colourBits          = 16
)

// brightness returns Y - 128.
func brightness(r, g, b int32) int16 {
	return int16((redY*r+greenY*g+blueY*b+1<<(colourBits-1))>>colourBits - 128)
}

// colours returns Cb - 128 and Cr - 128 of the mean colour of 2^shift pixels. r, g and b are the sums of the channels
// of these pixels.
func colours(r, g, b int32, shift uint) (cb, cr int16) {
	half := int32(1)<<(colourBits-1+shift) - 1
	blue := (redCb*r + greenCb*g + b<<(colourBits-1) + half) >> (colourBits + shift)
	red := (r<<(colourBits-1) + greenCr*g + blueCr*b + half) >> (colourBits + shift)
	return int16(blue), int16(red)
}

// blendWhite returns the colour of pixel p blended with white according to its alpha.
func blendWhite(p []byte) (r, g, b int32) {
	_ = p[3]
	r, g, b = int32(p[0]), int32(p[1]), int32(p[2])
	if a := int32(p[3]); a != 255 {
		white := 255*(255-a) + 127
		return (r*a + white) / 255, (g*a + white) / 255, (b*a + white) / 255
	}
	return r, g, b
}

// isUniform reports whether all pixels of a row are equal.
func isUniform(row []byte) bool { return bytes.Equal(row[4:], row[:len(row)-4]) }

// fill444 sets the blocks of m from 8x8 pixels.
func (m *mcu) fill444(w window) {
	m.flat[0] = 0
	for y := range 8 {
		row := w.row(y, 8)
		luma, blue, red := (*[8]int16)(m.y[0][8*y:]), (*[8]int16)(m.cb[8*y:]), (*[8]int16)(m.cr[8*y:])
		if isUniform(row) {
			m.flat[0] |= 1 << y
			r, g, b := blendWhite(row)
			v := brightness(r, g, b)
			cb, cr := colours(r, g, b, 0)
			for x := range 8 {
				luma[x], blue[x], red[x] = v, cb, cr
			}
			continue
		}
		for x := range 8 {
			r, g, b := blendWhite(row[4*x:])
			luma[x] = brightness(r, g, b)
			blue[x], red[x] = colours(r, g, b, 0)
		}
	}
	m.flatColour = m.flat[0]
}

// fill420 sets the blocks of m from 16x16 pixels. It converts two rows at a time, because a sample of colour is the
// mean of 2x2 pixels.
func (m *mcu) fill420(w window) {
	m.flat, m.flatColour = [4]uint8{}, 0
	for y := 0; y < 16; y += 2 {
		upper, lower := w.row(y, 16), w.row(y+1, 16)
		if isUniform(upper) && isUniform(lower) {
			m.flatColour |= 1 << (y / 2)
		}
		for side := range 2 {
			k := y/8*2 + side
			luma, colour := m.y[k][8*(y%8):][:16], 8*(y/2)+4*side
			left, right := upper[32*side:][:32], lower[32*side:][:32]
			flatUpper, flatLower := isUniform(left), isUniform(right)
			if flatUpper && flatLower {
				m.flat[k] |= 3 << (y % 8)
				m.fillFlatPairs(luma, left, right, colour)
				continue
			}
			m.fillPairs(luma, left, right, colour)
		}
	}
}

// fillFlatPairs is like fillPairs, but faster. All pixels of the row `upper` must have the same colour, and so must all
// pixels of the row `lower`.
func (m *mcu) fillFlatPairs(luma []int16, upper, lower []byte, colour int) {
	r, g, b := blendWhite(upper)
	s, h, c := blendWhite(lower)
	up, low := brightness(r, g, b), brightness(s, h, c)
	blue, red := colours(2*(r+s), 2*(g+h), 2*(b+c), 2)
	luma = luma[:16]
	for x := range 8 {
		luma[x], luma[x+8] = up, low
	}
	for x := range 4 {
		m.cb[colour+x], m.cr[colour+x] = blue, red
	}
}

// fillPairs converts four groups of 2x2 pixels. It writes the brightness of the pixel rows `upper` and `lower` to two
// rows of a block, which begin at luma. It writes the mean colours of the groups to m.cb and m.cr, from the index
// `colour` on.
func (m *mcu) fillPairs(luma []int16, upper, lower []byte, colour int) {
	upper, lower, luma = upper[:32], lower[:32], luma[:16]
	cb, cr := m.cb[colour:][:4], m.cr[colour:][:4]
	for x := range 4 {
		r, g, b := blendWhite(upper[8*x:])
		luma[2*x] = brightness(r, g, b)
		rs, gs, bs := r, g, b
		r, g, b = blendWhite(upper[8*x+4:])
		luma[2*x+1] = brightness(r, g, b)
		rs, gs, bs = rs+r, gs+g, bs+b
		r, g, b = blendWhite(lower[8*x:])
		luma[2*x+8] = brightness(r, g, b)
		rs, gs, bs = rs+r, gs+g, bs+b
		r, g, b = blendWhite(lower[8*x+4:])
		luma[2*x+9] = brightness(r, g, b)
		cb[x], cr[x] = colours(rs+r, gs+g, bs+b, 2)
	}
}
