package frame

import (
	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// Costs of predicting which polygons are hidden. Their unit is the time of one depth test of the z-buffer in a long
// span, some 0.7 ns. The costs were measured on a Sapphire Rapids with AVX-512.
const (
	spanCost    = 10.0  // cost of a span from scan conversion to the z-buffer, besides its depth tests
	lookCost    = 4.0   // cost of looking up the depths behind a polygon
	boxCost     = 12.0  // cost of storing a box and comparing it with the samples of its tile row
	measureCost = 0.3   // cost of finding the farthest depths, per covered sample
	lateCost    = 150.0 // cost of a polygon that is drawn after all, besides its spans
)

// A FrameWork counts the work of a frame.
type FrameWork struct {
	Polygons int64 // polygons that the geometry loop made
	Spans    int64
	Tested   int64 // depth tests of the z-buffer
	Covered  int64 // samples that show a polygon
}

// Predicts reports whether the next frame should predict which polygons are hidden.
func (h *Hidden) Predicts(policy lb.Policy) bool { return h.pays || policy == lb.Always }

// Judge decides whether the next frames predict which polygons are hidden. w is the work of the last frame, in which
// predictions were allowed. If predictions cost more time than they save, the next restFrames frames do not predict.
// The same happens if two successive frames could not predict because the previous frame's grid was missing, for
// example because every frame has another layout.
func (h *Hidden) Judge(w FrameWork, policy lb.Policy) {
	switch {
	case h.predicted:
		savings, cost := h.weigh(&w)
		h.unpredicted = 0
		h.restUnless(savings > policy.Threshold(cost))
	case h.known: // only the frame after this one can predict
		h.unpredicted++
		h.restUnless(h.unpredicted < 2)
	case h.restLeft > 0:
		h.restLeft--
	default:
		savings, cost := w.estimateSavings()
		h.pays, h.unpredicted = savings > policy.Threshold(cost), 0
	}
}

// restUnless records whether predictions save time. If they do not, the next restFrames frames do not predict.
func (h *Hidden) restUnless(pays bool) {
	if h.pays = pays; !pays {
		h.restLeft = restFrames
	}
}

// weigh returns the time that predictions saved in the last frame, and the time that predictions cost.
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

// estimateSavings estimates what predictions would do in frames like the last one, which made no predictions. `savings`
// is an upper bound of the time that predictions would save, and `cost` the time that they would take. If predictions
// were perfect, only one depth test would be left for each covered sample.
func (w *FrameWork) estimateSavings() (savings, cost float64) {
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

// Counts returns the number of polygons that the last frame predicted to be hidden, and the number of these polygons
// that were drawn after all. In the second number, a polygon counts once for each tile row.
func (h *Hidden) Counts() (polygons, late int64) {
	for i := range h.workers {
		p := &h.workers[i].polygons
		polygons, late = polygons+p.Count, late+p.Late
	}
	return polygons, late
}

// RewriteDepths changes the depths that the next frame uses for predictions. The function change gets and returns a
// depth as the bits of a float32. Tests use RewriteDepths to check that pictures do not depend on these depths.
func (h *Hidden) RewriteDepths(change func(near uint32) uint32) { h.grid.Rewrite(change) }
