package film

import (
	"context"
	"math"

	"lockstep/cluster/split"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/scenes"
)

// parts draws parts of the frames of a film. It implements split.Drawer.
type partDrawer struct {
	*frames
	shape  split.Shape
	free   []*layer
	blocks *blockCache // nil: all of the mesh is in memory
	owned  *int        // the first of the blocks that are drawn
}

// newParts returns what draws parts of a film.
func newPartDrawer(f *frames) (*partDrawer, error) {
	shape, err := f.shape()
	p := &partDrawer{frames: f, shape: shape}
	if _, streamed := f.Input.Source.(scenes.Stream); streamed {
		p.blocks = newBlockCache(f.Input.Source, f.blockMemory())
		f.Input.Source = p.blocks
	}
	return p, err
}

// blockRoom returns how many bytes of the mesh a node may keep.
func (f *frames) blockMemory() int64 {
	opts := scenes.ReadOptions{MaxMemory: f.spec.Drawing.MaxMemory}
	if f.memory != nil {
		f.memory.LimitMesh(&opts, f.Renderer.Options())
	}
	if opts.MaxMemory == 0 {
		return math.MaxInt64
	}
	return opts.MaxMemory
}

// Prefetch implements split.Prefetcher.
func (f *partDrawer) Prefetch(ctx context.Context, blocks []int) error {
	if f.blocks == nil {
		return nil
	}
	return f.blocks.prefetch(ctx, blocks)
}

// shape returns the size of a film's frames.
func (f *frames) shape() (split.Shape, error) {
	blocks, err := f.Renderer.Options().Blocks(f.Input.Source)
	if err != nil {
		return split.Shape{}, err
	}
	_, tileHeight := f.Renderer.PixelRows(render.TileRows{Hi: 1})
	band := 0
	if f.slabs != nil {
		band = f.slabs.Rows()
	}
	return split.Shape{
		Frames: len(f.cams), Blocks: blocks, Rows: f.Renderer.TileRows().Len(), Width: f.Width, Height: f.Height, TileHeight: tileHeight, Band: band,
	}, nil
}

// linkLimit bounds the messages between nodes: all keys of a picture, and as much again.
func (f *frames) linkLimit() int {
	o := f.Renderer.Options()
	return 16*o.Width*o.Height*max(o.Samples, 1) + 1<<20
}

// Shape implements split.Drawer.
func (f *partDrawer) Shape() split.Shape { return f.shape }

// A layer is a layer that goes back to its film.
type layer struct {
	render.Layer
	seconds []float64
	owner   *partDrawer
}

// Seconds implements split.Layer.
func (l *layer) Seconds() []float64 { return l.seconds }

// Release implements split.Layer.
func (l *layer) Release() { l.owner.free = append(l.owner.free, l) }

// Draw implements split.Drawer.
func (f *partDrawer) Draw(ctx context.Context, k int, blocks []int) (split.Layer, error) {
	l := &layer{owner: f}
	if n := len(f.free); n > 0 {
		l, f.free = f.free[n-1], f.free[:n-1]
	}
	if f.blocks != nil && len(blocks) > 0 && f.owned != &blocks[0] { // another plan holds
		f.owned = &blocks[0]
		f.blocks.setOwned(blocks)
	}
	if _, err := f.Renderer.DrawLayer(ctx, f.Input.Source, f.cams[k], blocks, &l.Layer); err != nil {
		return nil, damaged("%s: %w", f.Input.Name, err)
	}
	l.seconds = append(l.seconds[:0], f.Renderer.BlockSeconds()...)
	return l, nil
}

// Needed implements split.Drawer.
func (f *partDrawer) Needed(k int, own split.Rows) (split.Rows, error) {
	need, err := f.Renderer.Needed(f.cams[k], f.around(own))
	return split.Rows(need), err
}

// Light implements split.Drawer. What is drawn over pictures is drawn over each strip, as over bands of a
// picture that is too large for memory: code that looks at the depths around a pixel wants a row more
// on each side.
func (f *partDrawer) Light(ctx context.Context, k int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	if own.Len() == 0 {
		return nil, 0, nil
	}
	strip := render.Strip{Own: f.around(own), Layers: layers}
	stats, err := f.Renderer.Light(ctx, f.Input.Source, f.cams[k], strip, &f.pic)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := f.Renderer.PixelRows(strip.Own)
	part := rowsOf(&f.pic, lo, hi)
	if err := f.Annotate(ctx, &f.cams[k], &part, f.Height, lo); err != nil {
		return nil, 0, err
	}
	lo, hi = f.Renderer.PixelRows(render.TileRows(own))
	return f.pic.Pix[4*f.Width*lo : 4*f.Width*hi], min(int(stats.Covered), f.Width*(hi-lo)), nil
}

// around returns the rows that are lit for own rows.
func (f *partDrawer) around(own split.Rows) render.TileRows {
	if own.Len() == 0 || !f.Renderer.Options().Depth {
		return render.TileRows(own)
	}
	return render.TileRows{Lo: max(own.Lo-1, 0), Hi: min(own.Hi+1, f.shape.Rows)}
}

// rowsOf returns rows lo to hi (exclusive) of a picture as one of their own.
func rowsOf(pic *render.Picture, lo, hi int) render.Picture {
	w := pic.Width
	rows := render.Picture{Width: w, Height: hi - lo, Pix: pic.Pix[4*w*lo : 4*w*hi]}
	if pic.Depth != nil {
		rows.Depth = pic.Depth[w*lo : w*hi]
	}
	if pic.Coverage != nil {
		rows.Coverage = pic.Coverage[w*lo : w*hi]
	}
	return rows
}

// newBands returns how the owners of rows encode a film's pictures; nil: they send pixels. With --small
// the channels that a file has depend on all pixels.
func (f *frames) newSlabs(ctx context.Context) (*png.Bands, error) {
	if f.spec.Output.Small {
		return nil, nil
	}
	return png.NewBands(f.Width, f.Height, f.pngOptions(ctx, nil))
}

// Encode implements split.Encoder.
func (f *partDrawer) Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	return f.encoder.AppendBands(dst, f.slabs, lo, hi, pixels, f.RunTasks(ctx))
}

// checkPart is split.RootOptions.Check.
func (f *frames) checkPart(part []byte, lo, hi int, whole bool) error {
	if whole {
		return f.slabs.Verify(part, lo, hi)
	}
	return f.slabs.Check(part, lo, hi)
}
