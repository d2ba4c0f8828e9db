package frame

import (
	"math"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/scratch"
)

const (
	// rangeSamples is the least average work of a row range, in samples. This much work takes some 5 microseconds.
	rangeSamples = 16 << 10
	// largeSamples and largeRows decide which polygons are large and may be cut: those with more samples than
	// largeSamples and more rows than largeRows. Setting up a group of lanes takes about as long as largeRows
	// iterations, so a polygon with fewer rows is not worth a group of its own.
	largeSamples = 1 << 10
	largeRows    = 2 * array.Lanes
	// largeShare means: if at least one in largeShare polygons of a block is large, all polygons of the block count as
	// large.
	largeShare = 4
	// cachedCharge multiplies the cost of cutting in frames that fit into a cache. In such frames, drawing row ranges
	// into buffers saves no memory traffic, so cutting helps only if workers are idle. If no worker is idle, at most a
	// sixteenth of the time is lost. Without this factor, 3000 wide slivers at 512x512 took 1.3 times as long.
	cachedCharge = 4
	// rowSamples is the cost of a row in addition to its samples, converted to samples. It covers emitting the row's
	// span and starting the z-buffer loop on the span.
	rowSamples = 16
	// shareUnit is the number of samples in a unit of workload, so that workloads fit into 32 bits.
	shareUnit = 1 << 10
)

// A selection holds the large polygons of a block.
type selection struct {
	index            []int32 // indices of the polygons in their block
	samples          int64   // estimated work of the polygons, in samples
	rows             int64
	firstRow, endRow int32 // range of rows that contains all polygons, endRow exclusive
	maxRows          int32 // number of rows of the tallest polygon

	// The last fields are scratch memory for the decision whether to cut. The planner treats row ranges as processors.
	// Before the cut, only the first processor has work.
	workload, plan []int32
	planner        lb.Proportional
}

// selectLarge finds the large polygons. If at least one in largeShare of the block's polygons is large, all count as
// large, because merging the other polygons with the large ones tile by tile would cost more.
func (l *selection) selectLarge(p *array.Polygons, width int32) {
	low := max(largeRows, largeSamples/widestRow(p)) // a polygon that has at most `low` rows is not large
	l.selectAbove(p, width, low, largeSamples)
	if len(l.index) < p.N && largeShare*len(l.index) >= p.N {
		l.selectAbove(p, width, 0, 0)
	}
}

// selectAbove finds the polygons with more than `low` rows and more than `least` samples.
func (l *selection) selectAbove(p *array.Polygons, width, low int32, least int64) {
	l.index, l.samples, l.rows, l.maxRows = l.index[:0], 0, 0, 0
	l.firstRow, l.endRow = math.MaxInt32, 0
	x0, x1, x2 := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n, rows := range p.Rows[:p.N] {
		if rows <= low {
			continue
		}
		// Most polygons with more than `low` rows are thin. A polygon covers at most half of its box. This bound
		// excludes most thin polygons without a division.
		wide := int64(max(x0[n], x1[n], x2[n]) - min(x0[n], x1[n], x2[n]))
		if int64(rows)*(wide/2+(rowSamples+rowSamples/8)*array.Sub) <= least*array.Sub {
			continue
		}
		if samples := polygonSamples(p, n, width); samples > least {
			l.index = append(l.index, int32(n))
			l.samples += samples
			l.rows += int64(rows)
			l.maxRows = max(l.maxRows, rows)
			l.firstRow, l.endRow = min(l.firstRow, p.First[n]), max(l.endRow, p.First[n]+rows)
		}
	}
}

// rangeHeight returns the height of the row ranges into which the polygons are cut, or 0 if cutting costs more than it
// saves. It first tries the height `least`, which is the height of a buffer, and then doubles the height each time. It
// returns the first height with which cutting saves time.
func (l *selection) rangeHeight(policy lb.Policy, cost calibration.Sharing, least int32) int32 {
	for height := least; len(l.index) > 0; height *= 2 {
		n := l.numRanges(height)
		if n < 2 {
			return 0
		}
		if l.samples < int64(n)*rangeSamples {
			continue
		}
		l.workload, l.plan = scratch.Resize(l.workload, n), scratch.Resize(l.plan, n)
		clear(l.workload)
		l.workload[0] = int32(min(l.samples/shareUnit, math.MaxInt32))
		s := lb.Gather(l.workload)
		newMax := l.planner.Plan(l.plan, l.workload, s)
		pieces := int64(len(l.index)) + l.rows/int64(height)
		if policy.Decide(s, newMax, cost.Of(n, pieces)/shareUnit).Redistribute {
			return height
		}
	}
	return 0
}

// numRanges returns the number of row ranges of the given height that contain rows of the polygons.
func (l *selection) numRanges(height int32) int {
	return int((l.endRow-1)/height - l.firstRow/height + 1)
}

// widestRow returns an upper bound of the work of one row of any polygon in p, as estimated by polygonSamples. A
// polygon that reaches beyond the picture may have one column more than its box.
func widestRow(p *array.Polygons) int32 { return p.MaxX - p.MinX + 1 + rowSamples + rowSamples/8 }

// polygonSamples estimates the work of polygon n, in samples. For each row it adds the polygon's mean width,
// rowSamples for the row's span, and rowSamples/8 because even a row without samples takes time. If the mean width is
// below one sample, only that fraction of the rows has a span, so rowSamples is multiplied by it.
func polygonSamples(p *array.Polygons, n int, width int32) int64 {
	x, y := [3]int32{p.X[0][n], p.X[1][n], p.X[2][n]}, [3]int32{p.Y[0][n], p.Y[1][n], p.Y[2][n]}
	area := int64(x[1]-x[0])*int64(y[2]-y[0]) - int64(x[2]-x[0])*int64(y[1]-y[0])
	height := int64(max(y[0], y[1], y[2]) - min(y[0], y[1], y[2])) // positive, because the polygon has rows
	left, right := max(min(x[0], x[1], x[2])>>array.SubBits, 0), min(max(x[0], x[1], x[2])>>array.SubBits+1, width)
	mean := min(max(area, -area)/(2*height), int64(right-left)<<array.SubBits)
	covered := (mean + rowSamples*min(mean, array.Sub)) >> array.SubBits
	return int64(p.Rows[n]) * (covered + rowSamples/8)
}
