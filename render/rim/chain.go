package rim

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// A chain is corners that sides connect, one after the other.
type chain struct {
	at     []mgl64.Vec3
	start  int  // the first corner of the side from which the chain grew
	closed bool // the last corner is connected with the first one
}

// mostTurn is the largest angle in degrees between two sides of one rim. A circle of eight corners turns by 45 degrees; the
// sides of a hexagonal nut are none.
const mostTurn = 50

// mostCorners bounds a chain, so that no mesh makes the search endless.
const mostCorners = 100_000

// chain follows the sides that continue a side in both directions, at each corner the one that turns least.
func (f *Finder) chain(side int32) (c chain) {
	first, second := f.sides[side][0], f.sides[side][1]
	ahead, closed := f.follow(first, second, side)
	if closed {
		c.closed = true
		return f.places(c, nil, append([]int32{first, second}, ahead...))
	}
	behind, _ := f.follow(second, first, side)
	return f.places(c, behind, append([]int32{first, second}, ahead...))
}

// places sets the places of a chain: those behind its start, the farthest first, and those from the start on.
func (f *Finder) places(c chain, behind, ahead []int32) chain {
	for i := len(behind) - 1; i >= 0; i-- {
		c.at = append(c.at, f.corners[behind[i]])
	}
	c.start = len(behind)
	for _, corner := range ahead {
		c.at = append(c.at, f.corners[corner])
	}
	return c
}

// follow returns the corners that follow the side between two corners. closed reports that they lead back to from, which is
// not repeated.
func (f *Finder) follow(from, to, side int32) (corners []int32, closed bool) {
	home := from
	seen := map[int32]bool{from: true, to: true}
	for range mostCorners {
		next, by, ok := f.next(from, to, side)
		if !ok || seen[next] {
			return corners, ok && next == home
		}
		seen[next] = true
		corners = append(corners, next)
		from, to, side = to, next, by
	}
	return corners, false
}

// next returns the corner behind to, and the side that leads there, of all sides the one that turns least. ok is false if
// all turn by more than mostTurn.
func (f *Finder) next(from, to, side int32) (corner, by int32, ok bool) {
	straight := f.corners[to].Sub(f.corners[from]).Normalize()
	least := math.Cos(mostTurn * math.Pi / 180)
	for _, s := range f.sidesAt[to] {
		if s == side {
			continue
		}
		other := f.sides[s][0]
		if other == to {
			other = f.sides[s][1]
		}
		if cos := straight.Dot(f.corners[other].Sub(f.corners[to]).Normalize()); cos > least {
			corner, by, ok, least = other, s, true, cos
		}
	}
	return corner, by, ok
}
