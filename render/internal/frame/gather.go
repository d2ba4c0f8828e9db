package frame

import (
	"fmt"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// Gather is the first stage of frames whose keys were drawn by other processes. It merges the layers of these processes
// into the private frames, tile row by tile row.
type Gather struct {
	frame     GatherFrame
	remaining machine.Ranges // tile rows that no worker has taken yet
	workers   []gatherWorker
}

// gatherWorker is the memory of one worker.
type gatherWorker struct {
	chooser keycode.Chooser
	err     error
	_       [64]byte // padding, so that two workers do not share a cache line
}

// A GatherFrame holds the parameters of the stage for a frame.
type GatherFrame struct {
	Rows         tile.Rows             // tile rows to merge
	Layers       func(ty int) [][]byte // returns tile row ty of every layer, encoded by package keycode
	PayloadLimit uint64                // the payloads of all keys must be below this limit
	Private      []*framebuffer.Buffer // private frames, one for each worker
	Stop         func() bool           // reports whether the frame was called off
}

// Begin prepares for a frame.
func (g *Gather) Begin(f GatherFrame) {
	g.frame = f
	g.remaining.Reset(len(f.Private), f.Rows.Len())
	if g.workers == nil {
		g.workers = make([]gatherWorker, len(f.Private))
	}
	for i := range g.workers {
		g.workers[i].err = nil
	}
}

// End ends a frame and drops the frame's layers, so that they can be garbage collected.
func (g *Gather) End(bool) { g.frame = GatherFrame{} }

// Drawn returns the worker's first error. The counts and times are 0.
func (g *Gather) Drawn(worker int) (Drawn, error) { return Drawn{}, g.workers[worker].err }

// Run merges tile rows until no row is left or the frame is called off. After an error it continues with the next
// tile row; Drawn returns the first error.
func (g *Gather) Run(worker int) {
	w := &g.workers[worker]
	for {
		i, ok := g.remaining.Next(worker)
		if !ok || g.frame.Stop() {
			return
		}
		ty := g.frame.Rows.Lo + i
		if err := g.mergeRow(w, g.frame.Private[worker], ty); err != nil && w.err == nil {
			w.err = fmt.Errorf("row %d of tiles: %w", ty, err)
		}
	}
}

// mergeRow merges tile row ty of all layers into f, the worker's private frame.
func (g *Gather) mergeRow(w *gatherWorker, f *framebuffer.Buffer, ty int) error {
	tiles, err := w.chooser.Visible(g.frame.Layers(ty), f.TilesX)
	if err != nil {
		return err
	}
	for i := range tiles {
		tx := tiles[i].Number
		f.TouchedRow(ty)[tx] = true
		if err := tiles[i].Merge(f.Keys[f.KeyIndex(tx, ty*tile.Height):], f.Stride, g.frame.PayloadLimit); err != nil {
			return err
		}
	}
	return nil
}
