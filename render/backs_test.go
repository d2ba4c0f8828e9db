package render

// DrawBacksAtOnce makes a renderer draw back faces with the others, or no longer.
func DrawBacksAtOnce(r *Renderer, atOnce bool) { r.engine.drawBacksAtOnce = atOnce }
