package view

// Depths converts a nearness to a distance from the eye along the viewing direction, in mesh units.
type Depths struct {
	Orthographic     bool
	Near, TwiceRange float64 // near distance, and twice the difference of the far and the near distance
	Slope            float64 // factor that Camera.slope returns
}

// Depths returns the conversion for pictures of this camera.
func (cam *Camera) Depths() Depths {
	return Depths{cam.Orthographic, cam.Near, 2 * (cam.Far - cam.Near), cam.slope(cam.Scale())}
}

// Exact returns the distance for nearness e in float64; Distance rounds it.
func (d Depths) Exact(e float32) float64 {
	switch {
	case d.Orthographic:
		return d.Near + float64((1-float64(e))*d.TwiceRange)
	case d.Slope != 1:
		return d.Slope * d.Near / (d.Slope - (1 - float64(e)))
	}
	return d.Near / float64(e)
}

// Relative sets to[i] to (d.Exact(e[i]) - middle) * scale, rounded to float32.
func (d Depths) Relative(e, to []float32, middle, scale float64) {
	to = to[:len(e)]
	if d.Orthographic || d.Slope != 1 {
		for i := range e {
			to[i] = float32((d.Exact(e[i]) - middle) * scale)
		}
		return
	}
	if middle == 0 { // then float32 loses no precision
		product := float32(d.Near * scale)
		for i := range e {
			to[i] = product / e[i]
		}
		return
	}
	for i := range e {
		to[i] = float32((d.Near/float64(e[i]) - middle) * scale)
	}
}

// Distance returns the distance for nearness e, rounded to float32.
func (d Depths) Distance(e float32) float32 { return float32(d.Exact(e)) }
