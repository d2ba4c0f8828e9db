package main

import (
	"context"

	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/vp/isa"
)

// costStore returns where the costs of redistributions are kept, nil if nowhere.
func (a *app) costStore() *calibration.Store {
	store, err := calibration.UserStore()
	if err != nil {
		return nil
	}
	store.Files = &a.Files
	return store
}

// costs gives the options the costs of redistributions on this machine, for
// the policy that asks for them. The first three times they are measured, which takes
// some 50 milliseconds. Errors are dropped: the renderer has costs of its own, and the
// picture is the same.
func (a *app) costs(ctx context.Context, o *render.Options) {
	level, err := isa.Select(o.ISA)
	if o.Balance != render.BalanceCost || err != nil {
		return
	}
	if store := a.costStore(); store != nil {
		o.Costs, _, _ = store.Costs(ctx, level)
	}
}

// startCosts begins to read the costs of redistributions, and returns a function that waits for them
// and sets them: the mesh is read meanwhile. Costs that are not stored are measured by that function,
// when no other work disturbs them.
func (a *app) startCosts(ctx context.Context, o render.Options) func(*render.Options) {
	read := make(chan *calibration.Costs, 1)
	go func() {
		defer close(read)
		level, err := isa.Select(o.ISA)
		if o.Balance != render.BalanceCost || err != nil {
			return
		}
		if store := a.costStore(); store != nil {
			read <- store.Stored(level)
		}
	}()
	return func(o *render.Options) {
		if o.Costs = <-read; o.Costs == nil {
			a.costs(ctx, o)
		}
	}
}

// raiseCosts raises the stored costs if frames measured higher ones.
func (w *pipeline) raiseCosts() {
	if w.sum.Balance.TooLow == 0 {
		return
	}
	if store := w.app.costStore(); store != nil {
		_ = store.Observe(w.Renderer.ISA(), w.sum.Balance.TooLow) // see costs
	}
}
