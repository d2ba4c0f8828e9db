package tables

import (
	"math"

	"lockstep/vp"
)

// The steps of the renderer's two loops as the plain specification has them: a
// virtual processor holds a problem and a task index, and the solution phase
// computes the task from the problem data and the index alone, so that a task
// can be done anywhere. They exist to be timed.

// stepPolygons is the problem data of scan conversion.
type stepPolygons struct {
	first        []int32   // picture row of task 0
	left, right  []float64 // crossings with that row, in pixels
	dLeft, dRite []float64 // their change from row to row
	e0, gx, gy   []float64 // plane of nearness at column 0 of that row
}

// stepSpans is the problem data of the z-buffer loop and the result of scan
// conversion, one entry a virtual processor.
type stepSpans struct {
	start, count []int32
	e, de        []float32
	payload      []uint32
}

func newStepSpans(n int) *stepSpans {
	return &stepSpans{
		start: make([]int32, n), count: make([]int32, n),
		e: make([]float32, n), de: make([]float32, n), payload: make([]uint32, n),
	}
}

const stepWidth, stepHeight = 512, 512 // the picture of the paper

// makeStepPolygons spreads n polygons over the picture.
func makeStepPolygons(n int) *stepPolygons {
	p := &stepPolygons{first: make([]int32, n)}
	for _, column := range []*[]float64{&p.left, &p.right, &p.dLeft, &p.dRite, &p.e0, &p.gx, &p.gy} {
		*column = make([]float64, n)
	}
	for i := range n {
		// Multiples of an irrational number are spread evenly and repeatable.
		_, u := math.Modf(float64(i) * math.Phi)
		_, v := math.Modf(float64(i) * math.Sqrt2)
		p.first[i] = int32(v * stepHeight / 2)
		p.left[i] = u * (stepWidth - 64)
		p.right[i] = p.left[i] + 4 + 16*v
		p.dLeft[i], p.dRite[i] = u-0.5, v-0.5
		p.e0[i], p.gx[i], p.gy[i] = 0.1+u, (v-0.5)/1024, (u-0.5)/1024
	}
	return p
}

// scanStep is one iteration of the scan-conversion loop: every active virtual
// processor emits the span of its next scan line.
func scanStep(a *vp.Array, p *stepPolygons, out *stepSpans) {
	for v, left := range a.Workload {
		if left == 0 {
			continue
		}
		problem, task := a.Problem[v], float64(a.Next[v])
		x := math.Ceil(p.left[problem] + float64(task*p.dLeft[problem]))
		end := math.Ceil(p.right[problem] + float64(task*p.dRite[problem]))
		x, end = max(x, 0), min(end, stepWidth)
		row := p.first[problem] + a.Next[v]
		out.start[v] = row*stepWidth + int32(x)
		out.count[v] = int32(end - x)
		out.e[v] = float32(p.e0[problem] + float64(p.gx[problem]*x) + float64(p.gy[problem]*task))
		out.de[v] = float32(p.gx[problem])
		out.payload[v] = uint32(problem)
		a.Next[v]++
		a.Workload[v] = left - 1
	}
}

// zbufferStep is one iteration of the z-buffer loop: every active virtual
// processor tests the next pixel of its span.
func zbufferStep(a *vp.Array, s *stepSpans, frame []uint64) {
	for v, left := range a.Workload {
		if left == 0 {
			continue
		}
		problem, task := a.Problem[v], a.Next[v]
		e := max(s.e[problem]+float32(float32(task)*s.de[problem]), math.SmallestNonzeroFloat32)
		key := uint64(math.Float32bits(e))<<32 | uint64(^s.payload[problem])
		if at := &frame[s.start[problem]+task]; key > *at {
			*at = key
		}
		a.Next[v]++
		a.Workload[v] = left - 1
	}
}
