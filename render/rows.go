package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// RowStep divides the number of the first row that FrameRows draws.
const RowStep = tileHeight

// A window is the range of rows of the picture that a frame draws, in pixels: all rows, or a
// few and the rows around them that their light depends on. Rows within the renderer count
// from the window's top.
type window struct {
	top, height int
	// What the Picture holds: pictureTop counts from the window's top.
	pictureTop, pictureHeight int
	// mostKeys is the largest size of a frame for as many rows anywhere in the picture. A
	// window at the picture's top has fewer rows than one below. Frames are allocated for the
	// largest at once, or growing would leave the smaller ones as garbage.
	mostKeys int
}

// FrameRows draws rows lo to hi (exclusive) of a frame into pic, which becomes hi-lo pixels
// high. The pixels are those of Frame, and memory is taken for these rows alone. lo is a multiple of
// RowStep, and so is hi unless it is the height of the picture. Blank rows are no error; other
// errors are those of Frame. Statistics are those of the rows: a triangle outside them counts
// as culled.
func (r *Renderer) FrameRows(ctx context.Context, source scenes.Source, cam Camera, lo, hi int, pic *Picture) (Stats, error) {
	start := time.Now()
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("draw rows: %w", err)
	}
	defer r.unlock()
	if pic == nil {
		return Stats{}, errors.New("draw rows: expected a picture")
	}
	if most := r.options.Height; lo < 0 || hi <= lo || hi > most || lo%RowStep != 0 || hi%RowStep != 0 && hi != most {
		return Stats{}, fmt.Errorf("draw rows %d to %d of %d: expected multiples of %d", lo, hi, most, RowStep)
	}
	stats, err := r.run(ctx, source, &cam, frameParts{picture: pic, rows: &[2]int{lo, hi}})
	if err != nil {
		return Stats{}, fmt.Errorf("draw rows: %w", err)
	}
	stats.Seconds.Frame = time.Since(start)
	return stats, nil
}

// RowsBytes returns the bytes that FrameRows takes for a number of rows, besides the mesh:
// worker for the private frame of each worker, and shared for all workers together. reach is
// that of the camera, see Reach.
func (o Options) RowsBytes(rows, reach int) (worker, shared int64, err error) {
	if o, err = o.withDefaults(); err != nil {
		return 0, 0, err
	}
	grid, high := o.grid(), rows
	const (
		occlusionBytes = 6 * 4 / 4 // six columns of a cell of four pixels
		visibleBytes   = 2 * 12    // a triangle, a place and a nearness, for most pixels of four samples
	)
	perPixel := int64(4)
	if o.Depth {
		perPixel += 4
	}
	if o.Coverage {
		perPixel++
	}
	if o.Triangles {
		perPixel += 4
	}
	if o.Normals {
		perPixel += 12
	}
	if o.isDeferred() {
		perPixel += visibleBytes
		if o.Occlusion {
			high = min(rows+2*(reach+RowStep), o.Height)
			shared = int64(o.Width) * int64(high) * occlusionBytes
		}
	}
	worker = 8 * int64(newLayout(o.Width*grid, high*grid).keys())
	return worker, shared + perPixel*int64(o.Width)*int64(rows), nil
}

// occlusionReach bounds the rows of pixels beyond its own that a row's light depends on.
const occlusionReach = 2 * (occlude.FarthestTap + 1 + surface.AverageMargin)

// Reach bounds the distance in pixels between a pixel and the pixels that its light depends
// on. cam is the camera of the whole picture; with nil the bound holds for every camera.
func (o Options) Reach(cam *Camera) int {
	switch {
	case !o.isDeferred() || !o.Occlusion:
		return 0
	case cam == nil:
		return occlusionReach
	}
	d := deferred{scale: cam.scale()}
	v := d.occlusionView(&o, cam)
	return 2 * v.Margin()
}
