package view

import ()

// A Depths turns a nearness into a distance from the eye along the viewing
// direction, in mesh units.
type Depths struct {
	Orthographic bool
	Near, Twice  float64 // the near distance, and twice the depth range
	Slope        float64 // Camera.slope
}

// Depths returns how a picture of the camera has its depths.
func (cam *Camera) Depths() Depths {
	return Depths{cam.Orthographic, cam.Near, 2 * (cam.Far - cam.Near), cam.slope(cam.Scale())}
}

// Exact returns the distance in float64; Distance rounds it.
func (d Depths) Exact(e float32) float64 {
	switch {
	case d.Orthographic:
		return d.Near + float64((1-float64(e))*d.Twice)
	case d.Slope != 1:
		return d.Slope * d.Near / (d.Slope - (1 - float64(e)))
	}
	return d.Near / float64(e)
}

// Relative writes into to the distances along the view from the middle of a mesh, times scale.
func (d Depths) Relative(e, to []float32, middle, scale float64) {
	to = to[:len(e)]
	if d.Orthographic || d.Slope != 1 {
		for i := range e {
			to[i] = float32((d.Exact(e[i]) - middle) * scale)
		}
		return
	}
	if middle == 0 { // nothing is lost, so float32 will do
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

// Distance returns the distance of a nearness, rounded.
func (d Depths) Distance(e float32) float32 { return float32(d.Exact(e)) }
