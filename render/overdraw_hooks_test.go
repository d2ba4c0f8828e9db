package render

// HiddenPredicted reports whether the last frame predicted which polygons are hidden.
func HiddenPredicted(r *Renderer) bool { return r.engine.hidden.Predicted() }

// HiddenMeasured reports whether the next frame finds the farthest depths of cells, by which the frame after predicts.
func HiddenMeasured(r *Renderer) bool { return r.engine.hidden.Predicts(r.engine.options.Leaves) }

// RewritePrediction changes the farthest depths of cells, as bits of float32, by which a renderer predicts which
// polygons the next frame hides.
func RewritePrediction(r *Renderer, change func(near uint32) uint32) { r.engine.hidden.Rewrite(change) }
