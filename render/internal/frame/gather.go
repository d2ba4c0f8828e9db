package frame

import (
	"fmt"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// Gather is the first stage of frames whose keys other processes have drawn: it merges the rows of tiles of their layers
// into the private frames.
type Gather struct {
	frame   GatherFrame
	left    machine.Ranges // rows of tiles
	workers []gathering
}

// gathering is the memory of one worker.
type gathering struct {
	chooser keycode.Chooser
	err     error
	_       [64]byte // keep workers apart
}

// A GatherFrame is what the stage wants to know of a frame.
type GatherFrame struct {
	Rows     tile.Rows             // that are wanted
	Layers   func(ty int) [][]byte // a row of tiles of all layers, see package keycode
	Payloads uint64                // those of all keys are below
	Private  []*framebuffer.Buffer // of the workers
	Stop     func() bool           // whether the frame was called off
}

// Begin prepares for a frame.
func (g *Gather) Begin(f GatherFrame) {
	g.frame = f
	g.left.Reset(len(f.Private), f.Rows.Len())
	if g.workers == nil {
		g.workers = make([]gathering, len(f.Private))
	}
	for i := range g.workers {
		g.workers[i].err = nil
	}
}

// End ends a frame, and lets its layers be collected.
func (g *Gather) End(bool) { g.frame = GatherFrame{} }

// Drawn returns what a worker counted, nothing, and the error that ended its work.
func (g *Gather) Drawn(worker int) (Drawn, error) { return Drawn{}, g.workers[worker].err }

// Run takes rows of tiles until none is left.
func (g *Gather) Run(worker int) {
	w := &g.workers[worker]
	for {
		i, ok := g.left.Next(worker)
		if !ok || g.frame.Stop() {
			return
		}
		ty := g.frame.Rows.Lo + i
		if err := g.add(w, g.frame.Private[worker], ty); err != nil && w.err == nil {
			w.err = fmt.Errorf("row %d of tiles: %w", ty, err)
		}
	}
}

// add merges a row of tiles of all layers into a worker's frame.
func (g *Gather) add(w *gathering, f *framebuffer.Buffer, ty int) error {
	tiles, err := w.chooser.Visible(g.frame.Layers(ty), f.TilesX)
	if err != nil {
		return err
	}
	for i := range tiles {
		tx := tiles[i].Number
		f.TouchedRow(ty)[tx] = true
		if err := tiles[i].Merge(f.Keys[f.Tile(tx, ty*tile.Height):], f.Stride, g.frame.Payloads); err != nil {
			return err
		}
	}
	return nil
}
