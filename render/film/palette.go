package film

import "slices"

// none is the transparent index.
const none = 255

// A palette is up to 255 colours, and a table from colours to the nearest of them that
// fills while it is used.
type palette struct {
	colors [256][3]uint8
	n      int
	// exact is the colour of the first pixel, mostly that of the background, which is the
	// first of colors and never dithered.
	exact [3]uint8
	near  []uint16 // by 6 bits of each channel: index + 1, or 0
}

// counted is a colour in 5 bits a channel, with the sums of those in it.
type counted struct {
	key [3]uint8
	sum [3]uint64
	n   uint64
}

// newPalette finds colours for frames, by Heckbert's median cut (SIGGRAPH 1982).
func newPalette(frames [][]byte) *palette {
	hist := make([]counted, 1<<15)
	for _, pix := range frames {
		for i := 0; i+4 <= len(pix); i += 4 {
			if pix[i+3] < 128 {
				continue
			}
			c := &hist[int(pix[i]>>3)<<10|int(pix[i+1]>>3)<<5|int(pix[i+2]>>3)]
			c.n++
			for k := range 3 {
				c.sum[k] += uint64(pix[i+k])
			}
		}
	}
	var all []counted
	for key := range hist {
		if hist[key].n > 0 {
			hist[key].key = [3]uint8{uint8(key >> 10), uint8(key >> 5 & 31), uint8(key & 31)}
			all = append(all, hist[key])
		}
	}
	p := &palette{near: make([]uint16, 1<<18), n: 1}
	p.exact = [3]uint8(frames[0][:3])
	p.colors[0] = p.exact
	boxes := [][]counted{all}
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
		var sum [3]uint64
		n := uint64(0)
		for i := range b {
			n += b[i].n
			for k := range 3 {
				sum[k] += b[i].sum[k]
			}
		}
		for k := range 3 {
			p.colors[p.n][k] = uint8((sum[k] + n/2) / n)
		}
		p.n++
	}
	return p
}

// spread returns the widest axis of a box, and how much its pixels would gain by a cut.
func spread(b []counted) (axis int, score uint64) {
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

// cut parts a box at the median of its pixels along an axis.
func cut(b []counted, axis int) (lo, hi []counted) {
	slices.SortStableFunc(b, func(x, y counted) int { return int(x.key[axis]) - int(y.key[axis]) })
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

// bayer is the pattern of dithering, 0 to 63. Source: Bayer, ICC 1973.
var bayer = [8][8]int{
	{0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26}, {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
	{3, 35, 11, 43, 1, 33, 9, 41}, {51, 19, 59, 27, 49, 17, 57, 25}, {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21},
}

// ditherShift scales the pattern to eight steps of a channel, about the distance of
// neighbouring colours in a palette for a shaded surface.
const ditherShift = 3

// quantize writes the index of every pixel.
func (p *palette) quantize(index []uint8, pix []byte, width int) {
	for i := range index {
		q := pix[4*i : 4*i+4 : 4*i+4]
		switch {
		case q[3] < 128:
			index[i] = none
			continue
		case [3]uint8(q[:3]) == p.exact:
			index[i] = 0
			continue
		}
		d := bayer[i/width&7][i%width&7]>>ditherShift - 4
		r, g, b := bound(int(q[0])+d), bound(int(q[1])+d), bound(int(q[2])+d)
		at := int(r>>2)<<12 | int(g>>2)<<6 | int(b>>2)
		if p.near[at] == 0 {
			p.near[at] = uint16(p.nearest(int(r&^3|2), int(g&^3|2), int(b&^3|2))) + 1
		}
		index[i] = uint8(p.near[at] - 1)
	}
}

func bound(v int) uint8 { return uint8(min(max(v, 0), 255)) }

func (p *palette) nearest(r, g, b int) (index int) {
	least := 1 << 30
	for i, c := range p.colors[:p.n] {
		dr, dg, db := r-int(c[0]), g-int(c[1]), b-int(c[2])
		if d := 2*dr*dr + 4*dg*dg + db*db; d < least {
			index, least = i, d
		}
	}
	return index
}
