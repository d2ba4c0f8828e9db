package part

import (
	"context"
	"errors"
	"fmt"

	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/view"
	"lockstep/scenes"
)

// RowStep is the distance between the rows at which DrawRows may begin: Rows.Lo must be a multiple of RowStep.
const RowStep = tile.Height

// Rows is a range of rows of pixels from Lo to Hi (exclusive).
type Rows struct{ Lo, Hi int }

// DrawRows draws some rows of a frame into pic. The height of pic becomes the number of these rows. The pixels are
// those of Renderer.Frame, but memory is allocated only for these rows. rows.Lo must be a multiple of RowStep.
// rows.Hi must be a multiple of RowStep, too, or the height of the picture.
//
// The statistics are those of the rows: a triangle outside the rows counts as culled. Blank rows are not an error.
// Other errors are those of Frame.
func DrawRows(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, rows Rows, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Rows: &[2]int{rows.Lo, rows.Hi}}, pic)
}

// A Layer holds the contribution of some blocks of a mesh to a frame, before lighting. For each sample it has the key
// of the nearest surface in these blocks. A key holds the nearness of the surface, and its triangle or colour. Keys are
// ordered by tile row. A tile row has RowStep rows of samples. A Layer may be used for several frames, one after the
// other.
type Layer struct{ layer parts.Layer }

// Rows returns the number of tile rows.
func (l *Layer) Rows() int { return len(l.layer.Rows) }

// Row returns the keys of tile row ty, for Light. The result is empty if the layer shows nothing there. The bytes
// belong to the layer.
func (l *Layer) Row(ty int) []byte { return l.layer.Rows[ty] }

// Samples returns the number of samples of tile row ty in which the layer shows something.
func (l *Layer) Samples(ty int) int { return l.layer.Samples[ty] }

// TileRows is a range of tile rows of a picture, from Lo to Hi (exclusive). A tile row has RowStep rows of samples.
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

// Pixels returns the rows of pixels, lo to hi (exclusive), that tile rows t cover in the renderer's picture.
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

// DrawLayer draws the given blocks of a source into l. Blocks are numbered from 0. Blocks of a mesh in memory have
// Options.BlockSize triangles; other sources define their own. The slice blocks must not contain a block twice. With
// Options.TimeBlocks, Renderer.BlockSeconds then returns the times of these blocks, in the order of the slice.
//
// DrawLayer returns the errors of Renderer.Frame, but a layer that shows nothing is not an error.
func DrawLayer(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, blocks []int, l *Layer) (render.Stats, error) {
	if l == nil {
		return render.Stats{}, errors.New("draw layer: expected a layer")
	}
	return r.Part(ctx, source, cam, parts.Part{Blocks: blocks, Layer: &l.layer}, nil)
}

// A Strip describes the rows of a picture that Light lights.
type Strip struct {
	Own TileRows // tile rows that are lit
	// Layers returns the keys of all layers in tile row ty, in the form of Layer.Row. It is called for every tile row
	// that Needed returns. Several goroutines may call it at the same time.
	Layers func(ty int) [][]byte
}

// Needed returns the tile rows whose keys Light needs in order to light the tile rows `own`. With occlusion these are
// more than `own`, because the light of a pixel also depends on pixels around it. Needed returns an error if cam
// cannot show anything.
func Needed(r *render.Renderer, cam render.Camera, own TileRows) (TileRows, error) {
	o := r.Options()
	if err := (*view.Camera)(&cam).Check(o.Width, o.Height); err != nil {
		return TileRows{}, fmt.Errorf("rows of a strip: %w", err)
	}
	rows := tile.Height / tile.Grid(o.Samples)
	need := tile.Rows(own).Within((reach(&o, &cam)+rows-1)/rows, All(r).Hi)
	return TileRows(need), nil
}

// Light lights rows of a frame from the layers of all blocks of the frame, and writes the rows into pic. Other rows
// of pic do not change. Stats.Covered counts only pixels of the lit rows.
//
// The frame's source is needed if it is a cloud, or if Options.InMemory returns true for the options. Otherwise source
// may be nil. Malformed rows of layers are an error. Blank rows are not an error.
// Other errors are those of Renderer.Frame.
func Light(ctx context.Context, r *render.Renderer, source scenes.Source, cam render.Camera, s Strip, pic *render.Picture) (render.Stats, error) {
	return r.Part(ctx, source, cam, parts.Part{Strip: &parts.Strip{Own: tile.Rows(s.Own), Layers: s.Layers}}, pic)
}

// reach returns the largest distance in pixels between a pixel and the pixels on which its light depends. cam is the
// camera of the whole picture. If cam is nil, the result is valid for every camera.
func reach(o *render.Options, cam *render.Camera) int {
	most := 0
	if o.EyeDome && o.Light == render.LightStudio {
		most = dome.MaxReach
	}
	switch {
	case !o.InMemory() || !o.Occlusion:
		return most
	case cam == nil:
		return max(most, view.MostReach)
	}
	v, _ := (*view.Camera)(cam).Occlusion(o.Width, o.Height)
	return max(most, 2*v.Margin())
}

// rowsBytes returns the memory in bytes that DrawRows needs for the given number of rows, without the mesh. The result
// has two parts: `worker`, for the private frame of each worker, and `shared`, for data that all workers use. `shows`
// says that glass shows a picture of what is behind it.
func rowsBytes(o render.Options, rows, reach int, shows bool) (worker, shared int64, err error) {
	if o, err = o.Check(); err != nil {
		return 0, 0, err
	}
	grid, high := tile.Grid(o.Samples), rows
	perPixel := int64(4)
	for _, extra := range [...]struct {
		wanted bool
		bytes  int64
	}{{o.Depth, 4}, {o.Coverage, 1}, {o.Triangles, 4}, {o.Normals, 12}} {
		if extra.wanted {
			perPixel += extra.bytes
		}
	}
	if reach > 0 {
		high = min(rows+2*(reach+RowStep), o.Height)
	}
	lit := o
	lit.Height = high
	shared = footprint.Lit(lit)
	worker = 8 * int64(tile.New(o.Width*grid, high*grid).Keys())
	if shows { // memory for the light of the picture behind may still be held when a band needs memory for its light
		frames, light, picture := footprint.BehindParts(o)
		worker, shared = max(worker, frames), shared+light+picture
	}
	return worker, shared + perPixel*int64(o.Width)*int64(rows), nil
}
