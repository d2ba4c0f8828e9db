package render

import (
	"math"
	"time"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/kernel/array"
	"lockstep/vp"
)

// Workers balance like lanes: what the large polygons of a block have to do is gathered,
// and where spreading it over others saves more than it costs their rows are cut into
// bands of the picture that any worker may draw. All processors but the block's own count
// as idle, and there are as many as bands. So neither the bands nor what is counted while
// they are drawn depends on the number of workers.

const (
	// bandsMost is how many bands the rows of a block are cut into: on two workers the
	// last one keeps one of them waiting for a sixty-fourth of the block at most.
	bandsMost = 32
	// bandSamples is the least work of a band, some 60 microseconds.
	bandSamples = 128 << 10
	// largeSamples and largeRows are the least of a polygon that is cut: the others' rows
	// are as many as iterations of setting up another group of lanes are worth.
	largeSamples = 4 << 10
	largeRows    = 2 * array.Lanes
	// rowSamples is the cost of a row apart from its samples, in samples: emitting its
	// span and starting on it.
	rowSamples = 16
	// shareUnit is an iteration at this scope, in samples: workloads are 32-bit numbers.
	shareUnit = 1 << 10
)

// largePolygons is the information about those polygons of a block that are worth
// cutting.
type largePolygons struct {
	index   []int32 // of the polygons
	samples int64   // that they cost
	rows    int64
	y0, y1  int32 // bounds of the rows
	most    int32 // rows of the tallest

	// Scratch of the decision: bands are the processors, of which one is active.
	workload, plan [bandsMost]int32
	planner        lb.Proportional
}

// sharePolygons takes the large polygons out of the worker's block, where cutting their
// rows pays. Mostly there is none. Where blocks are timed nothing is shared, so that
// every block keeps its work.
func (w *worker) sharePolygons(r *Renderer) {
	p := w.polys
	if r.options.Balance == BalanceNever || r.options.TimeBlocks || p.MaxRows <= largeRows ||
		int64(p.MaxRows)*int64(p.MaxX-p.MinX+rowSamples) <= largeSamples {
		return
	}
	w.large.gather(p, r.job.view.Width)
	if bands := w.large.bands(r.options.Balance, r.estimate.Sharing); bands > 1 {
		w.share(r, bands)
	}
}

// gather finds the large polygons.
func (l *largePolygons) gather(p *array.Polygons, width int32) {
	l.index, l.samples, l.rows, l.most = l.index[:0], 0, 0, 0
	l.y0, l.y1 = math.MaxInt32, 0
	low := max(largeRows, largeSamples/(p.MaxX-p.MinX+rowSamples)) // no polygon as low as that is large
	for n, rows := range p.Rows[:p.N] {
		if rows <= low {
			continue
		}
		if samples := polygonSamples(p, n, width); samples > largeSamples {
			l.index = append(l.index, int32(n))
			l.samples += samples
			l.rows += int64(rows)
			l.most = max(l.most, rows)
			l.y0, l.y1 = min(l.y0, p.First[n]), max(l.y1, p.First[n]+rows)
		}
	}
}

// bands decides into how many bands the rows are cut, 1 for none: as many as pay, out of
// bandsMost halved any number of times.
func (l *largePolygons) bands(policy lb.Policy, cost calibration.Sharing) int {
	for n := int(min(l.samples/bandSamples, bandsMost)); n > 1; n /= 2 {
		workload, plan := l.workload[:n], l.plan[:n]
		workload[0] = int32(min(l.samples/shareUnit, math.MaxInt32))
		s := lb.Gather(workload)
		newMax := l.planner.Plan(plan, workload, s)
		pieces := int64(len(l.index)) + l.rows*int64(n)/int64(l.y1-l.y0)
		if policy.Decide(s, newMax, cost.Of(n, pieces)/shareUnit).Redistribute {
			return 1 + int(plan[0])
		}
	}
	return 1
}

// share cuts the rows of the large polygons and leaves the block's polygons without them.
func (w *worker) share(r *Renderer, bands int) {
	p, l := w.polys, &w.large
	spared := p.Spared(l.index)
	w.tracer.share(l, bands, spared)
	for i := 0; i < bands && !r.cancelled(); i++ {
		lo, hi := vp.Share(l.y1-l.y0, bands, i)
		b := w.emptyBand(r)
		b.fill(p, l.index, l.y0+lo, l.y0+hi)
		if b == w.band {
			w.drawBand(r, b)
		} else {
			r.bands.offer(b)
		}
	}
	w.tracer.shared()
	for _, n := range l.index {
		p.Rows[n] = 0
	}
	w.scan.IterationsUnbalanced += spared
	w.scan.Redistributions++
	w.shared += int64(len(l.index))
}

// emptyBand returns a band to be filled. Where none is free it draws others until one
// is; where all are being drawn, or the frame is traced, it is the worker's own, not to be
// offered.
func (w *worker) emptyBand(r *Renderer) *band {
	for w.tracer == nil {
		if b := r.bands.empty(); b != nil {
			return b
		}
		b := r.bands.next(w.row)
		if b == nil {
			break
		}
		w.drawBand(r, b)
		r.bands.release(b)
	}
	if w.band == nil {
		w.band = &band{array.MakeRowRanges(len(w.polys.Payload))}
	}
	return w.band
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

// drawBands draws bands until no worker can offer any. Workers begin at different
// heights, those at which they will merge frames, so that few tiles are drawn by two
// workers. Each goes on with the band nearest to its last one: the keys of those rows are
// still in its caches.
func (w *worker) drawBands(r *Renderer) {
	for {
		b := r.bands.take(w.row)
		if b == nil {
			return
		}
		w.drawBand(r, b)
		r.bands.release(b)
	}
}

// drawBand draws a band, unless the frame was called off. What the loop would take
// without redistributions is counted where the block was cut.
func (w *worker) drawBand(r *Renderer, b *band) {
	if b.polys.N == 0 || r.cancelled() {
		return
	}
	w.row = (b.polys.MinY + b.polys.MaxY) / 2
	unbalanced := w.scan.IterationsUnbalanced
	start := time.Now()
	w.frame.touchRows(b.polys)
	w.scan.Start()
	w.drawSpans(r, b.polys, start)
	w.scan.IterationsUnbalanced = unbalanced
}
