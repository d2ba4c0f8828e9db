package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/render/internal/keycode"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/view"
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

// Reach bounds the distance in pixels between a pixel and the pixels that its light depends
// on. cam is the camera of the whole picture; with nil the bound holds for every camera.
func (o Options) Reach(cam *Camera) int {
	switch {
	case !o.isDeferred() || !o.Occlusion:
		return 0
	case cam == nil:
		return view.MostReach
	}
	v, _ := cam.internal().Occlusion(o.Width, o.Height)
	return 2 * v.Margin()
}

// A frame can be drawn in parts, on several machines: each draws the blocks of the mesh
// that it owns into a Layer, and each lights some rows of the picture from what all layers
// hold there. The pictures are those of Frame, bit for bit, whoever owns which blocks and
// rows: merging keys is a minimum over depths, which has no order.

// A Layer holds what some blocks of a mesh leave in a frame before it is lit: the nearest
// key of every sample, by rows of tiles. It may be used again.
type Layer struct {
	rows    [][]byte
	samples []int // by row
}

// Rows returns the number of rows of tiles.
func (l *Layer) Rows() int { return len(l.rows) }

// Row returns the keys of a row of tiles, for Light. It is empty where the layer shows
// nothing. The bytes are those of the layer.
func (l *Layer) Row(ty int) []byte { return l.rows[ty] }

// Samples returns how many samples of a row of tiles the layer shows something in.
func (l *Layer) Samples(ty int) int { return l.samples[ty] }

// TileRows is a range of rows of tiles of a picture, Hi exclusive.
type TileRows struct{ Lo, Hi int }

// Len returns the number of rows.
func (t TileRows) Len() int { return t.Hi - t.Lo }

// Has reports whether a row is one of the range.
func (t TileRows) Has(ty int) bool { return t.Lo <= ty && ty < t.Hi }

// within returns the range with a margin on both sides, inside n rows.
func (t TileRows) within(margin, n int) TileRows {
	return TileRows{max(t.Lo-margin, 0), min(t.Hi+margin, n)}
}

// TileRows returns all rows of tiles of the picture.
func (r *Renderer) TileRows() TileRows { return TileRows{0, r.layout.tilesY} }

// PixelRows returns the rows of pixels that a range of rows of tiles holds, hi exclusive.
func (r *Renderer) PixelRows(t TileRows) (lo, hi int) {
	o := r.Options()
	rows := tileHeight / o.grid()
	return min(t.Lo*rows, o.Height), min(t.Hi*rows, o.Height)
}

// A Strip is the part of a frame that Light makes: rows of the picture.
type Strip struct {
	Own TileRows
	// Layers returns the rows of all layers, for every row of tiles that Needed names. It is
	// called by several goroutines at once.
	Layers func(ty int) [][]byte
}

// Blocks returns the number of blocks into which DrawLayer divides a source.
func (o Options) Blocks(source scenes.Source) (int, error) {
	o, err := o.withDefaults()
	if err != nil {
		return 0, err
	}
	return o.blocks(source), nil
}

// blocks is Blocks of options with defaults.
func (o *Options) blocks(source scenes.Source) int {
	if _, ok := source.(slicer); ok {
		return (source.Len() + o.BlockSize - 1) / o.BlockSize
	}
	return scenes.NumBlocks(source)
}

// DrawLayer draws some blocks of a source into l: of a mesh in memory, those of
// Options.BlockSize triangles, of another source its own, numbered from 0. Each may be
// named once. With Options.TimeBlocks, BlockSeconds then has the times of these blocks in
// their order. Errors are those of Frame; a layer that shows nothing is none.
func (r *Renderer) DrawLayer(ctx context.Context, source scenes.Source, cam Camera, blocks []int, l *Layer) (Stats, error) {
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("draw layer: %w", err)
	}
	defer r.unlock()
	if l == nil {
		return Stats{}, errors.New("draw layer: expected a layer")
	}
	if err := sources.Check(ctx, source); err != nil {
		return Stats{}, fmt.Errorf("draw layer: %w", err)
	}
	n := r.options.blocks(source)
	for _, b := range blocks {
		if b < 0 || b >= n {
			return Stats{}, fmt.Errorf("draw layer: block %d: expected 0 to %d", b, n-1)
		}
	}
	for len(l.rows) < r.layout.tilesY {
		l.rows, l.samples = append(l.rows, nil), append(l.samples, 0)
	}
	l.rows, l.samples = l.rows[:r.layout.tilesY], l.samples[:r.layout.tilesY]
	stats, err := r.run(ctx, source, &cam, frameParts{blocks: blocks, layer: l})
	if err != nil {
		return Stats{}, fmt.Errorf("draw layer: %w", err)
	}
	return stats, nil
}

// Needed returns the rows of tiles whose keys Light needs for rows of its own: occlusion
// looks beyond them.
func (r *Renderer) Needed(cam Camera, own TileRows) (TileRows, error) {
	if err := r.lock(); err != nil {
		return TileRows{}, fmt.Errorf("rows of a strip: %w", err)
	}
	defer r.unlock()
	return r.needed(&cam, own), nil
}

// needed is Needed with the renderer locked.
func (r *Renderer) needed(cam *Camera, own TileRows) TileRows {
	s := newSchedule(&r.options, &request{part: partGather, own: own, margin: r.occlusionMargin(cam)})
	return s.needed
}

// Light lights rows of a frame from the layers of all its blocks and writes them into pic,
// whose other rows keep what they held; Stats.Covered counts their pixels alone. The
// source is the mesh where pixels are lit one by one (it gives normals, colours and
// textures); other pictures do without one. Malformed rows of layers are an error. Other
// errors are those of Frame; rows that show nothing are none.
func (r *Renderer) Light(ctx context.Context, source scenes.Source, cam Camera, s Strip, pic *Picture) (Stats, error) {
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("light rows: %w", err)
	}
	defer r.unlock()
	switch {
	case pic == nil || s.Layers == nil:
		return Stats{}, errors.New("light rows: expected layers and a picture")
	case s.Own.Lo < 0 || s.Own.Hi > r.layout.tilesY || s.Own.Len() < 0:
		return Stats{}, fmt.Errorf("light rows %d to %d: expected some of 0 to %d", s.Own.Lo, s.Own.Hi, r.layout.tilesY)
	}
	stats, err := r.run(ctx, source, &cam, frameParts{strip: &s, picture: pic})
	if err != nil {
		return Stats{}, fmt.Errorf("light rows: %w", err)
	}
	return stats, nil
}

// encodeRow writes a merged row of tiles into a layer and clears it: the tiles that show
// something, one after the other, see package keycode.
func (r *Renderer) encodeRow(ty int, l *Layer) {
	row, samples := l.rows[ty][:0], 0
	tilesX := r.job.layout.tilesX
	for tx, f := range r.owners[ty*tilesX : (ty+1)*tilesX] {
		if f == nil {
			continue
		}
		n := 0
		row, n = keycode.Append(row, tx, f.keys[f.tile(tx, ty*tileHeight):], f.stride)
		samples += n
		f.touched[ty*tilesX+tx] = false
	}
	l.rows[ty], l.samples[ty] = row, samples
}

// collect merges the layers' rows into this worker's frame, until no row is left.
func (r *Renderer) collect(index int) {
	w := &r.workers[index]
	if r.job.stale && !w.frame.clear(r.cancelled) {
		return
	}
	w.frame.resize(r.job.layout, len(r.workers), 0)
	limit := uint64(1) << 32 // of payloads
	if r.job.deferred {
		limit = uint64(r.job.source.Len())
	}
	for {
		i, ok := r.units.Next(index)
		if !ok || r.cancelled() {
			return
		}
		ty := r.job.needed.Lo + i
		if err := w.addRow(r.job.parts.strip.Layers(ty), ty, limit); err != nil && w.err == nil {
			w.err = fmt.Errorf("row %d of tiles: %w", ty, err)
		}
	}
}

// addRow merges a row of tiles of all layers, whose payloads are below a limit, into a worker's
// frame.
func (w *worker) addRow(layers [][]byte, ty int, limit uint64) error {
	f := &w.frame
	tiles, err := w.chooser.Visible(layers, f.tilesX)
	if err != nil {
		return err
	}
	for i := range tiles {
		tx := tiles[i].Number
		f.touched[ty*f.tilesX+tx] = true
		if err := tiles[i].Merge(f.keys[f.tile(tx, ty*tileHeight):], f.stride, limit); err != nil {
			return err
		}
	}
	return nil
}

// finishLayer takes rows of tiles until none is left: it brings together what all workers
// drew there and moves it into the layer.
func (r *Renderer) finishLayer(index int) {
	for {
		ty, ok := r.rows.Next(index)
		if !ok || r.cancelled() || !r.mergeRow(ty, nil) {
			return
		}
		r.encodeRow(ty, r.job.parts.layer)
	}
}
