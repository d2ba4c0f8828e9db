package corners

import "lockstep/scenes/internal/vector"

// maxBridge limits the work to join holes to outlines in one geometry. The unit is a pair of corners that are
// compared. After this limit, holes are filled instead.
const maxBridge = 1 << 26

// AddWithHoles is like Add, but for a polygon with holes. Each hole is joined to the outline by an edge between the two
// corners that are nearest to each other. The joined outline passes along this edge in both directions. The bool is
// false if a hole was filled instead.
func (b *Builder) AddWithHoles(to int, outline []Corner, holes [][]Corner) (bool, error) {
	whole := true
	b.all = append(b.all[:0], outline...)
	normal, ok := b.polygonNormal(outline)
	for _, hole := range holes {
		n, fine := b.polygonNormal(hole)
		b.bridgeWork += int64(len(b.all)) * int64(len(hole))
		if !ok || !fine || b.bridgeWork > maxBridge {
			whole = false
			continue
		}
		b.joinHole(hole, vector.Dot(n, normal) > 0)
	}
	joined := b.all
	b.all = nil // set to nil so that Add does not overwrite `joined`
	err := b.Add(to, joined)
	b.all = joined
	return whole, err
}

// polygonNormal returns the normal of a polygon. ok is false if the polygon has too few or too many corners, or
// positions out of range.
func (b *Builder) polygonNormal(corners []Corner) (sum [3]float64, ok bool) {
	if len(corners) < 3 || len(corners) > MaxPolygon {
		return sum, false
	}
	for _, c := range corners {
		if c.Position < 0 || int(c.Position) >= len(b.Positions) {
			return sum, false
		}
	}
	first := b.Positions[corners[0].Position]
	for i := 2; i < len(corners); i++ {
		u, v := vector.Sub(b.Positions[corners[i-1].Position], first), vector.Sub(b.Positions[corners[i].Position], first)
		sum = vector.Add(sum, vector.Cross(u, v))
	}
	return sum, true
}

// joinHole joins a hole to the polygon in b.all. If reverse is set, it uses the corners of the hole in reverse order.
// This is necessary if the hole runs in the same direction as the outline.
func (b *Builder) joinHole(hole []Corner, reverse bool) {
	at, from, least := 0, 0, -1.0
	for i, c := range b.all {
		p := b.Positions[c.Position]
		for k, h := range hole {
			d := vector.Sub(b.Positions[h.Position], p)
			if square := vector.Dot(d, d); least < 0 || square < least {
				at, from, least = i, k, square
			}
		}
	}
	joined := make([]Corner, 0, len(b.all)+len(hole)+2)
	joined = append(joined, b.all[:at+1]...)
	for i := range len(hole) + 1 {
		k := from + i
		if reverse {
			k = from - i + len(hole)
		}
		joined = append(joined, hole[k%len(hole)])
	}
	b.all = append(joined, b.all[at:]...)
}
