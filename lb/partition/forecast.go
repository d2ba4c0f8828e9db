package partition

import "fmt"

// Loads returns the weight of the points in each part of the partition at the given age. at holds the positions, one
// column for each dimension. A nil weight means that every point weighs 1. Points, weights and age may be forecasts. It
// costs O(points log parts).
func (p *Partition) Loads(at [][]float64, weight []float64, age float64, o Options) []float64 {
	if len(at) != p.dim {
		panic(fmt.Sprintf("partition: %d columns of coordinates in %d dimensions", len(at), p.dim))
	}
	n := len(at[0])
	load := make([][]float64, chunks(n))
	eachChunk(o.loop(), 0, n, func(c, from, to int) {
		sum := make([]float64, p.parts)
		for i := from; i < to; i++ {
			z := 0.0
			if p.dim == 3 {
				z = at[2][i]
			}
			sum[p.Locate(at[0][i], at[1][i], z, age)] += weightAt(weight, i)
		}
		load[c] = sum
	})
	total := make([]float64, p.parts)
	for _, sum := range load {
		for k, w := range sum {
			total[k] += w
		}
	}
	return total
}
