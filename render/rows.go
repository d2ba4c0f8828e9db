package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// RowStep is what rows that FrameRows begins with are a multiple of.
const RowStep = tileHeight

// A window is the rows of the picture that a frame draws, in pixels: all of them, unless a
// few are wanted, and those around these that their light depends on. Rows within the
// renderer count from its top.
type window struct {
	top, height int
	// What the Picture holds: pictureTop counts from the window's top.
	pictureTop, pictureHeight int
	// mostKeys is the size of a frame for as many rows anywhere in the picture. Windows at its
	// top are lower than those below: frames that grew with them would leave garbage.
	mostKeys int
}

// FrameRows draws rows lo to hi (exclusive) of a frame into pic, which is as high as they
// are: the same pixels as those of Frame, in the memory that these rows need. lo is a multiple
// of RowStep, hi too unless it is the height of the picture. Blank rows are no error; other
// errors are those of Frame. Statistics are those of the rows: a triangle counts as culled
// where it lies beyond them.
func (r *Renderer) FrameRows(ctx context.Context, source scenes.Source, cam Camera, lo, hi int, pic *Picture) (Stats, error) {
	start := time.Now()
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("draw rows: %w", err)
	}
	defer r.mu.Unlock()
	if source == nil || pic == nil {
		return Stats{}, errors.New("draw rows: want a source and a picture")
	}
	if most := r.options.Height; lo < 0 || hi <= lo || hi > most || lo%RowStep != 0 || hi%RowStep != 0 && hi != most {
		return Stats{}, fmt.Errorf("draw rows %d to %d of %d: want multiples of %d", lo, hi, most, RowStep)
	}
	stats, err := r.run(ctx, source, &cam, frameParts{picture: pic, rows: &[2]int{lo, hi}})
	if err != nil {
		return Stats{}, fmt.Errorf("draw rows: %w", err)
	}
	stats.Seconds.Frame = time.Since(start)
	return stats, nil
}

// beginRows says which rows of tiles the frame is about.
func (r *Renderer) beginRows(cam *Camera, parts frameParts) {
	j, height := &r.job, r.options.Height
	j.window = window{height: height, pictureHeight: height}
	j.own = TileRows{0, r.layout.tilesY}
	j.near, j.need = j.own, j.own
	switch {
	case parts.strip != nil:
		j.own = parts.strip.Own
	case parts.rows != nil:
		rows := tileHeight / j.grid
		j.own = TileRows{parts.rows[0] / rows, (parts.rows[1] + rows - 1) / rows}
	default:
		return
	}
	beyond := r.beyond(cam)
	j.need = j.own.within(beyond, r.layout.tilesY)
	j.near = j.own.within(r.marginRows(surface.AverageMargin), r.layout.tilesY)
	if parts.rows != nil {
		r.beginWindow(parts.rows[0], parts.rows[1], beyond)
	}
}

// beginWindow makes the window that of what rows lo to hi need, and rows of tiles count from
// its top. Their light depends on beyond rows of tiles on each side.
func (r *Renderer) beginWindow(lo, hi, beyond int) {
	j, o := &r.job, &r.options
	rows := tileHeight / j.grid
	// The pattern of the occlusion repeats within RowStep. All rows of the window are needed:
	// what is drawn there must be cleared.
	top := j.need.Lo * rows / RowStep * RowStep
	j.need.Lo = top / rows
	bottom := min(j.need.Hi*rows, o.Height)
	j.window = window{top: top, height: bottom - top, pictureTop: lo - top, pictureHeight: hi - lo}
	most := min(hi-lo+2*(beyond*rows+RowStep), o.Height)
	j.window.mostKeys = newLayout(o.Width*j.grid, most*j.grid).keys()
	j.near = TileRows{max(j.near.Lo, j.need.Lo), min(j.near.Hi, j.need.Hi)}
	for _, t := range []*TileRows{&j.own, &j.near, &j.need} {
		t.Lo, t.Hi = t.Lo-top/rows, t.Hi-top/rows
	}
	r.layout = newLayout(o.Width*j.grid, j.window.height*j.grid)
	j.view.Height = int32(j.window.height * j.grid)
	j.view.CenterY -= int32(top * j.grid * array.Sub)
}

// RowsBytes returns the memory that FrameRows takes for so many rows, besides the mesh: for
// each worker's private frame, and for all of them together. reach is that of the camera, see
// Reach.
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

// Reach bounds how far away, in pixels, what a pixel's light depends on may lie: as cam, that
// of a whole picture, sees it, or as any camera does if that is nil.
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
