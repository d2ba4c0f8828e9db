package render

import (
	"time"

	"lockstep/render/internal/kernel/array"
)

const (
	// sharedSamples is how many samples a polygon may cover before its rows are
	// taken out of the block and offered to all workers, in ranges of about as many
	// samples. The z-buffer takes some 5 microseconds for such a range. Handing it over
	// (a lock, a copy, setting up one group of lanes) costs a tenth of that, and a
	// polygon that fills the picture still makes 128 ranges.
	sharedSamples = 16 << 10

	// rowSamples is the cost of a row apart from its samples, in samples: emitting its
	// span and starting on it.
	rowSamples = 16
)

// sharePolygons takes the polygons out of the worker's block that are too large for one
// worker. Nearly always there is none. It is a redistribution at a scope of its own:
// rows move to any worker, and to all of its lanes. Neither the row ranges nor their
// iterations depend on the number of workers. Where blocks are timed nothing is
// shared, so that every block keeps its work.
func (w *worker) sharePolygons(r *Renderer) {
	p := w.polys
	if r.options.Balance == BalanceNever || r.options.TimeBlocks || int64(p.MaxRows)*int64(p.MaxX-p.MinX+rowSamples) <= sharedSamples {
		return
	}
	low := sharedSamples / (p.MaxX - p.MinX + rowSamples) // no polygon as low as that is too large
	for n, rows := range p.Rows[:p.N] {
		if rows > low {
			if samples := polygonSamples(p, n, r.job.view.Width); samples > sharedSamples {
				w.sharePolygon(r, n, samples)
			}
		}
	}
}

// sharePolygon offers the rows of polygon n, which costs that many samples, to all
// workers and leaves the block's polygon without rows.
func (w *worker) sharePolygon(r *Renderer, n int, samples int64) {
	p := w.polys
	// Whole iterations of all lanes.
	rows := max(int32(sharedSamples*int64(p.Rows[n])/samples)/array.Lanes, 1) * array.Lanes
	w.tracer.share(p, n, rows)
	for first, end := p.First[n], p.First[n]+p.Rows[n]; first < end && !r.cancelled(); first += rows {
		count := min(rows, end-first)
		if w.tracer == nil && r.ranges.add(p, n, first, count) {
			continue
		}
		w.rowRange.Reset()
		w.rowRange.PushRows(p, n, first, count)
		w.drawRowRange(r)
	}
	w.tracer.shared()
	w.scan.IterationsUnbalanced += int64(iterationsSpared(p, n))
	w.scan.Redistributions++
	w.shared++
	p.Rows[n] = 0
}

// iterationsSpared returns how many iterations fewer the group of polygon n takes
// without it.
func iterationsSpared(p *array.Polygons, n int) (iterations int32) {
	group := n / array.Lanes * array.Lanes
	end := min(group+array.Lanes, p.N)
	others := max(maxRows(p, group, n), maxRows(p, n+1, end))
	return max(p.Rows[n]-others, 0)
}

// maxRows returns the most rows of polygons lo to hi (exclusive).
func maxRows(p *array.Polygons, lo, hi int) (most int32) {
	for _, rows := range p.Rows[lo:hi] {
		most = max(most, rows)
	}
	return most
}

// polygonSamples estimates the work of polygon n in samples. Its rows in the picture are
// taken to be as wide as the polygon is on average, and each costs rowSamples more.
func polygonSamples(p *array.Polygons, n int, width int32) int64 {
	x, y := [3]int32{p.X[0][n], p.X[1][n], p.X[2][n]}, [3]int32{p.Y[0][n], p.Y[1][n], p.Y[2][n]}
	area := int64(x[1]-x[0])*int64(y[2]-y[0]) - int64(x[2]-x[0])*int64(y[1]-y[0])
	height := int64(max(y[0], y[1], y[2]) - min(y[0], y[1], y[2])) // above 0, or it had no rows
	mean := max(area, -area) / (2 * height) >> array.SubBits
	left, right := max(min(x[0], x[1], x[2])>>array.SubBits, 0), min(max(x[0], x[1], x[2])>>array.SubBits+1, width)
	return int64(p.Rows[n]) * (min(mean, int64(right-left)) + rowSamples)
}

// drawRowRanges draws row ranges until no worker can add any. Workers begin at different
// heights, those at which they will merge frames, so that few tiles are drawn by two
// workers. Each goes on with the range nearest to its last one: the keys of those rows are
// still in its caches.
func (w *worker) drawRowRanges(r *Renderer, index int) {
	// Two workers each begin at the border of the parts that they will merge.
	row := r.job.view.Height * int32(min((index+1)/2*2, len(r.workers))) / int32(len(r.workers))
	for {
		w.rowRange.Reset()
		if !r.ranges.take(w.rowRange, row) || r.cancelled() {
			return
		}
		row = w.rowRange.First[0] + w.rowRange.Rows[0]/2
		w.drawRowRange(r)
	}
}

// drawRowRange draws the worker's row range.
func (w *worker) drawRowRange(r *Renderer) {
	w.scan.StartRows(w.rowRange, 0, w.rowRange.First[0], w.rowRange.Rows[0])
	w.drawSpans(r, w.rowRange, time.Now(), true)
}
