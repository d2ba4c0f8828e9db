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

// beginRows sets the rows of tiles that the frame lights, finds occlusion for, and draws.
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

// beginWindow limits the frame to the rows that are needed to light rows lo to hi, which depend
// on beyond rows of tiles on each side. Rows of tiles then count from the window's top.
func (r *Renderer) beginWindow(lo, hi, beyond int) {
	j, o := &r.job, &r.options
	rows := tileHeight / j.grid
	// The window begins at a multiple of RowStep, since the pattern of the occlusion repeats
	// within it. All of its rows are merged, so that they are cleared as well.
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
