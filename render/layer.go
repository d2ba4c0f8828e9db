package render

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"lockstep/render/internal/kernel/array"
	"lockstep/scenes"
)

// A frame can be drawn in parts, on several machines: each draws the blocks of the mesh
// that it owns into a Layer, and each lights some rows of the picture from what all layers
// hold there. The pictures are those of Frame, bit for bit, whoever owns which blocks and
// rows: merging keys is a minimum over depths, which has no order.

// A Layer holds what some blocks of a mesh leave in a frame before it is lit: the nearest
// key of every sample, by rows of tiles. It may be used again.
type Layer struct{ rows [][]byte }

// Rows returns the number of rows of tiles.
func (l *Layer) Rows() int { return len(l.rows) }

// Row returns the keys of a row of tiles, for Light. It is empty where the layer shows
// nothing. The bytes are those of the layer.
func (l *Layer) Row(ty int) []byte { return l.rows[ty] }

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

// Blocks returns into how many blocks DrawLayer divides a source.
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
	defer r.mu.Unlock()
	if source == nil || l == nil {
		return Stats{}, errors.New("draw layer: want a source and a layer")
	}
	n := r.options.blocks(source)
	for _, b := range blocks {
		if b < 0 || b >= n {
			return Stats{}, fmt.Errorf("draw layer: block %d: want 0 to %d", b, n-1)
		}
	}
	for len(l.rows) < r.layout.tilesY {
		l.rows = append(l.rows, nil)
	}
	l.rows = l.rows[:r.layout.tilesY]
	stats, err := r.run(ctx, source, &cam, frameParts{blocks: blocks, some: true, layer: l})
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
	defer r.mu.Unlock()
	return r.needed(&cam, own), nil
}

// needed is Needed with the renderer locked.
func (r *Renderer) needed(cam *Camera, own TileRows) TileRows {
	return own.within(r.beyond(cam), r.layout.tilesY)
}

// beyond returns how many rows of tiles above and below its own a row's light depends on.
func (r *Renderer) beyond(cam *Camera) int {
	o := &r.options
	if !o.isDeferred() || !o.Occlusion {
		return 0
	}
	r.deferred.scale = cam.scale()
	v := r.deferred.occlusionView(o, cam)
	return r.marginRows(v.Margin())
}

// marginRows returns how many rows of tiles that many rows of cells reach into.
func (r *Renderer) marginRows(cells int) int {
	rows := tileHeight / r.options.grid()
	return (2*cells + rows - 1) / rows
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
	defer r.mu.Unlock()
	switch {
	case pic == nil || s.Layers == nil:
		return Stats{}, errors.New("light rows: want layers and a picture")
	case s.Own.Lo < 0 || s.Own.Hi > r.layout.tilesY || s.Own.Len() < 0:
		return Stats{}, fmt.Errorf("light rows %d to %d: want some of 0 to %d", s.Own.Lo, s.Own.Hi, r.layout.tilesY)
	}
	stats, err := r.run(ctx, source, &cam, frameParts{strip: &s, picture: pic})
	if err != nil {
		return Stats{}, fmt.Errorf("light rows: %w", err)
	}
	return stats, nil
}

// A row of a layer is a sequence of tiles that show something, each: its number in the row
// (2 bytes), a bit for every sample that is set, row by row (16 times 8 bytes, the lowest
// bit on the left), and their keys (8 bytes each). All are little-endian.
const (
	tileNumberBytes = 2
	tileBitsBytes   = tileHeight * tileWidth / 8
	keyBytes        = 8
	tileHeadBytes   = tileNumberBytes + tileBitsBytes
)

// encodeRow writes a merged row of tiles into a layer and clears it.
func (r *Renderer) encodeRow(ty int, l *Layer) {
	row := l.rows[ty][:0]
	tilesX := r.layout.tilesX
	for tx, f := range r.owners[ty*tilesX : (ty+1)*tilesX] {
		if f == nil {
			continue
		}
		row = f.appendTile(row, tx, ty)
		f.touched[ty*tilesX+tx] = false
	}
	l.rows[ty] = row
}

// appendTile appends a tile to a row of a layer, unless it is empty, and clears it.
func (f *frame) appendTile(row []byte, tx, ty int) []byte {
	start := len(row)
	row = slices.Grow(row, tileHeadBytes+tileWidth*tileHeight*keyBytes)
	at, set := start+tileHeadBytes, 0
	all := row[:cap(row)]
	binary.LittleEndian.PutUint16(all[start:], uint16(tx))
	for y := range tileHeight {
		keys := f.keys[f.tile(tx, ty*tileHeight+y):][:tileWidth]
		bitmap := uint64(0)
		for x, key := range keys {
			if key != 0 {
				bitmap |= 1 << x
				binary.LittleEndian.PutUint64(all[at+keyBytes*set:], key)
				set++
			}
		}
		binary.LittleEndian.PutUint64(all[start+tileNumberBytes+8*y:], bitmap)
		if bitmap != 0 {
			clear(keys)
		}
	}
	if set == 0 {
		return row[:start]
	}
	return all[:at+keyBytes*set]
}

// errLayer is the cause of every error of a malformed layer.
var errLayer = errors.New("malformed layer")

// collect merges the layers' rows into this worker's frame, until no row is left.
func (r *Renderer) collect(index int) {
	w := &r.workers[index]
	if r.job.stale && !w.frame.clear(r.cancelled) {
		return
	}
	w.frame.resize(r.layout, len(r.workers), 0)
	limit := uint64(1) << 32 // of payloads
	if r.job.deferred {
		limit = uint64(r.job.source.Len())
	}
	for {
		i, ok := r.units.Next(index)
		if !ok || r.cancelled() {
			return
		}
		ty := r.job.need.Lo + i
		for _, row := range r.job.parts.strip.Layers(ty) {
			if err := w.frame.addRow(row, ty, limit); err != nil && w.err == nil {
				w.err = fmt.Errorf("row %d of tiles: %w", ty, err)
			}
		}
	}
}

// addRow merges a layer's row of tiles, whose payloads are below a limit, into a frame.
func (f *frame) addRow(row []byte, ty int, limit uint64) error {
	last := -1
	for len(row) > 0 {
		if len(row) < tileHeadBytes {
			return fmt.Errorf("%w: %d bytes of a tile", errLayer, len(row))
		}
		tx := int(binary.LittleEndian.Uint16(row))
		if tx >= f.tilesX || tx <= last {
			return fmt.Errorf("%w: tile %d of %d after %d", errLayer, tx, f.tilesX, last)
		}
		last = tx
		head, keys := row[tileNumberBytes:tileHeadBytes], row[tileHeadBytes:]
		set := 0
		for y := range tileHeight {
			set += bits.OnesCount64(binary.LittleEndian.Uint64(head[8*y:]))
		}
		if len(keys) < set*keyBytes {
			return fmt.Errorf("%w: %d bytes for %d keys", errLayer, len(keys), set)
		}
		if most := greatestPayload(keys[:set*keyBytes]); uint64(most) >= limit {
			return fmt.Errorf("%w: triangle %d of %d", errLayer, most, limit)
		}
		f.addTile(head, keys, tx, ty)
		f.touched[ty*f.tilesX+tx] = true
		row = keys[set*keyBytes:]
	}
	return nil
}

// greatestPayload returns the greatest payload of encoded keys.
func greatestPayload(keys []byte) uint32 {
	var most uint32
	for ; len(keys) > 0; keys = keys[keyBytes:] {
		most = max(most, array.Payload(binary.LittleEndian.Uint64(keys)))
	}
	return most
}

// addTile merges a tile's keys into a frame.
func (f *frame) addTile(head, keys []byte, tx, ty int) {
	for y := range tileHeight {
		to := f.keys[f.tile(tx, ty*tileHeight+y):][:tileWidth]
		for bitmap := binary.LittleEndian.Uint64(head[8*y:]); bitmap != 0; bitmap &= bitmap - 1 {
			x := bits.TrailingZeros64(bitmap)
			to[x] = max(to[x], binary.LittleEndian.Uint64(keys))
			keys = keys[keyBytes:]
		}
	}
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
