package frame

import (
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// Layer is the last stage of frames that go into a layer: it merges rows of tiles and moves their keys there.
type Layer struct {
	frame LayerFrame
	left  machine.Ranges // rows of tiles
}

// A LayerFrame is what the stage wants to know of a frame.
type LayerFrame struct {
	Workers int
	Layer   *parts.Layer
	Rows    int                // of tiles
	Merge   *framebuffer.Merge // which has begun
	Stop    func() bool        // whether the frame was called off
}

// Begin prepares for a frame.
func (l *Layer) Begin(f LayerFrame) {
	l.frame = f
	l.left.Reset(f.Workers, f.Rows)
}

// End ends a frame, and lets its layer be collected.
func (l *Layer) End(bool) { l.frame = LayerFrame{} }

// Written returns nothing: no pixel is written.
func (l *Layer) Written(int) Written { return Written{} }

// Run takes rows of tiles until none is left.
func (l *Layer) Run(worker int) {
	for {
		ty, ok := l.left.Next(worker)
		if !ok || l.frame.Stop() || !l.frame.Merge.Run(ty, nil) {
			return
		}
		l.encode(ty)
	}
}

// encode writes a merged row of tiles into the layer and clears it: the tiles that show something, one after the other,
// see package keycode.
func (l *Layer) encode(ty int) {
	to := l.frame.Layer
	row, samples := to.Rows[ty][:0], 0
	for tx, f := range l.frame.Merge.Owners(ty) {
		if f == nil {
			continue
		}
		n := 0
		row, n = keycode.Append(row, tx, f.Keys[f.Tile(tx, ty*tile.Height):], f.Stride)
		samples += n
		f.TouchedRow(ty)[tx] = false
	}
	to.Rows[ty], to.Samples[ty] = row, samples
}
