package frame

import (
	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// The costs of predicting which polygons are hidden. Their unit is the time of a depth test of the z-buffer in a long
// span, some 0.7 ns. They were measured on a Sapphire Rapids with AVX-512.
const (
	spanCost    = 10.0  // of a span from scan conversion to the z-buffer, besides its depth tests
	lookCost    = 4.0   // of looking up a polygon
	boxCost     = 12.0  // of storing a box and comparing it with what is drawn in its tile row
	measureCost = 0.3   // of a covered sample, for finding the farthest depths
	lateCost    = 150.0 // of a polygon that is drawn after all, besides its spans
)

// A FrameWork counts the work of a frame.
type FrameWork struct {
	Polygons int64 // those of the geometry loop
	Spans    int64
	Tested   int64 // depth tests
	Covered  int64 // samples that show something
}

// Predicts reports whether the next frame should predict which polygons are hidden.
func (h *Hidden) Predicts(policy lb.Policy) bool { return h.pays || policy == lb.Always }

// Judge decides whether the next frames predict which polygons are hidden, from the work of the last frame, which was
// allowed to. Where that does not pay, the next restFrames frames do without; so they do after two frames in a row that
// set the grid and could not predict by that of the frame before, because every frame has another layout, for example.
func (h *Hidden) Judge(w FrameWork, policy lb.Policy) {
	switch {
	case h.predicted:
		savings, cost := h.weigh(&w)
		h.unpredicted = 0
		h.restUnless(savings > policy.Threshold(cost))
	case h.known: // the next frame is the first that can predict
		h.unpredicted++
		h.restUnless(h.unpredicted < 2)
	case h.restLeft > 0:
		h.restLeft--
	default:
		savings, cost := w.expect()
		h.pays, h.unpredicted = savings > policy.Threshold(cost), 0
	}
}

// restUnless sets whether predictions pay, and begins a rest if not.
func (h *Hidden) restUnless(pays bool) {
	if h.pays = pays; !pays {
		h.restLeft = restFrames
	}
}

// weigh returns what predictions saved in the last frame, and what they cost.
func (h *Hidden) weigh(w *FrameWork) (savings, cost float64) {
	var rows, samples, late, boxes int64
	for i := range h.workers {
		p := &h.workers[i].polygons
		rows, samples = rows+p.Taken.Rows, samples+p.Taken.Samples/2
		late, boxes = late+p.Late, boxes+p.Boxes
	}
	savings = spanCost*float64(rows) + float64(samples)
	return savings, lookCost*float64(w.Polygons) + boxCost*float64(boxes) + measureCost*float64(w.Covered) + lateCost*float64(late)
}

// expect returns the most that predictions can save in frames like this one, which had none, and what they will cost
// then. The depth tests say how often samples are drawn over each other: at best, one for each covered sample is left.
func (w *FrameWork) expect() (savings, cost float64) {
	if w.Tested == 0 {
		return 0, 0
	}
	share := 1 - float64(w.Covered)/float64(w.Tested)
	boxes := share * (float64(w.Polygons) + float64(w.Spans)/array.TileRows)
	savings = share * (spanCost*float64(w.Spans) + float64(w.Tested))
	return savings, lookCost*float64(w.Polygons) + boxCost*boxes + measureCost*float64(w.Covered)
}

// Predicted reports whether the last frame predicted which polygons are hidden.
func (h *Hidden) Predicted() bool { return h.predicted }

// Counts returns how many polygons the last frame predicted to be hidden, and how many of them were drawn after all, once
// for each tile row.
func (h *Hidden) Counts() (polygons, late int64) {
	for i := range h.workers {
		p := &h.workers[i].polygons
		polygons, late = polygons+p.Count, late+p.Late
	}
	return polygons, late
}

// Rewrite changes the depths by which the next frame predicts which polygons are hidden, as bits of float32. Tests use
// it to check that pictures do not depend on them.
func (h *Hidden) Rewrite(change func(near uint32) uint32) { h.grid.Rewrite(change) }
