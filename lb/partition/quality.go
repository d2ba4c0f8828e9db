package partition

import "math"

// A Quality measures a division of points, whichever method made it.
type Quality struct {
	// Imbalance is the largest weight of a part divided by the mean. It is at least 1.
	Imbalance float64
	// Border is the number of points that have another part than their own within the radius. It measures the surface
	// of the cuts. Ghosts is the sum over all points of the number of other parts within the radius. When each part
	// sends its points near a border to the other parts near them, Ghosts copies are sent.
	Border, Ghosts int
	// Neighbours is the mean number of other parts from which a part receives copies. MostNeighbours is the largest
	// such number.
	Neighbours     float64
	MostNeighbours int
}

// Imbalance returns the largest weight of a part divided by the mean weight of all parts. It returns 1 if there is no
// weight. If weight is nil, every point weighs 1. It costs O(points + parts).
func Imbalance(owner []int32, weight []float64, parts int) float64 {
	load := make([]float64, parts)
	total := 0.0
	for i, part := range owner {
		w := weightAt(weight, i)
		load[part] += w
		total += w
	}
	most := 0.0
	for _, l := range load {
		most = max(most, l)
	}
	if total == 0 {
		return 1
	}
	return max(1, most/(total/float64(parts)))
}

// Quality measures the partition at an age, with the points at their present positions. Each point is owned by the part
// of its position. A point is near another part if a box around it, which extends by radius to all sides, meets that
// part. It costs O(points log parts).
func (p *Partition) Quality(at [][]float64, weight []float64, radius, age float64) Quality {
	owner := make([]int32, len(at[0]))
	p.LocateAll(owner, at, age, Options{})
	q := Quality{Imbalance: Imbalance(owner, weight, p.parts)}
	pairs := make(map[[2]int32]bool)
	var near []int32
	for i, own := range owner {
		lo, hi := [3]float64{}, [3]float64{}
		for d := range at {
			lo[d], hi[d] = at[d][i]-radius, at[d][i]+radius
		}
		near = p.Overlap(near[:0], lo, hi, age)
		before := q.Ghosts
		for _, part := range near {
			if part != own {
				q.Ghosts++
				pairs[[2]int32{part, own}] = true
			}
		}
		if q.Ghosts > before {
			q.Border++
		}
	}
	count := make([]int, p.parts)
	for pair := range pairs {
		count[pair[0]]++
	}
	for _, n := range count {
		q.MostNeighbours = max(q.MostNeighbours, n)
	}
	q.Neighbours = float64(len(pairs)) / math.Max(1, float64(p.parts))
	return q
}
