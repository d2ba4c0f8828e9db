package rim

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// A chain is a list of corners along edges (sides) of the mesh. A side connects each corner with the next.
type chain struct {
	at     []mgl64.Vec3
	start  int  // the first corner of the side from which the chain grew
	closed bool // the last corner is connected with the first one
}

// mostTurn is the largest angle in degrees between neighbouring sides of a rim. The sides of a regular octagon turn by
// 45 degrees, so an octagon can be a rim. The sides of a hexagonal nut turn by 60 degrees, so a hexagon cannot.
const mostTurn = 50

// mostCorners limits the number of corners that the method follow returns, so that the search ends on every mesh.
const mostCorners = 100_000

// chain returns the chain that contains the given side. It grows from both ends of the side. At a corner with several
// further sides, it takes the side that turns least.
func (f *Finder) chain(side int32) (c chain) {
	first, second := f.sides[side][0], f.sides[side][1]
	ahead, closed := f.follow(first, second, side)
	if closed {
		c.closed = true
		return f.appendPlaces(c, nil, append([]int32{first, second}, ahead...))
	}
	behind, _ := f.follow(second, first, side)
	return f.appendPlaces(c, behind, append([]int32{first, second}, ahead...))
}

// appendPlaces adds the positions of corners to c: first those of `behind` in reverse order, then those of `ahead`.
// c.start becomes the index of the first corner of `ahead`.
func (f *Finder) appendPlaces(c chain, behind, ahead []int32) chain {
	for i := len(behind) - 1; i >= 0; i-- {
		c.at = append(c.at, f.corners[behind[i]])
	}
	c.start = len(behind)
	for _, corner := range ahead {
		c.at = append(c.at, f.corners[corner])
	}
	return c
}

// follow starts with a side from corner `from` to corner `to`. It returns the corners that continue the chain after
// `to`. If the chain returns to `from`, closed is true and `from` is not repeated.
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

// next continues a chain whose last two corners are `from` and `to`. Of the other sides at `to`, it chooses the one
// that turns least. It returns that side as `by`, and the side's other end as corner. ok is false if all sides turn by
// mostTurn or more.
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
