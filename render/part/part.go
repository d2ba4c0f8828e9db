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

// RowStep divides the number of the first row that DrawRows draws.
const RowStep = tile.Height

// Rows is a range of rows of pixels, Hi exclusive.
type Rows struct{ Lo, Hi int }

// DrawRows draws some rows of a frame into pic, which becomes as high as they are. The pixels are those of
// Renderer.Frame, and memory is taken for these rows alone. rows.Lo is a multiple of RowStep, and so is rows.Hi unless it
// is the height of the picture. Blank rows are no error; other errors are those of Frame. Statistics are those of the
// rows: a triangle outside them counts as culled.
func DrawRows(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, rows Rows, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Rows: &[2]int{rows.Lo, rows.Hi}}, pic)
}

// A Layer holds what some blocks of a mesh leave in a frame before it is lit: the nearest
// key of every sample, by rows of tiles. It may be used again.
type Layer struct{ layer parts.Layer }

// Rows returns the number of rows of tiles.
func (l *Layer) Rows() int { return len(l.layer.Rows) }

// Row returns the keys of a row of tiles, for Light. It is empty where the layer shows
// nothing. The bytes are those of the layer.
func (l *Layer) Row(ty int) []byte { return l.layer.Rows[ty] }

// Samples returns how many samples of a row of tiles the layer shows something in.
func (l *Layer) Samples(ty int) int { return l.layer.Samples[ty] }

// TileRows is a range of rows of tiles of a picture, Hi exclusive.
type TileRows struct{ Lo, Hi int }

// Len returns the number of rows.
func (t TileRows) Len() int { return t.Hi - t.Lo }

// Has reports whether a row is one of the range.
func (t TileRows) Has(ty int) bool { return t.Lo <= ty && ty < t.Hi }

// All returns all rows of tiles of the renderer's picture.
func All(r *render.Renderer) TileRows {
	o := r.Options()
	return TileRows{0, tile.New(1, o.Height*tile.Grid(o.Samples)).TilesY}
}

// Pixels returns the rows of pixels that a range of rows of tiles holds in the renderer's picture, hi exclusive.
func Pixels(r *render.Renderer, t TileRows) (lo, hi int) {
	o := r.Options()
	rows := tile.Height / tile.Grid(o.Samples)
	return min(t.Lo*rows, o.Height), min(t.Hi*rows, o.Height)
}

// Blocks returns the number of blocks into which DrawLayer divides a source. Errors are those of the options.
func Blocks(o render.Options, source scenes.Source) (int, error) {
	o, err := o.Check()
	if err != nil {
		return 0, err
	}
	return sources.Blocks(source, o.BlockSize), nil
}

// DrawLayer draws some blocks of a source into l: of a mesh in memory, those of
// Options.BlockSize triangles, of another source its own, numbered from 0. Each may be
// named once. With Options.TimeBlocks, Renderer.BlockSeconds then has the times of these blocks in
// their order. Errors are those of Renderer.Frame; a layer that shows nothing is none.
func DrawLayer(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, blocks []int, l *Layer) (render.Stats, error) {
	if l == nil {
		return render.Stats{}, errors.New("draw layer: expected a layer")
	}
	return r.Part(ctx, source, cam, parts.Part{Blocks: blocks, Layer: &l.layer}, nil)
}

// A Strip is the part of a frame that Light makes: rows of the picture.
type Strip struct {
	Own TileRows // the rows that are lit
	// Layers returns the rows of all layers, for every row of tiles that Needed names. It is
	// called by several goroutines at once.
	Layers func(ty int) [][]byte
}

// Needed returns the rows of tiles whose keys Light needs for rows of its own: occlusion
// looks beyond them. The error is that of a camera that can show nothing.
func Needed(r *render.Renderer, cam render.Camera, own TileRows) (TileRows, error) {
	o := r.Options()
	if err := (*view.Camera)(&cam).Check(o.Width, o.Height); err != nil {
		return TileRows{}, fmt.Errorf("rows of a strip: %w", err)
	}
	rows := tile.Height / tile.Grid(o.Samples)
	need := tile.Rows(own).Within((reach(&o, &cam)+rows-1)/rows, All(r).Hi)
	return TileRows(need), nil
}

// Light lights rows of a frame from the layers of all its blocks and writes them into pic,
// whose other rows keep what they held; Stats.Covered counts their pixels alone. The
// source is the mesh where pixels are lit one by one (it gives normals, colours and
// textures); other pictures do without one. Malformed rows of layers are an error. Other
// errors are those of Renderer.Frame; rows that show nothing are none.
func Light(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, s Strip, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Strip: &parts.Strip{Own: tile.Rows(s.Own), Layers: s.Layers}}, pic)
}

// reach bounds the distance in pixels between a pixel and the pixels that its light depends
// on. cam is the camera of the whole picture; with nil the bound holds for every camera.
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

// rowsBytes returns the bytes that DrawRows takes for a number of rows, besides the mesh:
// worker for the private frame of each worker, and shared for all workers together.
func rowsBytes(o render.Options, rows, reach int) (worker, shared int64, err error) {
	if o, err = o.Check(); err != nil {
		return 0, 0, err
	}
	grid, high := tile.Grid(o.Samples), rows
	const (
		occlusionBytes = 6 * 4 / 4 // six columns of a cell of four pixels
		visibleBytes   = 2 * 12    // a triangle, a place and a nearness, for most pixels of four samples
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
