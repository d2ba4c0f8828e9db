package encode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/HugoSmits86/nativewebp"
)

// MostWebP is the largest width or height of a WebP picture in pixels.
const MostWebP = 1 << 14

// WebP writes RGBA pixels with straight alpha as lossless WebP. If small is true, it takes about twice the time, and
// files are a few per cent smaller.
func WebP(w io.Writer, pix []byte, width, height int, small bool) error {
	file, err := encodeWebP(pix, width, height, small)
	if err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// encodeWebP returns a file with one picture: a RIFF header and a VP8L chunk.
func encodeWebP(pix []byte, width, height int, small bool) ([]byte, error) {
	if err := checkSize(len(pix), width, height, 4); err != nil {
		return nil, err
	}
	if width > MostWebP || height > MostWebP {
		return nil, fmt.Errorf("a picture of %dx%d does not fit into a WebP file: expected at most %d each way", width, height, MostWebP)
	}
	var file bytes.Buffer
	img := &image.NRGBA{Pix: pix[:4*width*height], Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	o := &nativewebp.Options{CompressionLevel: nativewebp.DefaultCompression}
	if small {
		o.CompressionLevel = nativewebp.BestCompression
	}
	if err := nativewebp.Encode(&file, img, o); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// Sizes of parts of WebP files. Source: Google, WebP Container Specification.
const (
	riffHead  = 12 // RIFF, size, WEBP
	chunkHead = 8
	// Flags of the chunks VP8X (hasAnimation, hasAlpha) and ANMF (flagReplaces). With flagReplaces, the frame replaces
	// earlier pixels instead of being blended with them.
	hasAnimation, hasAlpha, flagReplaces = 1 << 1, 1 << 4, 1 << 1
)

// A WebPAnimation collects the frames of a lossless WebP animation that is repeated for ever. The file is written by
// Close, because a WebP file starts with its size.
type WebPAnimation struct {
	w             io.Writer
	width, height int
	delay, clock  float64 // duration of a frame, and start of the next frame, in milliseconds
	small, alpha  bool
	frames        []byte // chunks of the frames so far
	count         int
}

// NewWebPAnimation starts an animation whose frames are shown for `delay` milliseconds each. If `delay` is not a whole
// number, longer and shorter frames alternate, so that the whole animation has the right duration.
func NewWebPAnimation(w io.Writer, width, height int, delay float64, small bool) (*WebPAnimation, error) {
	if width < 1 || height < 1 || width > MostWebP || height > MostWebP {
		return nil, fmt.Errorf("a WebP animation of %dx%d: expected 1x1 to %dx%d", width, height, MostWebP, MostWebP)
	}
	if !(delay >= 1 && delay < 1<<24) {
		return nil, fmt.Errorf("a WebP animation with %g ms a frame: expected 1 to %d", delay, 1<<24-1)
	}
	return &WebPAnimation{w: w, width: width, height: height, delay: delay, small: small}, nil
}

// Encode encodes a frame of RGBA pixels with straight alpha. The result is for Add. Several goroutines may call Encode
// concurrently.
func (a *WebPAnimation) Encode(pix []byte) ([]byte, error) {
	file, err := encodeWebP(pix, a.width, a.height, a.small)
	if err != nil {
		return nil, err
	}
	if len(file) < riffHead+chunkHead+5 || string(file[riffHead:riffHead+4]) != "VP8L" {
		return nil, errors.New("the encoder of WebP gave no chunk VP8L")
	}
	return file[riffHead:], nil
}

// Add appends a frame that Encode returned.
func (a *WebPAnimation) Add(frame []byte) error {
	if len(a.frames)+len(frame) > math.MaxInt32 {
		return errors.New("the animation does not fit into a WebP file of 2 GiB")
	}
	// A VP8L picture begins with a signature of 8 bits, the width and height in 14 bits each, and the alpha bit.
	const alphaBit = 1 << 4
	a.alpha = a.alpha || frame[chunkHead+4]&alphaBit != 0
	a.frames = appendChunkHead(a.frames, "ANMF", 16+len(frame))
	now := math.Round(a.clock)
	a.clock += a.delay
	for _, v := range [...]int{0, 0, a.width - 1, a.height - 1, int(math.Round(a.clock) - now)} {
		a.frames = append24(a.frames, v)
	}
	a.frames = append(append(a.frames, flagReplaces), frame...)
	a.count++
	return nil
}

// Close writes the file.
func (a *WebPAnimation) Close() error {
	if a.count == 0 {
		return errors.New("a WebP animation without frames")
	}
	flags := byte(hasAnimation)
	if a.alpha {
		flags |= hasAlpha
	}
	head := appendChunkHead(nil, "VP8X", 10)
	head = append24(append24(append(head, flags, 0, 0, 0), a.width-1), a.height-1)
	head = appendChunkHead(head, "ANIM", 6)
	head = append(head, 0, 0, 0, 0, 0, 0) // transparent background, endless loop
	riff := appendChunkHead(nil, "RIFF", 4+len(head)+len(a.frames))
	for _, part := range [][]byte{append(append(riff, "WEBP"...), head...), a.frames} {
		if _, err := a.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func appendChunkHead(b []byte, name string, size int) []byte {
	return binary.LittleEndian.AppendUint32(append(b, name...), uint32(size))
}

func append24(b []byte, v int) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }
