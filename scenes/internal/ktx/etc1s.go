package ktx

import (
	"encoding/binary"
	"fmt"
	"image"
)

// An endpoint holds the base colour of a block, with five bits for each channel. It also holds the index of the table
// of the block. The texels of the block differ from the base colour by entries of this table.
type endpoint struct {
	color [3]uint8
	table uint8
}

// A selector states which entry of the table each texel of a block uses. It has one byte for each row of texels, with
// two bits for each texel.
type selector [4]uint8

// modifiers holds the tables of ETC1. The colour of a texel is the base colour of its block plus an entry of the
// block's table.
var modifiers = [8][4]int{
	{-8, -2, 2, 8}, {-17, -5, 5, 17}, {-29, -9, 9, 29}, {-42, -13, 13, 42},
	{-60, -18, 18, 60}, {-80, -24, 24, 80}, {-106, -33, 33, 106}, {-183, -47, 47, 183},
}

// A basis holds the data that all slices of a file share.
type basis struct {
	endpoints []endpoint
	selectors []selector
	// Huffman codes for predictions of endpoints, for differences of endpoint indices, for selectors, and for
	// repetitions of the last selector.
	predictions, differences, choices, repeats *code
	remembered                                 int // number of selectors in the history, see type history
}

// Sizes in bytes of the header of the shared data and of the description of an image.
const (
	sharedHead = 20
	imageSize  = 20
)

// readBasis decodes the shared data of a file with the given number of images.
func readBasis(data []byte, images int64) (*basis, error) {
	if int64(len(data)) < sharedHead+images*imageSize {
		return nil, fmt.Errorf("%d bytes shared by slices: %w", len(data), errEnd)
	}
	parts := data[sharedHead+images*imageSize:]
	part := func(at int) ([]byte, error) {
		n := binary.LittleEndian.Uint32(data[at:])
		if uint64(n) > uint64(len(parts)) {
			return nil, errEnd
		}
		var p []byte
		p, parts = parts[:n], parts[n:]
		return p, nil
	}
	s := &basis{
		endpoints: make([]endpoint, binary.LittleEndian.Uint16(data)), selectors: make([]selector, binary.LittleEndian.Uint16(data[2:])),
	}
	for _, step := range []struct {
		name string
		at   int
		read func(b *bits) error
	}{{"endpoints", 4, s.readEndpoints}, {"selectors", 8, s.readSelectors}, {"tables", 12, s.readTables}} {
		p, err := part(step.at)
		if err == nil {
			err = step.read(&bits{data: p})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return s, nil
}

// readCodes reads several Huffman codes.
func readCodes(b *bits, to ...**code) (err error) {
	for _, c := range to {
		if *c, err = readCode(b); err != nil {
			return err
		}
	}
	return nil
}

// readEndpoints reads the endpoints. Each channel is stored as the difference from the previous endpoint. The previous
// value determines which of three codes is used.
func (s *basis) readEndpoints(b *bits) error {
	var dark, medium, light, tables *code
	if err := readCodes(b, &dark, &medium, &light, &tables); err != nil {
		return err
	}
	grey := b.take(1) == 1
	last := endpoint{color: [3]uint8{16, 16, 16}}
	channels := 3
	if grey {
		channels = 1
	}
	for i := range s.endpoints {
		last.table = uint8(int(last.table)+tables.readSymbol(b)) & 7
		for c := range channels {
			of := medium
			if v := last.color[c]; v < 10 {
				of = dark
			} else if v > 21 {
				of = light
			}
			last.color[c] = uint8(int(last.color[c])+of.readSymbol(b)) & 31
		}
		if grey {
			last.color = [3]uint8{last.color[0], last.color[0], last.color[0]}
		}
		if s.endpoints[i] = last; b.overrun {
			return errEnd
		}
	}
	return nil
}

// readSelectors reads the selectors, which are stored as they are or as differences from the previous selector.
func (s *basis) readSelectors(b *bits) error {
	if b.take(2) != 0 {
		return fmt.Errorf("bits are set that have no meaning")
	}
	plain := b.take(1) == 1
	differences := new(code)
	if !plain {
		if err := readCodes(b, &differences); err != nil {
			return err
		}
	}
	for i := range s.selectors {
		for row := range s.selectors[i] {
			if plain || i == 0 {
				s.selectors[i][row] = uint8(b.take(8))
			} else {
				s.selectors[i][row] = s.selectors[i-1][row] ^ uint8(differences.readSymbol(b))
			}
		}
		if b.overrun {
			return errEnd
		}
	}
	return nil
}

// readTables reads the Huffman codes that slices use.
func (s *basis) readTables(b *bits) error {
	if err := readCodes(b, &s.predictions, &s.differences, &s.choices, &s.repeats); err != nil {
		return err
	}
	s.remembered = int(b.take(13))
	if b.overrun {
		return errEnd
	}
	return nil
}

// writeBlock writes the texels of a block that lie within the picture. If alpha is set, their green values become the
// alpha of the picture.
func (s *basis) writeBlock(m *image.NRGBA, x, y, of, by int, alpha bool) {
	e, sel := &s.endpoints[of], &s.selectors[by]
	var colors [4][3]uint8
	for k, d := range modifiers[e.table] {
		for c, v := range e.color {
			colors[k][c] = uint8(min(max(int(v)<<3|int(v)>>2+d, 0), 255))
		}
	}
	for row := range min(4, m.Rect.Dy()-y) {
		to := m.Pix[(y+row)*m.Stride+4*x:]
		for column := range min(4, m.Rect.Dx()-x) {
			c := &colors[sel[row]>>(2*column)&3]
			if p := to[4*column : 4*column+4]; alpha {
				p[3] = c[1]
			} else {
				p[0], p[1], p[2], p[3] = c[0], c[1], c[2], 255
			}
		}
	}
}
