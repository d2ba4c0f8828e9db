package render

// BehindDraws returns how often a renderer has drawn a picture of what lies behind glass.
func BehindDraws(r *Renderer) int { return r.engine.glass.draws }
