package encode

import "slices"

// transparentIndex is the index that means transparent.
const transparentIndex = 255

// A palette holds up to 255 colours. The field cached is a table of the nearest palette colour for every colour. An
// entry of this table is computed when it is first used.
type palette struct {
	colors [256][3]uint8
	n      int
	// firstColor is the colour of the first pixel of the first frame, usually the background. It is the first element
	// of colors, and is never dithered.
	firstColor [3]uint8
	cached     []uint16   // results of nearest for the upper 6 bits of each channel; 0 means not computed yet
	counts     []colorBin // colours of the frames from which the palette was computed
	farPixels  int        // number of pixels in the last of these frames that are far from all palette colours
}

// A colorBin counts the pixels whose colours have the same upper 5 bits in each channel. key holds these bits, and sum
// is the sum of the colours.
type colorBin struct {
	key [3]uint8
	sum [3]uint64
	n   uint64
}

// newPalette computes a palette for frames.
func newPalette(frames [][]byte) *palette {
	p := &palette{cached: make([]uint16, 1<<18), counts: make([]colorBin, 1<<15), firstColor: [3]uint8(frames[0][:3])}
	for _, pix := range frames {
		p.add(pix)
	}
	p.chooseColors()
	return p
}

// add counts the colours of a frame, except transparent pixels.
func (p *palette) add(pix []byte) {
	for i := 0; i+4 <= len(pix); i += 4 {
		if pix[i+3] < 128 {
			continue
		}
		c := &p.counts[int(pix[i]>>3)<<10|int(pix[i+1]>>3)<<5|int(pix[i+2]>>3)]
		c.n++
		for k := range 3 {
			c.sum[k] += uint64(pix[i+k])
		}
	}
}

// chooseColors computes the palette from the counted colours, by Heckbert's median cut (SIGGRAPH 1982).
func (p *palette) chooseColors() {
	var all []colorBin
	for key := range p.counts {
		if p.counts[key].n > 0 {
			p.counts[key].key = [3]uint8{uint8(key >> 10), uint8(key >> 5 & 31), uint8(key & 31)}
			all = append(all, p.counts[key])
		}
	}
	clear(p.cached)
	p.colors, p.n, p.farPixels = [256][3]uint8{p.firstColor}, 1, 0
	boxes := [][]colorBin{all}
	if len(all) == 0 {
		boxes = nil
	}
	for len(boxes) > 0 && len(boxes) < 254 {
		best, most, axis := -1, uint64(0), 0
		for i, b := range boxes {
			if a, score := widestChannel(b); len(b) > 1 && score > most {
				best, most, axis = i, score, a
			}
		}
		if best < 0 {
			break
		}
		lo, hi := cut(boxes[best], axis)
		boxes[best] = lo
		boxes = append(boxes, hi)
	}
	for _, b := range boxes {
		p.colors[p.n] = mean(b)
		p.n++
	}
}

// table returns the colours in the form of the file.
func (p *palette) table() (b []byte) {
	for _, c := range p.colors {
		b = append(b, c[:]...)
	}
	return b
}

// mean returns the mean colour of a box.
func mean(b []colorBin) (color [3]uint8) {
	var sum [3]uint64
	n := uint64(0)
	for i := range b {
		n += b[i].n
		for k := range 3 {
			sum[k] += b[i].sum[k]
		}
	}
	for k := range 3 {
		color[k] = uint8((sum[k] + n/2) / n)
	}
	return color
}

// widestChannel returns the channel in which the colours of a box differ most, and the box's score. Of all boxes, the
// one with the highest score is divided next.
func widestChannel(b []colorBin) (axis int, score uint64) {
	lo, hi, n := [3]uint8{31, 31, 31}, [3]uint8{}, uint64(0)
	for i := range b {
		n += b[i].n
		for k, v := range b[i].key {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	for k := range 3 {
		if hi[k]-lo[k] > hi[axis]-lo[axis] {
			axis = k
		}
	}
	width := uint64(hi[axis] - lo[axis])
	return axis, width * width * n
}

// cut divides a box in two at the median of its pixels. The pixels are ordered by the channel with number `axis`.
func cut(b []colorBin, axis int) (lo, hi []colorBin) {
	slices.SortStableFunc(b, func(x, y colorBin) int { return int(x.key[axis]) - int(y.key[axis]) })
	half, n := uint64(0), uint64(0)
	for i := range b {
		half += b[i].n
	}
	at := 0
	for at < len(b)-1 && n < half/2 {
		n += b[at].n
		at++
	}
	at = min(max(at, 1), len(b)-1)
	return b[:at], b[at:]
}

// bayer is the pattern of the dithering, with values from 0 to 63. Source: Bayer, ICC 1973.
var bayer = [8][8]int{
	{0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26}, {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
	{3, 35, 11, 43, 1, 33, 9, 41}, {51, 19, 59, 27, 49, 17, 57, 25}, {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21},
}

// ditherShift scales the pattern to eight steps of a channel. This is about the distance between neighbouring palette
// colours of a shaded surface.
const ditherShift = 3

// isFar is a bit that marks the entries of palette.cached whose colour looks different from the nearest palette colour.
// Two colours look different if they are farther apart than colours that differ by farSteps in every channel. Dithering
// and the rounding to 6 bits change a colour by at most half of this distance.
const (
	isFar    = 1 << 15
	farSteps = 14
)

// quantize writes the index of every pixel. It returns how many pixels are far from all palette colours, and whether
// any pixels are transparent.
func (p *palette) quantize(index []uint8, pix []byte, width int) (far int, holes bool) {
	for i := range index {
		q := pix[4*i : 4*i+4 : 4*i+4]
		switch {
		case q[3] < 128:
			index[i] = transparentIndex
			holes = true
			continue
		case [3]uint8(q[:3]) == p.firstColor:
			index[i] = 0
			continue
		}
		d := bayer[i/width&7][i%width&7]>>ditherShift - 4
		r, g, b := clampByte(int(q[0])+d), clampByte(int(q[1])+d), clampByte(int(q[2])+d)
		at := int(r>>2)<<12 | int(g>>2)<<6 | int(b>>2)
		if p.cached[at] == 0 {
			p.cached[at] = p.nearest(int(r&^3|2), int(g&^3|2), int(b&^3|2))
		}
		found := p.cached[at]
		far += int(found / isFar)
		index[i] = uint8(found - 1)
	}
	return far, holes
}

func clampByte(v int) uint8 { return uint8(min(max(v, 0), 255)) }

// nearest returns the value of p.cached for a colour. The value is the index of the nearest palette colour plus 1.
// The bit isFar is set if the nearest palette colour is far from the given colour.
func (p *palette) nearest(r, g, b int) uint16 {
	least, index := 1<<30, 0
	for i, c := range p.colors[:p.n] {
		dr, dg, db := r-int(c[0]), g-int(c[1]), b-int(c[2])
		if d := 2*dr*dr + 4*dg*dg + db*db; d < least {
			index, least = i, d
		}
	}
	if least > (2+4+1)*farSteps*farSteps {
		return uint16(index+1) | isFar
	}
	return uint16(index + 1)
}
