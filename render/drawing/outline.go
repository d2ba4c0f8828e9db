package drawing

import (
	"math"
	"slices"

	"lockstep/render"
)

// outline returns the borders between the pixels that show the surface and the others, as closed lines in units of the
// page. The surface lies on their right.
func outline(pic *render.Picture, scale float64) (lines []Line) {
	t := &tracer{pic: pic, done: make([]bool, (pic.Width+1)*(pic.Height+1))}
	for y := range pic.Height {
		for x := range pic.Width {
			// Does an untraced border lead to the right along the upper side of pixel (x, y)?
			if t.covered(x, y) && !t.covered(x, y-1) && !t.done[y*(pic.Width+1)+x] {
				if loop := smooth(t.trace(x, y)); len(loop) > 3 {
					lines = append(lines, scaled(loop, scale))
				}
			}
		}
	}
	return lines
}

// smooth returns a border of pixels without the stairs that slopes have. corners are the border's corners, with the
// first corner again at the end. The result goes through the middles of the sides of steps, but keeps the corners
// between two long straight pieces.
func smooth(corners Line) (loop Line) {
	n := len(corners) - 1
	long := func(i int) bool { // whether the piece that begins at corner i is long
		a, b := corners[(i+n)%n], corners[(i+n)%n+1]
		return math.Abs(a.X-b.X)+math.Abs(a.Y-b.Y) >= minStraight
	}
	var line Line
	cut := func() { // appends the points before a corner that stays
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

// minStraight is the least length, in pixels, of two pieces of a border between which a corner is a corner of the surface.
const minStraight = 4

// maxStair is how far, in pixels of the picture, the middles of the sides of a straight border may lie from the line
// between two of them. Each middle lies within half a pixel of the border, measured across it.
const maxStair = 1

// A tracer follows the borders of pixels.
type tracer struct {
	pic  *render.Picture
	done []bool // for each corner, whether the piece from there to the right has been traced
}

func (t *tracer) covered(x, y int) bool {
	return x >= 0 && y >= 0 && x < t.pic.Width && y < t.pic.Height && t.pic.Triangles[y*t.pic.Width+x] != render.NoTriangle
}

// directions are right, down, left and up.
var directions = [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

// trace follows the border that begins at the upper left corner of pixel (x, y), with the covered pixels on its right.
// It returns the corners of the border, with the first corner again at the end.
func (t *tracer) trace(x, y int) (corners Line) {
	startX, startY, direction := x, y, 0
	for {
		if direction == 0 {
			t.done[y*(t.pic.Width+1)+x] = true
		}
		x, y = x+directions[direction][0], y+directions[direction][1]
		next := t.turn(x, y, direction)
		if next != direction {
			corners = append(corners, Point{float64(x), float64(y)})
		}
		if direction = next; x == startX && y == startY && direction == 0 {
			return append(corners, corners[0])
		}
	}
}

// turn returns the direction in which a border continues that has come to corner (x, y) in the given direction. If only
// two diagonally opposite pixels are covered there, the border turns right, to stay at its own pixel.
func (t *tracer) turn(x, y, direction int) int {
	left, right := t.ahead(x, y, direction)
	switch {
	case !right:
		return (direction + 1) % 4
	case left:
		return (direction + 3) % 4
	}
	return direction
}

// ahead reports whether the left and the right of the two pixels ahead of corner (x, y) are covered.
func (t *tracer) ahead(x, y, direction int) (left, right bool) {
	switch direction {
	case 0:
		return t.covered(x, y-1), t.covered(x, y)
	case 1:
		return t.covered(x, y), t.covered(x-1, y)
	case 2:
		return t.covered(x-1, y), t.covered(x-1, y-1)
	}
	return t.covered(x-1, y-1), t.covered(x, y-1)
}
