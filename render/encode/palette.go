package encode

import "slices"

// none is the index of the transparent colour.
const none = 255

// A palette holds up to 255 colours, and a table of the nearest palette colour for other colours, which is filled as it
// is used.
type palette struct {
	colors [256][3]uint8
	n      int
	// firstColor is the colour of the first pixel, usually that of the background. It is the first of colors, and is never
	// dithered.
	firstColor [3]uint8
	near       []uint16   // by 6 bits of each channel: index + 1, possibly with isFar; 0: not computed yet
	counts     []colorBin // colours of the frames that the palette was computed from
	farPixels  int        // how many pixels of the last of these frames are far from all colours
}

// colorBin is a colour with 5 bits per channel, with the number and the sums of the colours that it stands for.
type colorBin struct {
	key [3]uint8
	sum [3]uint64
	n   uint64
}

// newPalette computes a palette for frames.
func newPalette(frames [][]byte) *palette {
	p := &palette{near: make([]uint16, 1<<18), counts: make([]colorBin, 1<<15), firstColor: [3]uint8(frames[0][:3])}
	for _, pix := range frames {
		p.add(pix)
	}
	p.choose()
	return p
}

// add counts the colours of a frame.
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

// choose computes the palette from the colours counted, by Heckbert's median cut (SIGGRAPH 1982).
func (p *palette) choose() {
	var all []colorBin
	for key := range p.counts {
		if p.counts[key].n > 0 {
			p.counts[key].key = [3]uint8{uint8(key >> 10), uint8(key >> 5 & 31), uint8(key & 31)}
			all = append(all, p.counts[key])
		}
	}
	clear(p.near)
	p.colors, p.n, p.farPixels = [256][3]uint8{p.firstColor}, 1, 0
	boxes := [][]colorBin{all}
	if len(all) == 0 {
		boxes = nil
	}
	for len(boxes) > 0 && len(boxes) < 254 {
		best, most, axis := -1, uint64(0), 0
		for i, b := range boxes {
			if a, score := spread(b); len(b) > 1 && score > most {
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

// spread returns the widest axis of a box, and its score. The box with the highest score is cut next.
func spread(b []colorBin) (axis int, score uint64) {
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

// cut divides a box at the median of its pixels along an axis.
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

// bayer is the pattern of the dithering, 0 to 63. Source: Bayer, ICC 1973.
var bayer = [8][8]int{
	{0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26}, {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
	{3, 35, 11, 43, 1, 33, 9, 41}, {51, 19, 59, 27, 49, 17, 57, 25}, {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21},
}

// ditherShift scales the pattern to eight steps of a channel. That is about the distance between neighbouring colours
// in a palette for a shaded surface.
const ditherShift = 3

// isFar marks entries of near whose nearest palette colour looks different: by the measure of the method nearest, it is
// farther away than a colour that differs by farSteps in every channel. That is twice as far as dithering and the cells
// of near move a colour.
const (
	isFar    = 1 << 15
	farSteps = 14
)

// quantize writes the index of every pixel. It returns how many pixels are far from all palette colours, and whether
// there are transparent pixels.
func (p *palette) quantize(index []uint8, pix []byte, width int) (far int, holes bool) {
	for i := range index {
		q := pix[4*i : 4*i+4 : 4*i+4]
		switch {
		case q[3] < 128:
			index[i] = none
			holes = true
			continue
		case [3]uint8(q[:3]) == p.firstColor:
			index[i] = 0
			continue
		}
		d := bayer[i/width&7][i%width&7]>>ditherShift - 4
		r, g, b := bound(int(q[0])+d), bound(int(q[1])+d), bound(int(q[2])+d)
		at := int(r>>2)<<12 | int(g>>2)<<6 | int(b>>2)
		if p.near[at] == 0 {
			p.near[at] = p.nearest(int(r&^3|2), int(g&^3|2), int(b&^3|2))
		}
		found := p.near[at]
		far += int(found / isFar)
		index[i] = uint8(found - 1)
	}
	return far, holes
}

func bound(v int) uint8 { return uint8(min(max(v, 0), 255)) }

// nearest returns the value of near for a colour: the index of the nearest palette colour plus 1, with isFar if it is
// far.
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
