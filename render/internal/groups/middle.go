package groups

import "lockstep/render/internal/kernel/array"

// A Middle is the approximate position of a bundle in the picture. X and Y are the position of the middle of the
// bundle's box, in samples. Near is the greatest nearness in the box, and Far the least.
type Middle struct {
	X, Y      float32
	Near, Far float32
}

// Bundles returns the number of bundles.
func (g *Groups) Bundles() int { return len(g.bundles.lo[0]) }

// Middle returns the approximate position of a bundle in the picture. ok is false if the bundle is not entirely in
// front of the near plane, if its middle lies outside the picture, or if it has no bounds.
func (p *Projector) Middle(bundle int) (m Middle, ok bool) {
	b := &p.groups.bundles
	var middle, half [3]float64
	for axis := range 3 {
		lo, hi := float64(b.lo[axis][bundle]), float64(b.hi[axis][bundle])
		middle[axis], half[axis] = (lo+hi)/2, (hi-lo)/2
	}
	v := p.view
	per, near, far := 1.0, 0.0, 0.0 // values of 1/w at the middle, and at the nearest and the farthest corner
	if !v.Orthographic {
		lo, hi := p.w.bounds(&middle, &half)
		if !(lo > 0) || !v.Distant && !(lo > float64(v.Near)) {
			return m, false
		}
		per, near, far = 2/(lo+hi), 1/lo, 1/hi
	}
	if v.Orthographic || v.Distant {
		lo, hi := p.e.bounds(&middle, &half)
		if v.Orthographic {
			near, far = hi, lo
		} else {
			near, far = hi*near, lo*far
		}
	}
	m = Middle{
		X:    float32(p.x.valueAt(&middle)*per) + float32(v.CenterX),
		Y:    float32(p.y.valueAt(&middle)*per) + float32(v.CenterY),
		Near: float32(near), Far: float32(far),
	}
	m.X, m.Y = m.X/array.Sub, m.Y/array.Sub
	return m, m.X >= 0 && m.Y >= 0 && m.X < float32(v.Width) && m.Y < float32(v.Height)
}
