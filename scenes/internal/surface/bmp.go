package surface

import (
	"bytes"
	"errors"
	"image"
	"io"

	"github.com/jsummers/gobmp"
	"golang.org/x/image/bmp"
)

// isBMP reports whether data begins like a BMP picture. It checks the mark and the size of the second header, which is
// less than 128 in all versions.
func isBMP(data []byte) bool {
	return len(data) >= 18 && bytes.HasPrefix(data, []byte("BM")) && data[14] >= 12 && data[14] < 128 && bytes.Equal(data[15:18], []byte{0, 0, 0})
}

// decodeBMP decodes a BMP picture. Package x/image/bmp decodes most pictures, because it preserves alpha better.
// Package gobmp decodes what x/image/bmp does not support: 16 bits, masks, run-length encoding, and old headers.
func decodeBMP(data []byte) (image.Image, error) {
	m, err := bmp.Decode(bytes.NewReader(data))
	if !errors.Is(err, bmp.ErrUnsupported) {
		return m, err
	}
	r := &endReader{Reader: bytes.NewReader(data)}
	m, err = gobmp.Decode(r)
	if err == nil && r.ended {
		return nil, io.ErrUnexpectedEOF
	}
	return m, err
}

func bmpConfig(data []byte) (image.Config, error) {
	c, err := bmp.DecodeConfig(bytes.NewReader(data))
	if errors.Is(err, bmp.ErrUnsupported) {
		c, err = gobmp.DecodeConfig(bytes.NewReader(data))
	}
	return c, err
}

// An endReader notes whether a read has reached the end of the data. If run-length encoded data ends too early,
// package gobmp leaves the rest of the picture empty and returns no error. The note shows that.
type endReader struct {
	*bytes.Reader
	ended bool
}

func (r *endReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.ended = r.ended || err == io.EOF
	return n, err
}
