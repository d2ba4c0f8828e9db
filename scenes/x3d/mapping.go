package x3d

import "math"

// setTexCoords applies a TextureTransform to the texture coordinates. It also flips them, because the format measures
// from the lower left. If the node has no texture coordinates, they are computed from positions. The longest side of
// the box of the positions becomes the width of the picture, and the second longest side becomes its height.
func (m *meshReader) setTexCoords(moved *node) error {
	list, n := m.texCoords, len(m.lists.TexCoords)
	if !m.mapped {
		if moved == nil && !m.textured {
			return nil
		}
		list, n = m.coordinates, len(m.lists.Positions)
	}
	key := placedKey{list, moved}
	if all, ok := m.shared.placed[key]; ok {
		m.lists.TexCoords = all
		return nil
	}
	size := 16 * int64(n)
	if err := m.reading.Spend(m.in, size); err != nil {
		return err
	}
	if err := m.Reserve(size); err != nil {
		return err
	}
	from := m.lists.TexCoords
	if !m.mapped {
		from = boxMapping(m.lists.Positions)
	}
	move, err := m.moveOf(moved)
	if err != nil {
		return err
	}
	all := make([][2]float64, len(from))
	for i, uv := range from {
		uv = move(uv)
		all[i] = [2]float64{uv[0], 1 - uv[1]}
	}
	m.lists.TexCoords = all
	if list != nil {
		m.shared.placed[key] = all
	}
	return nil
}

// A moveFunc transforms texture coordinates.
type moveFunc func(uv [2]float64) [2]float64

// moveOf returns the transform that a TextureTransform node describes. It reads each node only once. n may be nil.
func (r *reader) moveOf(n *node) (moveFunc, error) {
	if n == nil {
		return func(uv [2]float64) [2]float64 { return uv }, nil
	}
	if move, ok := r.moves[n]; ok {
		return move, nil
	}
	if err := r.Reserve(nodeBytes); err != nil {
		return nil, err
	}
	r.moves[n] = textureTransform(n)
	return r.moves[n], nil
}

// textureTransform returns the transform that a TextureTransform node describes: a translation, and then a rotation and
// a scale about a centre.
func textureTransform(n *node) moveFunc {
	var translation, center [2]float64
	scale := [2]float64{1, 1}
	n.vector("translation", translation[:])
	n.vector("center", center[:])
	n.vector("scale", scale[:])
	sin, cos := math.Sincos(n.number("rotation", 0))
	if n.kind == "Texture2Transform" { // in VRML 1: a scale and a rotation about a centre, then a translation
		return func(uv [2]float64) [2]float64 {
			x, y := float64((uv[0]-center[0])*scale[0]), float64((uv[1]-center[1])*scale[1])
			x, y = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
			return [2]float64{x + center[0] + translation[0], y + center[1] + translation[1]}
		}
	}
	return func(uv [2]float64) [2]float64 {
		x, y := uv[0]+translation[0]+center[0], uv[1]+translation[1]+center[1]
		x, y = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
		return [2]float64{float64(x*scale[0]) - center[0], float64(y*scale[1]) - center[1]}
	}
}

// boxMapping returns texture coordinates that are computed from positions and their box.
func boxMapping(places [][3]float64) [][2]float64 {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for _, p := range places {
		for i, v := range p {
			if v-v == 0 {
				lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
			}
		}
	}
	first, second := 0, 1
	size := func(i int) float64 { return hi[i] - lo[i] }
	for i := 1; i < 3; i++ {
		if size(i) > size(first) {
			first = i
		}
	}
	if first == 1 {
		second = 0
	}
	for i := range 3 {
		if i != first && size(i) > size(second) {
			second = i
		}
	}
	all := make([][2]float64, len(places))
	if !(size(first) > 0) {
		return all
	}
	for i, p := range places {
		all[i] = [2]float64{(p[first] - lo[first]) / size(first), (p[second] - lo[second]) / size(first)}
	}
	return all
}
