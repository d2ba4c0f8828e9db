package png

import (
	"fmt"
	"math"
)

// A format describes how a picture is stored in the file.
type format struct {
	width, height int
	colour, depth byte
	bpp           int // bytes of a stored pixel, 1 to 4
	rowBytes      int // bytes of a stored row without its filter type
	level         Level
	slabRows      int
	slabs         int
}

// slabBytes is about the number of bytes of stored rows in a slab at level Fast. So many filtered bytes stay in the
// second-level cache until they are compressed. A picture of 1920x1080 has enough slabs for 32 workers. Slabs are
// compressed without reference to earlier slabs, which makes files less than 2 % larger. With half of slabBytes,
// files are 1 % larger. With four times slabBytes, files are 1 % smaller.
const slabBytes = 256 << 10

// slabBytesSmall is like slabBytes, for level Small.
const slabBytesSmall = 1 << 20

// maxWidth limits the number of pixels in a row, and so the bytes of a slab of one row. The bytes of such a slab stay
// well below 2^31-1, the largest size of a chunk.
const maxWidth = math.MaxInt32 / 8

func newFormat(width, height int, colour byte, depth int, level Level) format {
	f := format{width: width, height: height, colour: colour, depth: byte(depth)}
	f.bpp = channels(colour) * depth / 8
	f.rowBytes = width * f.bpp
	if level == Fast && height <= slabBytes/(f.rowBytes+1) {
		// A picture of one slab has few repeated bytes. With Fast, its file would be up to 1.4 times as large as with
		// image/png's BestSpeed. Small takes at most 3 ms for such a picture.
		level = Small
	}
	f.level = level
	target := slabBytes
	if level == Small {
		target = slabBytesSmall
	}
	f.slabRows = max(1, target/(f.rowBytes+1))
	f.slabs = (height + f.slabRows - 1) / f.slabRows
	return f
}

// channels returns the number of samples per pixel of a colour type.
func channels(colour byte) int {
	switch colour {
	case colourGrey:
		return 1
	case colourGreyAlpha:
		return 2
	case colourRGB:
		return 3
	default:
		return 4
	}
}

// checkSize returns an error if PNG cannot store the picture. It also returns an error if n elements are too few for
// the picture. The starts of two rows are stride elements apart, and a pixel has perPixel elements.
func checkSize(n, stride, width, height, perPixel int) error {
	if width < 1 || height < 1 || width > maxWidth || height > math.MaxInt32 {
		return fmt.Errorf("png: size %dx%d is not between 1x1 and %dx%d", width, height, maxWidth, math.MaxInt32)
	}
	row := width * perPixel
	if height > 1 && stride < row {
		return fmt.Errorf("png: stride %d is less than the %d of a row", stride, row)
	}
	// Divide instead of multiplying, because the product may overflow.
	if n < row || height > 1 && (n-row)/stride < height-1 {
		return fmt.Errorf("png: %d elements do not hold %dx%d pixels with stride %d", n, width, height, stride)
	}
	return nil
}
