package main

import (
	"encoding/json"
	"time"

	"lockstep/render/atomicfile"
)

// count notes the statistics of a mesh that a lane has drawn, or found blank, since began.
func (b *batch) count(w *pipeline, it *item, began time.Time) {
	if w.Input == nil {
		return
	}
	w.raiseCosts()
	if b.flags.Stats == "" {
		return
	}
	s := w.statistics(nil)
	s.Seconds.Total = time.Since(began).Seconds() // of this mesh: others are drawn beside it
	b.stats[it.number] = &s
}

// report prints the statistics, a line for each mesh in the order that the user gave.
func (b *batch) report() error {
	if b.flags.Stats == "" {
		return nil
	}
	b.app.Progress.Clear()
	lines := json.NewEncoder(b.app.Stderr)
	for _, s := range b.stats {
		if s == nil {
			continue
		}
		if err := lines.Encode(s); err != nil {
			return &atomicfile.Error{File: "standard error", Err: err}
		}
	}
	return nil
}
