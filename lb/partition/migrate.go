package partition

import (
	"cmp"
	"fmt"
	"slices"
)

// A Movement says how much moves between parts when a new division of points replaces an old one.
type Movement struct {
	Points int     // number of points that change their part
	Weight float64 // weight of these points
	// Most is the largest weight that a single part sends or receives. If parts send and receive at the same time, the
	// duration of the movement is proportional to Most.
	Most float64
}

// Moved compares the owners of every point in two divisions. weight holds the bytes of every point, or another cost of
// moving it. If it is nil, every point costs 1. It costs O(points + parts).
func Moved(from, to []int32, weight []float64, parts int) Movement {
	if len(from) != len(to) {
		panic(fmt.Sprintf("partition: %d owners before and %d after", len(from), len(to)))
	}
	var m Movement
	sent, received := make([]float64, parts), make([]float64, parts)
	for i, part := range to {
		if from[i] == part {
			continue
		}
		w := weightAt(weight, i)
		m.Points++
		m.Weight += w
		sent[from[i]] += w
		received[part] += w
	}
	for i := range sent {
		m.Most = max(m.Most, sent[i], received[i])
	}
	return m
}

// An overlap is the weight that a part of one division and a part of another have in common.
type overlap struct {
	from, to int32
	weight   float64
}

// Stay returns new numbers for the parts of a division, for [Partition.Renumber], so that much weight keeps its part
// number. It takes pairs of a former and a new part in descending order of the weight that they share. If neither part
// of a pair has a partner yet, the new part gets the number of the former. Ties go to the smaller numbers.
//
// This greedy choice keeps at least half of the weight that the best numbering keeps. The reason: each choice excludes
// at most two pairs of the best numbering, and these have no larger weight. It costs O(points + parts + pairs log
// pairs), where pairs counts the pairs of parts that share points.
func Stay(from, to []int32, weight []float64, parts int) []int32 {
	shared := overlaps(from, to, weight, parts)
	slices.SortFunc(shared, func(a, b overlap) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	number := make([]int32, parts)
	for i := range number {
		number[i] = -1
	}
	taken := make([]bool, parts)
	for _, o := range shared {
		if number[o.to] < 0 && !taken[o.from] {
			number[o.to], taken[o.from] = o.from, true
		}
	}
	free := int32(0)
	for i := range number {
		if number[i] >= 0 {
			continue
		}
		for taken[free] {
			free++
		}
		number[i], taken[free] = free, true
	}
	return number
}

// overlaps returns, for each pair of a former and a new part that have points in common, the weight of these points.
// The pairs are ordered by the former part, then by the pair's first point. Weights are added in the order of the
// points. It costs O(points + parts + pairs log pairs).
func overlaps(from, to []int32, weight []float64, parts int) []overlap {
	if len(from) != len(to) {
		panic(fmt.Sprintf("partition: %d owners before and %d after", len(from), len(to)))
	}
	start := make([]int32, parts+1)
	for _, part := range from {
		start[part+1]++
	}
	for part := range parts {
		start[part+1] += start[part]
	}
	order, next := make([]int32, len(from)), slices.Clone(start)
	for i, part := range from {
		order[next[part]] = int32(i)
		next[part]++
	}
	var all []overlap
	shared, seen := make([]float64, parts), make([]bool, parts)
	for part := range parts {
		first := len(all)
		for _, i := range order[start[part]:start[part+1]] {
			if k := to[i]; !seen[k] {
				seen[k] = true
				all = append(all, overlap{from: int32(part), to: k})
			}
			shared[to[i]] += weightAt(weight, int(i))
		}
		for k := first; k < len(all); k++ {
			o := &all[k]
			o.weight, shared[o.to], seen[o.to] = shared[o.to], 0, false
		}
	}
	return all
}
