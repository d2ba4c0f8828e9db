package frame

import (
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// Layer is the last stage of frames that are drawn into a layer. It merges tile rows and moves their keys into the
// layer. Another process combines several layers into a picture.
type Layer struct {
	frame     LayerFrame
	remaining machine.Ranges // tile rows that no worker has taken yet
}

// A LayerFrame holds the parameters of the stage for a frame.
type LayerFrame struct {
	Workers int
	Layer   *parts.Layer
	Rows    int                // number of tile rows
	Merge   *framebuffer.Merge // its Begin must be called first
	Stop    func() bool        // reports whether the frame was called off
}

// Begin prepares for a frame.
func (l *Layer) Begin(f LayerFrame) {
	l.frame = f
	l.remaining.Reset(f.Workers, f.Rows)
}

// End ends a frame and drops the frame's layer, so that the layer can be garbage collected.
func (l *Layer) End(bool) { l.frame = LayerFrame{} }

// Written returns zeros, because the stage writes no pixels.
func (l *Layer) Written(int) Written { return Written{} }

// Run encodes tile rows into the layer until no row is left or the frame is called off.
func (l *Layer) Run(worker int) {
	for {
		ty, ok := l.remaining.Next(worker)
		if !ok || l.frame.Stop() || !l.frame.Merge.Run(ty, nil) {
			return
		}
		l.encode(ty)
	}
}

// encode writes tile row ty into the layer and clears the row. The row must be merged. encode writes only the tiles
// in which something was drawn, one after the other, in the encoding of package keycode.
func (l *Layer) encode(ty int) {
	to := l.frame.Layer
	row, samples := to.Rows[ty][:0], 0
	for tx, f := range l.frame.Merge.Owners(ty) {
		if f == nil {
			continue
		}
		n := 0
		row, n = keycode.Append(row, tx, f.Keys[f.KeyIndex(tx, ty*tile.Height):], f.Stride)
		samples += n
		f.TouchedRow(ty)[tx] = false
	}
	to.Rows[ty], to.Samples[ty] = row, samples
}
