package part

import (
	"context"
	"errors"
	"fmt"

	"lockstep/render"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/view"
	"lockstep/scenes"
)

// RowStep is the number that the first row of DrawRows must be a multiple of.
const RowStep = tile.Height

// Rows is a range of rows of pixels, Hi exclusive.
type Rows struct{ Lo, Hi int }

// DrawRows draws some rows of a frame into pic, whose height becomes the number of these rows. The pixels are those of
// Renderer.Frame, but memory is allocated for these rows only. rows.Lo must be a multiple of RowStep, and so must
// rows.Hi unless it is the height of the picture. Blank rows are not an error; other errors are those of Frame. The
// statistics are those of the rows: a triangle outside them counts as culled.
func DrawRows(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, rows Rows, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Rows: &[2]int{rows.Lo, rows.Hi}}, pic)
}

// A Layer holds what some blocks of a mesh contribute to a frame before it is lit: the nearest key of every sample, by
// tile row. It may be reused.
type Layer struct{ layer parts.Layer }

// Rows returns the number of tile rows.
func (l *Layer) Rows() int { return len(l.layer.Rows) }

// Row returns the keys of tile row ty, for Light. It is empty if the layer shows nothing there. The bytes belong to the
// layer.
func (l *Layer) Row(ty int) []byte { return l.layer.Rows[ty] }

// Samples returns in how many samples of tile row ty the layer shows something.
func (l *Layer) Samples(ty int) int { return l.layer.Samples[ty] }

// TileRows is a range of tile rows of a picture, Hi exclusive.
type TileRows struct{ Lo, Hi int }

// Len returns the number of tile rows.
func (t TileRows) Len() int { return t.Hi - t.Lo }

// Has reports whether tile row ty is in the range.
func (t TileRows) Has(ty int) bool { return t.Lo <= ty && ty < t.Hi }

// All returns the range of all tile rows of the renderer's picture.
func All(r *render.Renderer) TileRows {
	o := r.Options()
	return TileRows{0, tile.New(1, o.Height*tile.Grid(o.Samples)).TilesY}
}

// Pixels returns the range of pixel rows that the tile rows t have in the renderer's picture, hi exclusive.
func Pixels(r *render.Renderer, t TileRows) (lo, hi int) {
	o := r.Options()
	rows := tile.Height / tile.Grid(o.Samples)
	return min(t.Lo*rows, o.Height), min(t.Hi*rows, o.Height)
}

// Blocks returns the number of blocks into which DrawLayer divides a source. It returns an error if the options are
// invalid.
func Blocks(o render.Options, source scenes.Source) (int, error) {
	o, err := o.Check()
	if err != nil {
		return 0, err
	}
	return sources.Blocks(source, o.BlockSize), nil
}

// DrawLayer draws some blocks of a source into l. A mesh in memory has blocks of Options.BlockSize triangles, another
// source has blocks of its own; both are numbered from 0. Each block may be listed once. If Options.TimeBlocks is set,
// Renderer.BlockSeconds then has the times of these blocks in the order of blocks. Errors are those of Renderer.Frame,
// except that a layer that shows nothing is not an error.
func DrawLayer(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, blocks []int, l *Layer) (render.Stats, error) {
	if l == nil {
		return render.Stats{}, errors.New("draw layer: expected a layer")
	}
	return r.Part(ctx, source, cam, parts.Part{Blocks: blocks, Layer: &l.layer}, nil)
}

// A Strip describes the part of a frame that Light makes: some rows of the picture.
type Strip struct {
	Own TileRows // the tile rows that are lit
	// Layers returns tile row ty of all layers. It is called for every tile row that Needed returns, by several
	// goroutines concurrently.
	Layers func(ty int) [][]byte
}

// Needed returns the tile rows whose keys Light needs to light the tile rows own. They are more than own because of
// occlusion. The error is that of a camera that can show nothing.
func Needed(r *render.Renderer, cam render.Camera, own TileRows) (TileRows, error) {
	o := r.Options()
	if err := (*view.Camera)(&cam).Check(o.Width, o.Height); err != nil {
		return TileRows{}, fmt.Errorf("rows of a strip: %w", err)
	}
	rows := tile.Height / tile.Grid(o.Samples)
	need := tile.Rows(own).Within((reach(&o, &cam)+rows-1)/rows, All(r).Hi)
	return TileRows(need), nil
}

// Light lights rows of a frame from the layers of all its blocks, and writes them into pic. Other rows of pic keep
// their contents; Stats.Covered counts only pixels of the lit rows. If pixels are lit one by one, source must be the
// mesh, from which normals, colours and textures come; otherwise source may be nil. Malformed rows of layers are an
// error. Other errors are those of Renderer.Frame, except that rows that show nothing are not an error.
func Light(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, s Strip, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Strip: &parts.Strip{Own: tile.Rows(s.Own), Layers: s.Layers}}, pic)
}

// reach returns the largest distance in pixels between a pixel and the pixels that its light depends on. cam is the
// camera of the whole picture; if it is nil, the result holds for every camera.
func reach(o *render.Options, cam *render.Camera) int {
	switch {
	case !o.InMemory() || !o.Occlusion:
		return 0
	case cam == nil:
		return view.MostReach
	}
	v, _ := (*view.Camera)(cam).Occlusion(o.Width, o.Height)
	return 2 * v.Margin()
}

// rowsBytes returns the bytes that DrawRows takes for the given number of rows, not counting the mesh: worker for the
// private frame of each worker, and shared for all workers together.
func rowsBytes(o render.Options, rows, reach int) (worker, shared int64, err error) {
	if o, err = o.Check(); err != nil {
		return 0, 0, err
	}
	grid, high := tile.Grid(o.Samples), rows
	const (
		occlusionBytes = 6 * 4 / 4 // six columns for a cell of four pixels
		visibleBytes   = 2 * 12    // a triangle, a place and a nearness; enough for most pixels of four samples
	)
	perPixel := int64(4)
	for _, extra := range [...]struct {
		wanted bool
		bytes  int64
	}{{o.Depth, 4}, {o.Coverage, 1}, {o.Triangles, 4}, {o.Normals, 12}, {o.InMemory(), visibleBytes}} {
		if extra.wanted {
			perPixel += extra.bytes
		}
	}
	if o.InMemory() && o.Occlusion {
		high = min(rows+2*(reach+RowStep), o.Height)
		shared = int64(o.Width) * int64(high) * occlusionBytes
	}
	worker = 8 * int64(tile.New(o.Width*grid, high*grid).Keys())
	return worker, shared + perPixel*int64(o.Width)*int64(rows), nil
}
