package render

// HiddenPredicted reports whether the last frame predicted which polygons are hidden.
func HiddenPredicted(r *Renderer) bool { return r.engine.hidden.Predicted() }

// HiddenMeasured reports whether the next frame finds the farthest depths of cells, from which the frame after it
// predicts.
func HiddenMeasured(r *Renderer) bool { return r.engine.hidden.Predicts(r.engine.options.Leaves) }

// RewritePrediction changes the farthest depths of cells, as bits of float32, from which a renderer predicts which
// polygons are hidden in the next frame.
func RewritePrediction(r *Renderer, change func(near uint32) uint32) {
	r.engine.hidden.RewriteDepths(change)
}
