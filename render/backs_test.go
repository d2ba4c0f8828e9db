package render

// DrawBacksAtOnce sets whether a renderer draws back faces at once instead of deferring them.
func DrawBacksAtOnce(r *Renderer, atOnce bool) { r.engine.drawBacksAtOnce = atOnce }
