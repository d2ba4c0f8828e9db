package tga

import "image"

// Decode decodes a picture. It allocates 4 bytes for each pixel, but only if the file is long enough for so many
// pixels. Run-length encoding packs at most 64 pixels into a byte. If alpha is 0 in all pixels, Decode makes all
// pixels opaque. The reason is that some programs declare alpha in the header but do not write it.
func Decode(b []byte) (*image.NRGBA, error) {
	h, err := parse(b)
	if err != nil {
		return nil, err
	}
	if !h.fits(len(b)) {
		return nil, ErrEnd
	}
	d := decoder{header: h, rest: b[h.size:]}
	d.readTable()
	m := image.NewNRGBA(image.Rect(0, 0, h.width, h.height))
	if h.runs {
		err = d.decodePackets(m)
	} else {
		d.decodePlain(m)
	}
	if err != nil {
		return nil, err
	}
	if h.alpha && isTransparent(m) {
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 255
		}
	}
	return m, nil
}

// isTransparent reports whether alpha is 0 in all pixels.
func isTransparent(m *image.NRGBA) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 0 {
			return false
		}
	}
	return true
}

// A decoder is the state of Decode.
type decoder struct {
	header
	rest   []byte // bytes of the file that have not been read
	colors [][4]uint8
}

// readTable reads the colour table. Even a picture that does not use it may have one. The caller has checked that the
// file is long enough.
func (d *decoder) readTable() {
	n := bytesOf(d.tableDepth)
	for range d.table {
		d.colors = append(d.colors, d.decodeColor(d.rest[:n], d.tableDepth))
		d.rest = d.rest[n:]
	}
}

// decodeColor decodes a colour with the given number of bits to red, green, blue and alpha.
func (d *decoder) decodeColor(p []byte, bits int) (c [4]uint8) {
	switch bits {
	case 15, 16:
		v := uint16(p[0]) | uint16(p[1])<<8
		c = [4]uint8{fiveBits(v >> 10), fiveBits(v >> 5), fiveBits(v), 255}
		if bits == 16 && d.alpha && v&0x8000 == 0 {
			c[3] = 0
		}
	default:
		c = [4]uint8{p[2], p[1], p[0], 255}
		if bits == 32 && d.alpha {
			c[3] = p[3]
		}
	}
	return c
}

// fiveBits scales the low five bits of v to the range 0 to 255.
func fiveBits(v uint16) uint8 {
	v &= 31
	return uint8(v<<3 | v>>2)
}

// decodePixel decodes the pixel at the start of p. It is black if its index is not in the table.
func (d *decoder) decodePixel(p []byte) [4]uint8 {
	switch d.kind {
	case kindTable:
		i := int(p[0])
		if d.depth > 8 {
			i |= int(p[1]) << 8
		}
		if i -= d.tableFirst; i >= 0 && i < len(d.colors) {
			return d.colors[i]
		}
		return [4]uint8{0, 0, 0, 255}
	case kindGrey:
		c := [4]uint8{p[0], p[0], p[0], 255}
		if d.depth == 16 && d.alpha {
			c[3] = p[1]
		}
		return c
	}
	return d.decodeColor(p, d.depth)
}

// setPixel sets pixel i, counted in the order of the file.
func (d *decoder) setPixel(m *image.NRGBA, i int, c [4]uint8) {
	x, y := i%d.width, i/d.width
	if d.right {
		x = d.width - 1 - x
	}
	if !d.top {
		y = d.height - 1 - y
	}
	copy(m.Pix[y*m.Stride+4*x:], c[:])
}

// decodePlain decodes pixels without run-length encoding. The caller has checked that the file is long enough.
func (d *decoder) decodePlain(m *image.NRGBA) {
	n := bytesOf(d.depth)
	for i := range d.width * d.height {
		d.setPixel(m, i, d.decodePixel(d.rest[i*n:]))
	}
}

// decodePackets decodes run-length encoded pixels. A packet starts with a byte. The low seven bits of this byte are the
// number of pixels minus one. If the highest bit of this byte is set, one pixel follows, which is repeated. Otherwise
// all pixels of the packet follow.
func (d *decoder) decodePackets(m *image.NRGBA) error {
	n, all := bytesOf(d.depth), d.width*d.height
	for i := 0; i < all; {
		if len(d.rest) < 1+n {
			return ErrEnd
		}
		head := d.rest[0]
		count := min(int(head&0x7f)+1, all-i)
		d.rest = d.rest[1:]
		if head&0x80 != 0 {
			c := d.decodePixel(d.rest)
			for k := range count {
				d.setPixel(m, i+k, c)
			}
			d.rest = d.rest[n:]
		} else {
			if len(d.rest) < count*n {
				return ErrEnd
			}
			for k := range count {
				d.setPixel(m, i+k, d.decodePixel(d.rest[k*n:]))
			}
			d.rest = d.rest[count*n:]
		}
		i += count
	}
	return nil
}
