package film

import (
	"context"
	"math"

	"lockstep/cluster/split"
	"lockstep/render"
	"lockstep/render/part"
	"lockstep/render/png"
	"lockstep/scenes"
)

// A partDrawer draws parts of the frames of a film: some blocks of the mesh, or some rows of the picture. It implements
// split.Drawer.
type partDrawer struct {
	*frames
	shape split.Shape
	free  []*layer
	// blocks caches blocks of the mesh. It is nil if the whole mesh is in memory.
	blocks *blockCache
	// owned points to the first element of the list of blocks that the latest call of Draw got. From this pointer Draw
	// sees whether it has got a new list.
	owned *int
}

// newPartDrawer returns a drawer of parts of the frames f.
func newPartDrawer(f *frames) (*partDrawer, error) {
	shape, err := f.splitShape()
	p := &partDrawer{frames: f, shape: shape}
	_, stored := f.Input.Source.(*render.Stored) // a render.Stored has a cache of its own
	if _, streamed := f.Input.Source.(scenes.Stream); streamed && !stored {
		p.blocks = newBlockCache(f.Input.Source, f.blockMemory())
		f.Input.Source = p.blocks
	}
	return p, err
}

// blockMemory returns how many bytes of the mesh this node may keep in memory.
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
func (d *partDrawer) Prefetch(ctx context.Context, blocks []int) error {
	if d.blocks == nil {
		return nil
	}
	return d.blocks.prefetch(ctx, blocks)
}

// splitShape returns the size of the pictures and the number of blocks of the mesh, for package split.
func (f *frames) splitShape() (split.Shape, error) {
	blocks, err := part.Blocks(f.Renderer.Options(), f.Input.Source)
	if err != nil {
		return split.Shape{}, err
	}
	_, tileHeight := part.Pixels(f.Renderer, part.TileRows{Hi: 1})
	band := 0
	if f.slabs != nil {
		band = f.slabs.Rows()
	}
	return split.Shape{
		Frames: len(f.cams), Blocks: blocks, Rows: part.All(f.Renderer).Len(), Width: f.Width, Height: f.Height, TileHeight: tileHeight, Slab: band,
	}, nil
}

// linkLimit returns the largest size of a message between nodes, in bytes. A sample takes 8 bytes. The limit is twice
// the size of all samples of a picture, plus 1 MiB.
func (f *frames) linkLimit() int {
	o := f.Renderer.Options()
	return 16*o.Width*o.Height*max(o.Samples, 1) + 1<<20
}

// Shape implements split.Drawer.
func (d *partDrawer) Shape() split.Shape { return d.shape }

// A layer holds the samples that one node's blocks cover. It implements split.Layer. Release gives the memory of the
// layer back to its drawer.
type layer struct {
	part.Layer
	seconds []float64
	drawer  *partDrawer
}

// Seconds implements split.Layer.
func (l *layer) Seconds() []float64 { return l.seconds }

// Release implements split.Layer.
func (l *layer) Release() { l.drawer.free = append(l.drawer.free, l) }

// Draw implements split.Drawer.
func (d *partDrawer) Draw(ctx context.Context, k int, blocks []int) (split.Layer, error) {
	l := &layer{drawer: d}
	if n := len(d.free); n > 0 {
		l, d.free = d.free[n-1], d.free[:n-1]
	}
	// A new list of blocks means that owners have changed.
	if d.blocks != nil && len(blocks) > 0 && d.owned != &blocks[0] {
		d.owned = &blocks[0]
		d.blocks.setOwned(blocks)
	}
	if _, err := part.DrawLayer(ctx, d.Renderer, d.Input.Source, d.cams[k], blocks, &l.Layer); err != nil {
		return nil, damagedError("%s: %w", d.Input.Name, err)
	}
	l.seconds = append(l.seconds[:0], d.Renderer.BlockSeconds()...)
	return l, nil
}

// Needed implements split.Drawer.
func (d *partDrawer) Needed(k int, own split.Rows) (split.Rows, error) {
	need, err := part.Needed(d.Renderer, d.cams[k], d.rowsToLight(own))
	return split.Rows(need), err
}

// Light implements split.Drawer. It computes the colours of the tile rows in own, and draws lines and labels on them.
// Some lines are found by comparing the depths around a pixel. They need one more tile row on each side.
func (d *partDrawer) Light(ctx context.Context, k int, own split.Rows, layers func(row int) [][]byte) ([]byte, int, error) {
	if own.Len() == 0 {
		return nil, 0, nil
	}
	strip := part.Strip{Own: d.rowsToLight(own), Layers: layers}
	stats, err := part.Light(ctx, d.Renderer, d.Input.Source, d.cams[k], strip, &d.pic)
	if err != nil {
		return nil, 0, err
	}
	lo, hi := part.Pixels(d.Renderer, strip.Own)
	lit := rowsOf(&d.pic, lo, hi)
	if err := d.Annotate(ctx, &d.cams[k], &lit, d.Height, lo); err != nil {
		return nil, 0, err
	}
	lo, hi = part.Pixels(d.Renderer, part.TileRows(own))
	return d.pic.Pix[4*d.Width*lo : 4*d.Width*hi], min(int(stats.Covered), d.Width*(hi-lo)), nil
}

// rowsToLight returns the tile rows that must be lit before annotations can be drawn on the tile rows in own.
func (d *partDrawer) rowsToLight(own split.Rows) part.TileRows {
	if own.Len() == 0 || !d.Renderer.Options().Depth {
		return part.TileRows(own)
	}
	return part.TileRows{Lo: max(own.Lo-1, 0), Hi: min(own.Hi+1, d.shape.Rows)}
}

// rowsOf returns rows lo to hi-1 of a picture. The result shares the memory of the picture.
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

// newSlabs returns the encoder with which nodes encode their rows. It returns nil if nodes send pixels. With
// Output.Small nodes send pixels, because the number of channels in the file depends on all pixels.
func (f *frames) newSlabs(ctx context.Context) (*png.Bands, error) {
	if f.spec.Output.Small {
		return nil, nil
	}
	return png.NewBands(f.Width, f.Height, f.pngOptions(ctx, nil))
}

// Encode implements split.Encoder.
func (d *partDrawer) Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error) {
	return d.encoder.AppendBands(dst, d.slabs, lo, hi, pixels, d.RunTasks(ctx))
}

// checkPart checks a part of a picture that a node has sent. The root uses it as split.RootOptions.Check.
func (f *frames) checkPart(part []byte, lo, hi int, whole bool) error {
	if whole {
		return f.slabs.Verify(part, lo, hi)
	}
	return f.slabs.Check(part, lo, hi)
}
