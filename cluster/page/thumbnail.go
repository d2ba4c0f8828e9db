package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // pictures of films
	"sync"
	"time"

	"golang.org/x/image/draw"
)

// Thumbnails fit into this box; they are about 3 kB.
const (
	thumbnailWidth  = 160
	thumbnailHeight = 90
)

// A thumbnailer makes thumbnails, one at a time, and keeps the latest.
type thumbnailer struct {
	turn  chan struct{} // held by whoever makes one
	ready time.Time     // when the next one may be made; whoever has the turn reads and writes it
	mu    sync.Mutex
	kept  map[[sha256.Size]byte][]byte // by the picture
	order [][sha256.Size]byte
}

// Limits of a thumbnailer. rest is how many times as long as a thumbnail took none is made:
// nodes on this machine want its cores.
const (
	maxThumbnails = 2000
	maxPixels     = 1 << 26 // of a picture that is decoded
	rest          = 9
)

func newThumbnailer() *thumbnailer {
	return &thumbnailer{turn: make(chan struct{}, 1), kept: map[[sha256.Size]byte][]byte{}}
}

// of returns the thumbnail of a picture as a JPEG file.
func (t *thumbnailer) of(ctx context.Context, picture []byte) ([]byte, error) {
	key := sha256.Sum256(picture)
	if small := t.find(key); small != nil {
		return small, nil
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if small := t.find(key); small != nil { // somebody else waited for it
		return small, nil
	}
	select {
	case <-time.After(time.Until(t.ready)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	began := time.Now()
	small, err := shrink(picture)
	t.ready = time.Now().Add(rest * time.Since(began))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) >= maxThumbnails {
		delete(t.kept, t.order[0])
		t.order = t.order[1:]
	}
	t.kept[key], t.order = small, append(t.order, key)
	return small, nil
}

func (t *thumbnailer) find(key [sha256.Size]byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept[key]
}

// errTooLarge is a picture of which no thumbnail is made.
var errTooLarge = errors.New("picture is too large for a thumbnail")

// backdrop is behind pictures that have no background.
var backdrop = color.RGBA{0xd8, 0xdc, 0xe0, 0xff}

// shrink decodes a picture and encodes it small.
func shrink(picture []byte) ([]byte, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	if config.Width < 1 || config.Height < 1 || config.Width > maxPixels/config.Height {
		return nil, errTooLarge
	}
	full, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	scale := min(1, float64(thumbnailWidth)/float64(config.Width), float64(thumbnailHeight)/float64(config.Height))
	size := image.Rect(0, 0, max(1, int(scale*float64(config.Width)+0.5)), max(1, int(scale*float64(config.Height)+0.5)))
	small := image.NewRGBA(size)
	draw.Draw(small, size, image.NewUniform(backdrop), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, size, full, full.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	err = jpeg.Encode(&b, small, &jpeg.Options{Quality: 80})
	return b.Bytes(), err
}
