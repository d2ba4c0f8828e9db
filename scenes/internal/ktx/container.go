package ktx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"lockstep/vp/hugepages"
)

// Mark is the signature at the start of a file.
const Mark = "\xabKTX 20\xbb\r\n\x1a\n"

// Sizes in bytes of the header of a file, and of an entry of the index of levels. A level is the picture at one
// resolution.
const (
	headSize  = 80
	levelSize = 24
)

// Supported colour models and supercompression schemes.
const (
	modelETC1S  = 163
	modelUASTC  = 166
	packedNot   = 0
	packedBasis = 1
	packedZstd  = 2
	packedZlib  = 3
)

// channelAlpha is the number of the alpha channel in ETC1S.
const channelAlpha = 15

// A fileHeader is the decoded header of a file.
type fileHeader struct {
	width, height  int
	layers, levels uint32
	packing        uint32
	model          uint8
	channels       []uint8 // channel of each sample of a texel
	shared, level  []byte  // shared holds data for all slices; level holds the data of the largest level
}

// parse decodes the header of a file.
func parse(b []byte) (h fileHeader, err error) {
	if len(b) < headSize+levelSize || string(b[:len(Mark)]) != Mark {
		return h, errors.New("it is no whole KTX 2 file")
	}
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	kind, depth, faces := at(12), at(28), at(36)
	width, height := at(20), at(24)
	h.layers, h.levels, h.packing = max(at(32), 1), max(at(40), 1), at(44)
	switch {
	case kind != 0:
		return h, fmt.Errorf("its texels have the Vulkan format %d: expected ETC1S or UASTC", kind)
	case width == 0 || height == 0 || width > 1<<30 || height > 1<<30:
		return h, fmt.Errorf("it has %d x %d pixels", width, height)
	case depth > 0 || faces != 1 || h.layers > 1:
		return h, errors.New("it is a volume, a cube or a list of pictures")
	}
	h.width, h.height = int(width), int(height)
	describe, err := sliceAt(b, uint64(at(48)), uint64(at(52)))
	if err != nil {
		return h, fmt.Errorf("its description: %w", err)
	}
	if err := h.readDescriptor(describe); err != nil {
		return h, err
	}
	if h.shared, err = sliceAt(b, binary.LittleEndian.Uint64(b[64:]), binary.LittleEndian.Uint64(b[72:])); err != nil {
		return h, fmt.Errorf("what its slices share: %w", err)
	}
	if h.level, err = sliceAt(b, binary.LittleEndian.Uint64(b[80:]), binary.LittleEndian.Uint64(b[88:])); err != nil {
		return h, fmt.Errorf("its level 0: %w", err)
	}
	return h, nil
}

// sliceAt returns n bytes of a file from offset `at` on. It returns an error if the file is too short.
func sliceAt(b []byte, at, n uint64) ([]byte, error) {
	if at > uint64(len(b)) || n > uint64(len(b))-at {
		return nil, errEnd
	}
	return b[at : at+n], nil
}

// Offsets in bytes in the data format descriptor. The descriptor starts with its size in 4 bytes. A block follows,
// which has a header of 24 bytes and 16 bytes for each sample.
const (
	modelAt    = 4 + 8
	samplesAt  = 4 + 24
	sampleSize = 16
)

// readDescriptor decodes the data format descriptor.
func (h *fileHeader) readDescriptor(d []byte) error {
	if len(d) < samplesAt {
		return fmt.Errorf("its description: %w", errEnd)
	}
	if h.model = d[modelAt]; h.model != modelETC1S && h.model != modelUASTC {
		return fmt.Errorf("its texels have the colour model %d: expected ETC1S or UASTC", h.model)
	}
	for s := d[samplesAt:]; len(s) >= sampleSize; s = s[sampleSize:] {
		h.channels = append(h.channels, s[3]&15)
	}
	if (h.model == modelETC1S) != (h.packing == packedBasis) {
		return fmt.Errorf("its supercompression %d does not go with its texels", h.packing)
	}
	return nil
}

// DecodeConfig returns the size of a picture.
func DecodeConfig(b []byte) (image.Config, error) {
	h, err := parse(b)
	return image.Config{Width: h.width, Height: h.height}, err
}

// Decode decodes a picture. It has the size that DecodeConfig returns.
func Decode(b []byte) (*image.NRGBA, error) {
	h, err := parse(b)
	if err != nil {
		return nil, err
	}
	m := &image.NRGBA{Stride: 4 * h.width, Rect: image.Rect(0, 0, h.width, h.height)}
	if h.model == modelUASTC {
		data, err := h.unpackedBlocks()
		if err != nil {
			return nil, err
		}
		m.Pix = hugepages.Make[uint8](4 * h.width * h.height)
		return m, drawUASTC(m, data)
	}
	s, err := readBasis(h.shared, h.imageCount())
	if err != nil {
		return nil, err
	}
	m.Pix = hugepages.Make[uint8](4 * h.width * h.height)
	return m, h.drawSlices(m, s)
}

// imageCount returns the number of pictures in the file, over all levels and layers.
func (h *fileHeader) imageCount() int64 { return int64(h.levels) * int64(h.layers) }

// drawSlices decodes the colours of the largest level. If there is a second slice, it decodes the alpha from it. The
// shared data tells where the slices are.
func (h *fileHeader) drawSlices(m *image.NRGBA, s *basis) error {
	place := func(i int) ([]byte, error) {
		p := h.shared[sharedHead+4+8*i:]
		return sliceAt(h.level, uint64(binary.LittleEndian.Uint32(p)), uint64(binary.LittleEndian.Uint32(p[4:])))
	}
	data, err := place(0)
	if err == nil {
		err = s.decodeSlice(m, data, false)
	}
	if err != nil {
		return fmt.Errorf("its colours: %w", err)
	}
	if len(h.channels) < 2 || h.channels[1] != channelAlpha {
		return nil
	}
	if data, err = place(1); err == nil {
		err = s.decodeSlice(m, data, true)
	}
	if err != nil {
		return fmt.Errorf("its alpha: %w", err)
	}
	return nil
}

// unpackedBlocks returns the blocks of the largest level after decompression. It reads at most as many bytes as the
// blocks of the picture take.
func (h *fileHeader) unpackedBlocks() ([]byte, error) {
	most := 16 * ((h.width + 3) / 4) * ((h.height + 3) / 4)
	var from io.Reader
	switch h.packing {
	case packedNot:
		return h.level, nil
	case packedZstd:
		z, err := zstd.NewReader(bytes.NewReader(h.level), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(32<<20))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		from = z
	case packedZlib:
		z, err := zlib.NewReader(bytes.NewReader(h.level))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		from = z
	default:
		return nil, fmt.Errorf("its supercompression %d is not read", h.packing)
	}
	data, err := io.ReadAll(io.LimitReader(from, int64(most)))
	if err != nil && len(data) < most {
		return nil, fmt.Errorf("its level 0: %w", err)
	}
	return data, nil
}
