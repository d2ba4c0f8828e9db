package png

import (
	"encoding/binary"
	"hash/crc32"
)

const signature = "\x89PNG\r\n\x1a\n"

// chunkHeader is the size of a chunk's length and type.
const chunkHeader = 8

// Colour types of PNG section 11.2.1.
const (
	colourGrey      = 0
	colourRGB       = 2
	colourGreyAlpha = 4
	colourRGBA      = 6
)

// beginChunk appends the header of a chunk to dst. The length in the header is not set; endChunk sets it. beginChunk
// also returns the position of the chunk in dst, which endChunk needs.
func beginChunk(dst []byte, kind string) ([]byte, int) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	return append(dst, kind...), start
}

// endChunk sets the length of the chunk from start to the end of dst, and appends its CRC.
func endChunk(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-chunkHeader))
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start+4:]))
}

// appendHeader appends the signature and the IHDR chunk.
func appendHeader(dst []byte, f *format) []byte {
	dst = append(dst, signature...)
	dst, start := beginChunk(dst, "IHDR")
	dst = binary.BigEndian.AppendUint32(dst, uint32(f.width))
	dst = binary.BigEndian.AppendUint32(dst, uint32(f.height))
	// The three zeros mean: compression by deflate, the standard set of five filters, no interlacing.
	dst = append(dst, f.depth, f.colour, 0, 0, 0)
	return endChunk(dst, start)
}

// appendAncillary appends the chunks between IHDR and the pixels.
//
// For colour pictures these chunks state sRGB with perceptual intent. Programs that know only gAMA get the gamma of
// PNG section 11.3.2.5. A picture of depths has neither chunk, because depths are not colours and should not be
// converted.
func appendAncillary(dst []byte, f *format, opts *Options) []byte {
	if f.depth == 8 {
		dst, start := beginChunk(dst, "gAMA")
		dst = binary.BigEndian.AppendUint32(dst, 45455)
		dst = endChunk(dst, start)
		dst, start = beginChunk(dst, "sRGB")
		dst = append(dst, 0)
		return appendOptional(endChunk(dst, start), opts)
	}
	return appendOptional(dst, opts)
}

func appendOptional(dst []byte, opts *Options) []byte {
	if ppm := opts.PixelsPerMetre; ppm != 0 {
		var start int
		dst, start = beginChunk(dst, "pHYs")
		dst = binary.BigEndian.AppendUint32(dst, ppm)
		dst = binary.BigEndian.AppendUint32(dst, ppm)
		dst = append(dst, 1) // unit: the metre
		dst = endChunk(dst, start)
	}
	for i := range opts.Text {
		dst = appendText(dst, &opts.Text[i])
	}
	return dst
}

func appendEnd(dst []byte) []byte {
	dst, start := beginChunk(dst, "IEND")
	return endChunk(dst, start)
}
