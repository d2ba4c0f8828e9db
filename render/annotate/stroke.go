package annotate

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/render"
)

// taskRows is the number of rows of the page that one task draws.
const taskRows = 64

// stroke draws lines that are width pixels wide. Where lines overlap, only the line that covers most of a pixel
// counts, so the order of the lines does not matter.
func (p *page) stroke(ctx context.Context, lines []segment, width float64, color render.RGB, opacity float64) {
	tasks := (p.bottom - p.top + taskRows - 1) / taskRows
	cover := p.a.cover
	parallel(tasks, func(task int) {
		y0 := p.top + task*taskRows
		y1 := min(y0+taskRows, p.bottom)
		clear(cover[p.pixelIndex(p.left, y0):p.pixelIndex(p.left, y1)])
		low, high := float32(float64(y0)-width-1), float32(float64(y1)+width+1)
		for i := range lines {
			s := &lines[i]
			if max(s.y0, s.y1) < low || min(s.y0, s.y1) > high {
				continue
			}
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			p.addLine(s, width, y0, y1)
		}
		p.blendRows(cover, y0, y1, color, opacity)
	})
}

// addLine draws a segment into rows y0 to y1-1 of p.a.cover. For each pixel, p.a.cover holds how much of the pixel
// lines cover. This value depends on the distance of the pixel's centre from the segment. Lines thinner than a pixel
// are drawn fainter instead of thinner.
func (p *page) addLine(s *segment, width float64, y0, y1 int) {
	ax, ay := float64(s.x0), float64(s.y0)
	dx, dy := float64(s.x1)-ax, float64(s.y1)-ay
	length2 := float64(dx*dx) + float64(dy*dy)
	reach := max(width, 1)/2 + 0.5
	strength := min(width, 1)
	top := max(int(math.Floor(min(ay, ay+dy)-reach)), y0)
	bottom := min(int(math.Ceil(max(ay, ay+dy)+reach)), y1)
	for y := top; y < bottom; y++ {
		py := float64(y) + 0.5 - ay
		left, right := spanNearLine(dx, dy, length2, py, reach)
		x0, x1 := max(int(math.Floor(ax+left-0.5)), p.left), min(int(math.Ceil(ax+right+0.5)), p.right)
		row := p.a.cover[p.pixelIndex(p.left, y):p.pixelIndex(p.left, y+1)]
		for x := x0; x < x1; x++ {
			px := float64(x) + 0.5 - ax
			t := 0.0
			if length2 > 0 {
				t = min(max((float64(px*dx)+float64(py*dy))/length2, 0), 1)
			}
			ex, ey := px-float64(t*dx), py-float64(t*dy)
			c := min(reach-math.Sqrt(float64(ex*ex)+float64(ey*ey)), 1) * strength
			covered := uint8(max(float64(c*255), 0) + 0.5)
			if covered <= row[x-p.left] {
				continue
			}
			if s.q0 != neverHidden && p.surfaceHides(x, y, float64(s.q0)+float64(t*(float64(s.q1)-float64(s.q0)))) {
				continue
			}
			row[x-p.left] = covered
		}
	}
}

// spanNearLine returns the range of x in which points of a row lie within the distance reach of a line. (dx, dy) is the
// vector from the line's first end to its second end, and length2 is its squared length. py is the y of the row. x and
// py are relative to the first end.
func spanNearLine(dx, dy, length2, py, reach float64) (left, right float64) {
	left, right = min(0, dx)-reach, max(0, dx)+reach
	if math.Abs(dy) > 1e-9 {
		// at is the x where the infinite line crosses the row. Points of the row from at-side to at+side lie within
		// reach of the line.
		at, side := py*dx/dy, reach*math.Sqrt(length2)/math.Abs(dy)
		left, right = max(left, at-side), min(right, at+side)
	}
	return left, right
}

// parallel calls the function do for tasks 0 to n-1 on all cores.
func parallel(n int, do func(task int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}
