package ktx

import (
	"fmt"
	"image"
)

// A mode describes the layout of a UASTC block.
type mode struct {
	code, length int // code at the start of the block, and its number of bits
	hints        int // number of bits to skip: hints for conversion to other formats
	channels     int // 2 means luminance and alpha, 3 means colour, 4 means colour and alpha
	values       valueFormat
	weight       int // number of bits of each weight
	parts        int
	patterns     []uint16 // seeds of the patterns of subsets, see partition; nil: one subset
	patternBits  int
	planes       int // number of planes of weights; a second one is for alpha or a channel that the block names
}

// solidMode is the mode of blocks with a single colour.
const solidMode = 8

// Seeds of the patterns that ASTC has in common with BC7. Patterns from patterns2 have two subsets, and patterns from
// patterns3 have three. Patterns from patterns7 have two subsets in ASTC, but they come from patterns with three
// subsets in BC7.
var (
	patterns2 = []uint16{28, 20, 16, 29, 91, 9, 107, 72, 149, 204, 50, 114, 496, 17, 78, 39, 252, 828, 43, 156, 116, 210, 476, 273, 684, 359, 246, 195, 694, 524}
	patterns7 = []uint16{36, 48, 61, 137, 161, 183, 226, 281, 302, 307, 479, 495, 593, 594, 605, 799, 812, 988, 993}
	patterns3 = []uint16{260, 74, 32, 156, 183, 15, 745, 0, 335, 902, 254}
)

var modes = [...]mode{
	{code: 0x01, length: 4, hints: 15, channels: 3, values: valueFormat{6, 3}, weight: 4},
	{code: 0x35, length: 6, hints: 15, channels: 3, values: valueFormat{8, 0}, weight: 2},
	{code: 0x1d, length: 5, hints: 15, channels: 3, values: valueFormat{4, 0}, weight: 3, parts: 2, patterns: patterns2, patternBits: 5},
	{code: 0x03, length: 5, hints: 15, channels: 3, values: valueFormat{2, 3}, weight: 2, parts: 3, patterns: patterns3, patternBits: 4},
	{code: 0x13, length: 5, hints: 15, channels: 3, values: valueFormat{3, 5}, weight: 2, parts: 2, patterns: patterns2, patternBits: 5},
	{code: 0x0b, length: 5, hints: 15, channels: 3, values: valueFormat{8, 0}, weight: 3},
	{code: 0x1b, length: 5, hints: 15, channels: 3, values: valueFormat{5, 5}, weight: 2, planes: 2},
	{code: 0x07, length: 5, hints: 15, channels: 3, values: valueFormat{3, 5}, weight: 2, parts: 2, patterns: patterns7, patternBits: 5},
	solidMode: {code: 0x17, length: 5},
	{code: 0x0f, length: 5, hints: 23, channels: 4, values: valueFormat{4, 0}, weight: 2, parts: 2, patterns: patterns2, patternBits: 5},
	{code: 0x02, length: 3, hints: 17, channels: 4, values: valueFormat{4, 3}, weight: 4},
	{code: 0x00, length: 2, hints: 17, channels: 4, values: valueFormat{4, 3}, weight: 2, planes: 2},
	{code: 0x06, length: 3, hints: 17, channels: 4, values: valueFormat{6, 3}, weight: 3},
	{code: 0x1f, length: 5, hints: 23, channels: 4, values: valueFormat{8, 0}, weight: 1, planes: 2},
	{code: 0x0d, length: 5, hints: 23, channels: 4, values: valueFormat{8, 0}, weight: 2},
	{code: 0x05, length: 7, hints: 23, channels: 2, values: valueFormat{8, 0}, weight: 4},
	{code: 0x15, length: 6, hints: 23, channels: 2, values: valueFormat{8, 0}, weight: 2, parts: 2, patterns: patterns2, patternBits: 5},
	{code: 0x25, length: 6, hints: 23, channels: 2, values: valueFormat{8, 0}, weight: 2, planes: 2},
	{code: 0x09, length: 4, hints: 15, channels: 3, values: valueFormat{5, 0}, weight: 5},
}

// alphaChannel is the number of the alpha channel.
const alphaChannel = 3

// A uastc decodes blocks of UASTC.
type uastc struct {
	modeOf  [128]int8 // mode for each value of the first seven bits; -1: none
	values  [len(modes)][]uint8
	weights [6][32]int        // weights from 0 to 64, by number of bits and stored value
	parts   map[int][16]uint8 // patterns by seed and number of subsets
}

func newUASTC() *uastc {
	u := &uastc{parts: make(map[int][16]uint8)}
	for i := range u.modeOf {
		u.modeOf[i] = -1
		for k, m := range modes {
			if i&(1<<m.length-1) == m.code {
				u.modeOf[i] = int8(k)
			}
		}
	}
	for k, m := range modes {
		if k != solidMode {
			u.values[k] = m.values.table()
		}
	}
	for n := 1; n < len(u.weights); n++ {
		for v := range 1 << n {
			u.weights[n][v] = spread(v, n)
		}
	}
	return u
}

// pattern returns the subset to which each texel belongs, for a seed and a number of subsets.
func (u *uastc) pattern(seed, parts int) [16]uint8 {
	key := 4*seed + parts
	p, ok := u.parts[key]
	if !ok {
		p = partition(seed, parts)
		u.parts[key] = p
	}
	return p
}

// decodeBlock decodes a block into 16 texels.
func (u *uastc) decodeBlock(data []byte, to *[16][4]uint8) error {
	b := &bits{data: data}
	k := u.modeOf[data[0]&127]
	if k < 0 {
		return fmt.Errorf("a block of an unknown mode")
	}
	m := &modes[k]
	b.take(m.length)
	if k == solidMode {
		var c [4]uint8
		for i := range c {
			c[i] = uint8(b.take(8))
		}
		for i := range to {
			to[i] = c
		}
		return nil
	}
	b.take(m.hints)
	parts := max(m.parts, 1)
	var of [16]uint8
	if parts > 1 {
		p := int(b.take(m.patternBits))
		if p >= len(m.patterns) {
			return fmt.Errorf("a block of an unknown pattern")
		}
		of = u.pattern(int(m.patterns[p]), parts)
	}
	second := alphaChannel // channel of the second plane of weights
	if m.planes == 2 && m.channels > 2 {
		second = int(b.take(2))
	}
	var room [18]int
	values := room[:2*m.channels*parts]
	m.values.readValues(b, values)
	for i, v := range values {
		values[i] = int(u.values[k][v])
	}
	weights := m.readWeights(b, &of)
	scale := &u.weights[m.weight]
	for i := range to {
		ends := values[2*m.channels*int(of[i]):]
		for c := range 4 {
			at := c
			if m.channels == 2 {
				at = c / alphaChannel // luminance and alpha: the first value is red, green and blue
			}
			if at >= m.channels {
				to[i][c] = 255
				continue
			}
			plane := 0
			if m.planes == 2 && c == second {
				plane = 1
			}
			to[i][c] = blend(ends[2*at], ends[2*at+1], scale[weights[plane][i]])
		}
	}
	return nil
}

// readWeights reads the weights of all texels. The weight of the first texel of each subset is stored without its
// highest bit, because this bit is always zero.
func (m *mode) readWeights(b *bits, of *[16]uint8) (w [2][16]uint8) {
	seen := 0
	for i, part := range of {
		n := m.weight
		if seen>>part&1 == 0 {
			seen |= 1 << part
			n--
		}
		for plane := range max(m.planes, 1) {
			w[plane][i] = uint8(b.take(n))
		}
	}
	return w
}

// drawUASTC decodes all blocks and writes them to a picture.
func drawUASTC(m *image.NRGBA, data []byte) error {
	across, down := (m.Rect.Dx()+3)/4, (m.Rect.Dy()+3)/4
	if len(data) < 16*across*down {
		return fmt.Errorf("%d bytes for %d blocks: %w", len(data), across*down, errEnd)
	}
	u := newUASTC()
	var texels [16][4]uint8
	for y := range down {
		for x := range across {
			if err := u.decodeBlock(data[:16], &texels); err != nil {
				return fmt.Errorf("block %d, %d: %w", x, y, err)
			}
			data = data[16:]
			for row := range min(4, m.Rect.Dy()-4*y) {
				to := m.Pix[(4*y+row)*m.Stride+16*x:]
				for column := range min(4, m.Rect.Dx()-4*x) {
					copy(to[4*column:4*column+4], texels[4*row+column][:])
				}
			}
		}
	}
	return nil
}
