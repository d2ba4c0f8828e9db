package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // decoder for the pictures of films
	"sync"
	"time"

	"golang.org/x/image/draw"
)

// thumbnailWidth and thumbnailHeight are the largest size of a thumbnail in pixels. The file of a thumbnail takes about
// 3 kB.
const (
	thumbnailWidth  = 160
	thumbnailHeight = 90
)

// A thumbnailer makes thumbnails, one at a time, and caches the latest ones.
type thumbnailer struct {
	sem chan struct{} // a semaphore of one place, taken while a thumbnail is made
	// notBefore is when the next thumbnail may be made. It is guarded by sem.
	notBefore time.Time
	mu        sync.Mutex
	cache     map[[sha256.Size]byte][]byte // thumbnails, by hash of the picture
	order     [][sha256.Size]byte
}

// Limits of a thumbnailer. After each thumbnail it pauses restFactor times as long as the thumbnail took, because nodes
// on this machine need the cores.
const (
	maxThumbnails = 2000
	maxPixels     = 1 << 26 // larger pictures get no thumbnail
	restFactor    = 9
)

func newThumbnailer() *thumbnailer {
	return &thumbnailer{sem: make(chan struct{}, 1), cache: map[[sha256.Size]byte][]byte{}}
}

// thumbnail returns the thumbnail of a picture as a JPEG file.
func (t *thumbnailer) thumbnail(ctx context.Context, picture []byte) ([]byte, error) {
	key := sha256.Sum256(picture)
	if small := t.find(key); small != nil {
		return small, nil
	}
	select {
	case t.sem <- struct{}{}:
		defer func() { <-t.sem }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if small := t.find(key); small != nil { // another request has made it meanwhile
		return small, nil
	}
	select {
	case <-time.After(time.Until(t.notBefore)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	began := time.Now()
	small, err := shrink(picture)
	t.notBefore = time.Now().Add(restFactor * time.Since(began))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) >= maxThumbnails {
		delete(t.cache, t.order[0])
		t.order = t.order[1:]
	}
	t.cache[key], t.order = small, append(t.order, key)
	return small, nil
}

func (t *thumbnailer) find(key [sha256.Size]byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cache[key]
}

// errTooLarge is returned for a picture that is too large for a thumbnail.
var errTooLarge = errors.New("picture is too large for a thumbnail")

// backdrop is the background of thumbnails of transparent pictures.
var backdrop = color.RGBA{0xd8, 0xdc, 0xe0, 0xff}

// shrink decodes a picture and encodes it at thumbnail size.
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
