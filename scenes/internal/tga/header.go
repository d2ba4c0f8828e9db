package tga

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
)

// headerSize is the number of bytes before the name, the colour table and the pixels.
const headerSize = 18

// Kinds of pictures. The kind of a run-length encoded picture is greater by runLengthFirst.
const (
	kindTable      = 1
	kindColor      = 2
	kindGrey       = 3
	runLengthFirst = 8
)

// ErrEnd is returned if the file ends before the last pixel.
var ErrEnd = errors.New("tga: the file ends within the picture")

// A header is the decoded header of a file.
type header struct {
	kind          int // kind of the picture, without runLengthFirst
	runs          bool
	width, height int
	depth         int // number of bits of a pixel
	alpha         bool
	right, top    bool // whether the first pixel is on the right, and at the top
	tableFirst    int  // index of the first colour in the table
	table         int  // number of colours in the table
	tableDepth    int  // bits of each colour in the table
	size          int  // size in bytes of the header including the name
}

// parse decodes and checks the header of a file.
func parse(b []byte) (h header, err error) {
	if len(b) < headerSize {
		return h, fmt.Errorf("tga: %d bytes are less than a header", len(b))
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
	h = header{
		kind: int(b[2]) &^ runLengthFirst, runs: b[2]&runLengthFirst != 0,
		width: word(12), height: word(14), depth: int(b[16]),
		alpha: b[17]&15 != 0, right: b[17]&0x10 != 0, top: b[17]&0x20 != 0,
		tableFirst: word(3), table: word(5), tableDepth: int(b[7]),
		size: headerSize + int(b[0]),
	}
	switch {
	case b[1] > 1:
		return h, fmt.Errorf("tga: a table of colours of kind %d", b[1])
	case b[17]&0xc0 != 0:
		return h, errors.New("tga: interleaved rows")
	case h.width == 0 || h.height == 0:
		return h, fmt.Errorf("tga: a picture of %dx%d pixels", h.width, h.height)
	}
	if b[1] == 0 {
		h.table = 0 // the picture uses no table, whatever the header claims
	}
	return h, h.check()
}

// check returns an error if the pixels cannot be decoded.
func (h *header) check() error {
	ok := false
	switch h.kind {
	case kindTable:
		ok = h.table > 0 && (h.depth == 8 || h.depth == 15 || h.depth == 16)
	case kindColor:
		ok = isColorDepth(h.depth)
	case kindGrey:
		ok = h.depth == 8 || h.depth == 16
	}
	if !ok || h.table > 0 && !isColorDepth(h.tableDepth) {
		return fmt.Errorf("tga: kind %d with %d bits a pixel and %d colours of %d bits", h.kind, h.depth, h.table, h.tableDepth)
	}
	return nil
}

func isColorDepth(bits int) bool { return bits == 15 || bits == 16 || bits == 24 || bits == 32 }

// bytesOf returns the number of bytes that hold the given number of bits.
func bytesOf(bits int) int { return (bits + 7) / 8 }

// Likely reports whether a file may be a TGA picture: its header can be decoded, and the file is long enough for the
// picture.
func Likely(b []byte) bool {
	h, err := parse(b)
	return err == nil && h.fits(len(b))
}

// maxPacketPixels is the greatest number of pixels in a packet.
const maxPacketPixels = 128

// fits reports whether a file of n bytes is long enough for the picture.
func (h *header) fits(n int) bool {
	left := int64(n) - int64(h.size) - int64(h.table*bytesOf(h.tableDepth))
	pixels := int64(h.width) * int64(h.height)
	if h.runs {
		packets := (pixels + maxPacketPixels - 1) / maxPacketPixels
		return left >= packets*int64(1+bytesOf(h.depth))
	}
	return left >= pixels*int64(bytesOf(h.depth))
}

// DecodeConfig returns the size of a picture.
func DecodeConfig(b []byte) (image.Config, error) {
	h, err := parse(b)
	if err == nil && !h.fits(len(b)) {
		err = ErrEnd
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: h.width, Height: h.height}, err
}
