package drawing

import (
	"math"

	"lockstep/render/internal/edges"
)

// joinPieces joins pieces of edges into lines, in units of the page. Two pieces are joined at a vertex where no third
// piece ends.
func joinPieces(pieces []piece, scale float64) (lines []Line) {
	at := make(map[Point][]int, len(pieces)) // pieces by the vertices at their ends
	for i := range pieces {
		p := &pieces[i]
		if p.from != edges.None {
			at[p.a] = append(at[p.a], i)
		}
		if p.to != edges.None {
			at[p.b] = append(at[p.b], i)
		}
	}
	used := make([]bool, len(pieces))
	// next returns the other end of the unused piece that ends at the point `from`, and marks the piece as used. It
	// returns false unless exactly two pieces end at that point and one of the two is unused.
	next := func(from Point) (Point, bool) {
		if beside := at[from]; len(beside) == 2 {
			for _, i := range beside {
				if !used[i] {
					used[i] = true
					if pieces[i].a == from {
						return pieces[i].b, true
					}
					return pieces[i].a, true
				}
			}
		}
		return from, false
	}
	for i := range pieces {
		if used[i] {
			continue
		}
		used[i] = true
		line := Line{pieces[i].a, pieces[i].b}
		line = follow(line, next)
		reverse(line)
		line = follow(line, next)
		if line = simplify(line, tolerance*scale); len(line) > 1 {
			lines = append(lines, scaled(line, scale))
		}
	}
	return lines
}

// tolerance is the largest distance, in units of the page, between a simplified line and a point that it leaves out.
// It is a thirtieth of the thinnest stroke.
const tolerance = 0.03

func follow(line Line, next func(Point) (Point, bool)) Line {
	for {
		p, ok := next(line[len(line)-1])
		if !ok {
			return line
		}
		line = append(line, p)
	}
}

func reverse(line Line) {
	for i, j := 0, len(line)-1; i < j; i, j = i+1, j-1 {
		line[i], line[j] = line[j], line[i]
	}
}

func scaled(line Line, scale float64) Line {
	for i := range line {
		line[i].X /= scale
		line[i].Y /= scale
	}
	return line
}

// simplify leaves out points of a line. The distance of each omitted point from the line through the remaining points
// is at most tolerance. Source: D. Douglas and T. Peucker, "Algorithms for the reduction of the number of points
// required to represent a digitized line", 1973.
func simplify(line Line, tolerance float64) Line {
	if len(line) < 3 {
		return line
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	stack := [][2]int{{0, len(line) - 1}}
	for len(stack) > 0 {
		lo, hi := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		worst, far := 0, tolerance
		for i := lo + 1; i < hi; i++ {
			if d := distance(line[i], line[lo], line[hi]); d > far {
				worst, far = i, d
			}
		}
		if worst > 0 {
			keep[worst] = true
			stack = append(stack, [2]int{lo, worst}, [2]int{worst, hi})
		}
	}
	n := 0
	for i, p := range line {
		if keep[i] {
			line[n] = p
			n++
		}
	}
	return line[:n]
}

// distance returns the distance of p from the segment from a to b.
func distance(p, a, b Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := 0.0
	if l := float64(dx*dx) + float64(dy*dy); l > 0 {
		t = min(max((float64((p.X-a.X)*dx)+float64((p.Y-a.Y)*dy))/l, 0), 1)
	}
	return math.Hypot(p.X-a.X-float64(t*dx), p.Y-a.Y-float64(t*dy))
}
