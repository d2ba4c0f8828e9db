package procedural

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// A random is a scene of independent triangles. Each block has its own random generator, whose seed depends on the
// index of the block.
type random struct {
	n    int
	seed uint64
	// triangle returns triangle t. It may use random numbers from r.
	triangle func(t int, r *numeric.Rand) [3][3]float64
}

func (s *random) Len() int { return s.n }

func (s *random) Colored() bool { return false }

func (s *random) Fill(first int, b *scenes.Block) {
	var r numeric.Rand
	r.Seed(s.seed, uint64(first/scenes.BlockSize))
	for t := range b.Len() {
		var corners [3][3]float32
		for k, c := range s.triangle(first+t, &r) {
			corners[k] = vector.Single(c)
		}
		b.Set(t, corners)
	}
}

// randomTriangle returns an equilateral triangle with the given centre and edge length, in a random orientation.
func randomTriangle(r *numeric.Rand, center [3]float64, edge float64) (t [3][3]float64) {
	u := r.Direction()
	v := vector.Cross(u, r.Direction())
	length := math.Sqrt(vector.Dot(v, v))
	if length < 1e-6 { // the two random directions were parallel
		v, length = vector.Cross(u, [3]float64{u[1], u[2], u[0]}), 1
	}
	v = vector.Scale(1/length, v)
	radius := edge / math.Sqrt(3)
	for k := range t {
		c, s := numeric.Turn(k, 3)
		t[k] = vector.Add(center, vector.Add(vector.Scale(float64(radius*c), u), vector.Scale(float64(radius*s), v)))
	}
	return t
}

func buildSoup(p *params) shape {
	n := p.triangles(100_000, 1)
	edge := p.number("size", 0.05, 1e-6, 2)
	return &random{n: n, seed: p.seed(), triangle: func(_ int, r *numeric.Rand) [3][3]float64 {
		center := [3]float64{r.Between(-1, 1), r.Between(-1, 1), r.Between(-1, 1)}
		return randomTriangle(r, center, edge)
	}}
}

// Slivers stand in a thin box, the slab, which is as wide as a picture with the proportions 16 to 9. Because the slab
// is thin, all slivers are nearly as tall as the picture in the front view.
const (
	slabWidth = 16.0 / 9
	slabDepth = 0.2
)

// buildSlivers mixes slivers, wide triangles and small triangles evenly. So each block has the same fraction of each
// kind.
func buildSlivers(p *params) shape {
	n := p.triangles(100_000, 1)
	slivers := p.count("slivers", min(n, (n*6+50)/100), 0, n)
	wide := p.count("wide", 0, 0, n)
	edge := p.number("size", 0.008, 1e-6, 2)
	if slivers+wide > n && p.err == nil {
		p.fail("wide", p.values.Get("wide"), "no more slivers and wide ones than triangles")
	}
	return &random{n: n, seed: p.seed(), triangle: func(t int, r *numeric.Rand) [3][3]float64 {
		x, y := r.Between(-slabWidth, slabWidth), r.Between(-slabDepth, slabDepth)
		if !isPicked(t, n, slivers+wide) {
			return randomTriangle(r, [3]float64{x, y, r.Between(-1, 1)}, edge)
		}
		if rank := t * (slivers + wide) / n; isPicked(rank, slivers+wide, slivers) {
			return tallTriangle(r, x, y, r.Between(0.001, 0.004))
		}
		return tallTriangle(r, x, y, r.Between(0.2, 1))
	}}
}

// isPicked picks k of the indices 0 to n-1, spread evenly, and reports whether t is picked. Exactly t*k/n of the picked
// indices are below t.
func isPicked(t, n, k int) bool { return (t+1)*k/n != t*k/n }

// tallTriangle returns a triangle at (x, y) from the bottom to the top of the slab. At one end it has the width
// `breadth`. The tip at the other end is shifted sideways by up to `breadth`.
func tallTriangle(r *numeric.Rand, x, y, breadth float64) [3][3]float64 {
	end := 1.0
	if r.Unit() < 0.5 {
		end = -1
	}
	lean := float64(breadth * r.Between(-1, 1))
	return [3][3]float64{
		{clampTo(x-breadth/2, slabWidth), y, -end},
		{clampTo(x+breadth/2, slabWidth), y, -end},
		{clampTo(x+lean, slabWidth), y, end},
	}
}

// clampTo returns v limited to [-limit, limit].
func clampTo(v, limit float64) float64 { return math.Max(-limit, math.Min(limit, v)) }
