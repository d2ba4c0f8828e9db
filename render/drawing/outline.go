package drawing

import (
	"math"
	"slices"

	"lockstep/render"
)

// outline returns the borders between the pixels that show something and those that do not, closed lines in units of
// the page, the surface on their right.
func outline(pic *render.Picture, scale float64) (lines []Line) {
	t := &tracer{pic: pic, done: make([]bool, (pic.Width+1)*(pic.Height+1))}
	for y := range pic.Height {
		for x := range pic.Width {
			// A border that goes to the right above pixel (x, y), and was not gone along yet.
			if t.covered(x, y) && !t.covered(x, y-1) && !t.done[y*(pic.Width+1)+x] {
				if loop := smooth(t.trace(x, y)); len(loop) > 3 {
					lines = append(lines, scaled(loop, scale))
				}
			}
		}
	}
	return lines
}

// smooth returns the border of pixels whose corners are given, the first one again at the end, without the steps of slopes.
// It goes through the middles of the sides of steps, and around the corners between two straight pieces.
func smooth(corners Line) (loop Line) {
	n := len(corners) - 1
	long := func(i int) bool { // the piece from corner i on
		a, b := corners[(i+n)%n], corners[(i+n)%n+1]
		return math.Abs(a.X-b.X)+math.Abs(a.Y-b.Y) >= straight
	}
	var line Line
	cut := func() { // what comes before a corner that stays
		loop = append(loop, simplify(line, stair)...)
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

// straight is the length in pixels of pieces of a border between which a corner is one of the surface.
const straight = 4

// stair is how far, in pixels of the picture, the middles of the sides of a straight border may lie from the line between
// two of them: each lies within half a pixel of the border, across it.
const stair = 1

// A tracer goes along the borders of pixels.
type tracer struct {
	pic  *render.Picture
	done []bool // by the corner at the left of each piece that goes to the right
}

func (t *tracer) covered(x, y int) bool {
	return x >= 0 && y >= 0 && x < t.pic.Width && y < t.pic.Height && t.pic.Triangles[y*t.pic.Width+x] != render.NoTriangle
}

// directions are right, down, left and up.
var directions = [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

// trace goes along the border that begins at the upper left corner of pixel (x, y), the covered pixels on its right, and
// returns its corners, the first one again at the end.
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

// turn returns where a border goes on that came to a corner. Where two covered pixels meet there alone it keeps to its own:
// it turns right.
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

// ahead reports whether the two pixels in front of a corner are covered, on the left and on the right.
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
