package drawing

import (
	"math"
	"slices"

	"lockstep/render"
)

// traceOutline returns the borders of the area that shows the surface, as closed lines in units of the page. The
// surface lies on the right of each line.
func traceOutline(pic *render.Picture, scale float64) (lines []Line) {
	t := &tracer{pic: pic, done: make([]bool, (pic.Width+1)*(pic.Height+1))}
	for y := range pic.Height {
		for x := range pic.Width {
			// The upper side of pixel (x, y) belongs to a border that has not been traced yet.
			if t.isCovered(x, y) && !t.isCovered(x, y-1) && !t.done[y*(pic.Width+1)+x] {
				if loop := removeStairs(t.trace(x, y)); len(loop) > 3 {
					lines = append(lines, scaled(loop, scale))
				}
			}
		}
	}
	return lines
}

// removeStairs smooths the steps of a border that follows pixels. corners holds the border's corners, with the first
// corner again at the end. The smoothed border goes through the midpoints of the sides of the steps. A corner between
// two straight pieces of at least minStraight pixels is kept.
func removeStairs(corners Line) (loop Line) {
	n := len(corners) - 1
	long := func(i int) bool { // whether the piece that starts at corner i is long
		a, b := corners[(i+n)%n], corners[(i+n)%n+1]
		return math.Abs(a.X-b.X)+math.Abs(a.Y-b.Y) >= minStraight
	}
	var line Line
	cut := func() { // appends the points before a corner that remains
		loop = append(loop, simplify(line, maxStair)...)
		line = nil
	}
	for i := range n {
		a, b := corners[i], corners[i+1]
		l := math.Abs(a.X-b.X) + math.Abs(a.Y-b.Y)
		half := Point{(b.X - a.X) / (2 * l), (b.Y - a.Y) / (2 * l)}
		if long(i) && long(i-1) || i == n/2 {
			line = append(line, a)
			cut()
			line = append(line, a)
		}
		line = append(line, Point{a.X + half.X, a.Y + half.Y})
		if l > 1 {
			line = append(line, Point{b.X - half.X, b.Y - half.Y})
		}
	}
	cut()
	loop = slices.Compact(loop)
	return append(loop, loop[0])
}

// minStraight is the least length, in pixels, of a long piece of a border. A corner between two long pieces is a corner
// of the surface, not a step.
const minStraight = 4

// maxStair is the largest distance, in pixels, between a smoothed border and a midpoint that it leaves out. Each
// midpoint lies within half a pixel of the true border, measured at right angles to the border. So the midpoints along
// a straight border lie within one pixel of the line through two of them.
const maxStair = 1

// A tracer follows the borders of covered pixels.
type tracer struct {
	pic  *render.Picture
	done []bool // for each corner, whether the piece to its right has been traced
}

func (t *tracer) isCovered(x, y int) bool {
	return x >= 0 && y >= 0 && x < t.pic.Width && y < t.pic.Height && t.pic.Triangles[y*t.pic.Width+x] != render.NoTriangle
}

// directions are right, down, left and up.
var directions = [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

// trace follows the border that starts at the upper left corner of pixel (x, y). The covered pixels are on the right of
// the border. trace returns the corners of the border, with the first corner again at the end.
func (t *tracer) trace(x, y int) (corners Line) {
	startX, startY, direction := x, y, 0
	for {
		if direction == 0 {
			t.done[y*(t.pic.Width+1)+x] = true
		}
		x, y = x+directions[direction][0], y+directions[direction][1]
		next := t.nextDirection(x, y, direction)
		if next != direction {
			corners = append(corners, Point{float64(x), float64(y)})
		}
		if direction = next; x == startX && y == startY && direction == 0 {
			return append(corners, corners[0])
		}
	}
}

// nextDirection returns the direction in which a border continues after corner (x, y). The border has reached the
// corner in the given direction. If two covered pixels touch only at this corner, the border turns right, and so
// follows the same pixel as before.
func (t *tracer) nextDirection(x, y, direction int) int {
	left, right := t.ahead(x, y, direction)
	switch {
	case !right:
		return (direction + 1) % 4
	case left:
		return (direction + 3) % 4
	}
	return direction
}

// ahead reports, for the two pixels ahead of corner (x, y), whether the left and the right pixel are covered.
func (t *tracer) ahead(x, y, direction int) (left, right bool) {
	switch direction {
	case 0:
		return t.isCovered(x, y-1), t.isCovered(x, y)
	case 1:
		return t.isCovered(x, y), t.isCovered(x-1, y)
	case 2:
		return t.isCovered(x-1, y), t.isCovered(x-1, y-1)
	}
	return t.isCovered(x-1, y-1), t.isCovered(x, y-1)
}
