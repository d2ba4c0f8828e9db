package criteria

import (
	"context"
	"sort"

	"lockstep/bench/report"
	"lockstep/lb/loads"
	"lockstep/lb/scenario"
)

// bytesPerTriangle is the number of bytes that a triangle takes when it is moved: three corners of three float32.
const bytesPerTriangle = 36

// A replay is an application whose loads are recorded. Each processing element owns a range of consecutive blocks of
// the mesh.
//
// Balancing before frame t divides the blocks anew, so that the largest load of an element is as small as possible. It
// uses the loads of frame t-1, the last that are known, and for frame 0 the numbers of triangles. The division depends
// on t alone. So all runs that balance before frame t continue alike, which the search for the optimum needs.
//
// A balancing takes the latency, plus the time in which the busiest element sends or receives its blocks. Elements can
// send and receive at the same time.
type replay struct {
	frames, parts      int
	latency, bandwidth float64

	load      [][]float64 // load[t][b]: seconds of the first b blocks in frame t
	triangles []float64   // triangles[b]: number of triangles in the first b blocks
	cuts      [][]int     // cuts[t]: result of boundariesBefore(t), or nil before its first call
}

func newReplay(f *loads.Recording, parts int, latency, bandwidth float64) *replay {
	m := &replay{frames: len(f.Seconds), parts: parts, latency: latency, bandwidth: bandwidth}
	m.triangles = make([]float64, len(f.Triangles)+1)
	for b, n := range f.Triangles {
		m.triangles[b+1] = m.triangles[b] + float64(n)
	}
	m.load = make([][]float64, m.frames)
	for t, seconds := range f.Seconds {
		m.load[t] = make([]float64, len(seconds)+1)
		for b, s := range seconds {
			m.load[t][b+1] = m.load[t][b] + s
		}
	}
	m.cuts = make([][]int, m.frames)
	return m
}

// Iterations returns the number of frames.
func (m *replay) Iterations() int { return m.frames }

// Mean returns a lower bound of the mean seconds of the elements in frame t. It is the mean minus the rounding error
// that the prefix sums may have.
func (m *replay) Mean(t int) float64 {
	sums := m.load[t]
	return sums[len(sums)-1] / float64(m.parts) * (1 - float64(float64(len(sums))*0x1p-50))
}

// boundariesBefore returns the distribution after balancing before frame t. Element p owns the blocks b[p] to b[p+1]-1,
// where b is the result.
func (m *replay) boundariesBefore(t int) []int {
	if m.cuts[t] == nil {
		if t == 0 {
			m.cuts[t] = cutChain(m.triangles, m.parts)
		} else {
			m.cuts[t] = cutChain(m.load[t-1], m.parts)
		}
	}
	return m.cuts[t]
}

// Balanced returns the run that starts with balancing before frame t.
func (m *replay) Balanced(t int) scenario.Run {
	return &replayRun{m: m, cut: m.boundariesBefore(t), next: t}
}

// A replayRun is the part of a run from one balancing to the next. It implements scenario.Run.
type replayRun struct {
	m     *replay
	cut   []int
	next  int
	times []float64
}

func (r *replayRun) Step() scenario.Iteration {
	sums := r.m.load[r.next]
	first := sums[r.cut[1]] - sums[r.cut[0]]
	it := scenario.Iteration{Max: first, Min: first, Mean: r.m.Mean(r.next)}
	r.times = append(r.times[:0], first)
	for p := 1; p < r.m.parts; p++ {
		s := sums[r.cut[p+1]] - sums[r.cut[p]]
		it.Max, it.Min = max(it.Max, s), min(it.Min, s)
		r.times = append(r.times, s)
	}
	it.Times = r.times
	it.Max = max(it.Max, it.Mean)
	r.next++
	return it
}

func (r *replayRun) Cost() float64 { return r.m.moveCost(r.cut, r.m.boundariesBefore(r.next)) }

// moveCost returns how many seconds it takes to move the blocks from one distribution to another.
func (m *replay) moveCost(from, to []int) float64 {
	most := 0.0
	for p := range m.parts {
		stay := max(0, m.triangleCount(max(from[p], to[p]), min(from[p+1], to[p+1])))
		most = max(most, m.triangleCount(from[p], from[p+1])-stay, m.triangleCount(to[p], to[p+1])-stay)
	}
	return m.latency + most*bytesPerTriangle/m.bandwidth
}

// startCost returns how many seconds one element needs to send all blocks. That is the cost of the first distribution.
func (m *replay) startCost() float64 {
	return m.latency + m.triangles[len(m.triangles)-1]*bytesPerTriangle/m.bandwidth
}

// triangleCount returns the number of triangles of blocks a to b-1, or 0 if b <= a.
func (m *replay) triangleCount(a, b int) float64 {
	if b <= a {
		return 0
	}
	return m.triangles[b] - m.triangles[a]
}

// cutChain divides a chain of blocks into consecutive parts. The largest load of a part is as small as possible, except
// for rounding. sums are the prefix sums of the blocks' loads. It returns the first block of every part, followed by
// the number of blocks.
//
// It finds the largest load by bisection and tests each value by binary searches, in O(64 * parts * log(blocks)) steps.
// Source: Pinar and Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", JPDC 64, 2004.
func cutChain(sums []float64, parts int) []int {
	total := sums[len(sums)-1]
	low, high := total/float64(parts), total
	for range 64 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if _, ok := probeChain(sums, parts, mid); ok {
			high = mid
		} else {
			low = mid
		}
	}
	cut, _ := probeChain(sums, parts, high)
	return cut
}

// probeChain divides a chain greedily. Each part except the last gets as many blocks as possible with a load of at most
// limit. The last part gets the rest. It reports whether the load of the last part is within limit too.
func probeChain(sums []float64, parts int, limit float64) ([]int, bool) {
	n := len(sums) - 1
	cut := make([]int, parts+1)
	for p := 1; p < parts; p++ {
		from := cut[p-1]
		most := sums[from] + limit
		cut[p] = from + sort.Search(n-from, func(i int) bool { return sums[from+i+1] > most })
	}
	cut[parts] = n
	return cut, sums[n]-sums[cut[parts-1]] <= limit
}

// runRecording replays the recorded loads with every criterion.
func (c *Experiment) runRecording(ctx context.Context, p *printer) error {
	recorded, err := report.ReadLoads(c.Loads)
	if err != nil {
		return err
	}
	switch blocks := len(recorded.Triangles); {
	case c.Parts > blocks:
		return report.Usagef("--parts %d: the recording has only %d blocks", c.Parts, blocks)
	case c.Parts == blocks && blocks > 1:
		return report.Usagef("--parts %d: every processing element would own one block, which cannot be divided, so that no balancing changes anything; expected less", c.Parts)
	}
	m := newReplay(recorded, c.Parts, c.MoveLatency, c.MoveBandwidth)
	results, err := runCriteria(ctx, m, m.startCost())
	if err != nil {
		return err
	}
	if results, err = c.addBest(ctx, m, results); err != nil {
		return err
	}
	if results, err = addHandovers(recorded, m, results); err != nil {
		return err
	}
	p.printNamed(string(c.Loads), c.Parts, results)
	return p.printError()
}
