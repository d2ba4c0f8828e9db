package partition

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A place is a position in a set of points that is ordered by key, and by index if keys are equal. A point comes before
// a place if its key is smaller, or if its key is equal and its index smaller.
type place struct {
	key   float64
	index int
}

// before returns 1 if the point with this key and index is before the place, and 0 otherwise. It compiles to code
// without branches, which random keys would mispredict.
func (p place) before(key float64, index int) int {
	b := 0
	if key < p.key {
		b = 1
	}
	if key == p.key && index < p.index {
		b = 1
	}
	return b
}

// The selector sorts keys into bins, in several passes. The number of bins is a power of two. A histogram of 1024 bins
// takes 12 kB, which fits into a first-level cache. For a small set 64 bins are enough, because clearing and reading
// more bins would take longer than sorting the keys.
const (
	maxBinBits = 10
	minBinBits = 6
)

// binBits returns the logarithm of the number of bins for a set of n points.
func binBits(n int) int {
	if n < 1<<12 {
		return minBinBits
	}
	return maxBinBits
}

// A histogram holds the weight and the number of points of every bin. bins is the number of elements in use.
type histogram struct {
	bins   int
	weight [1 << maxBinBits]float64
	count  [1 << maxBinBits]int32
}

func (h *histogram) reset(bins int) {
	h.bins = bins
	clear(h.weight[:bins])
	clear(h.count[:bins])
}

// A selector finds weighted quantiles in linear time. It reuses its slices, and serves one set at a time.
type selector struct {
	partial []*histogram // histogram of each chunk
	all     histogram
	least   []float64 // least and largest key of each chunk
	most    []float64
	cand    []candidate
}

// A candidate is a point near the place that method find seeks.
type candidate struct {
	key    float64
	weight float64
	index  int32
}

// find returns the place before which the weight of the points is nearest to share. Of two equally near places it
// returns the earlier. Points lo to hi-1 have the keys key[lo:hi]. weight is nil if all points weigh 1. Without points,
// find returns the zero value.
//
// The first pass sorts keys into bins of equal width. The bin that contains the place is then divided again by the bits
// of the keys. So any distribution of keys takes O(n).
func (s *selector) find(loop For, key, weight []float64, lo, hi int, share float64) place {
	if hi <= lo {
		return place{}
	}
	least, most := s.limits(loop, key, lo, hi)
	if least == most {
		s.cand = s.cand[:0]
		return s.splitEqual(key, weight, lo, hi, share)
	}
	// The range is halved because the difference of two keys could overflow. The limit keeps the scale finite if all
	// keys are nearly equal.
	b := grid{least: least / 2, bins: 1 << binBits(hi-lo)}
	b.scale = min(float64(b.bins)/(most/2-b.least), math.MaxFloat64)
	s.fill(loop, key, weight, lo, hi, b)
	below, bin := s.all.crossing(0, share)
	s.gather(loop, key, weight, lo, hi, oneBin{b, bin})
	return refine(s.cand, below, share, &s.all)
}

// A grid divides the range of the keys into bins of equal width. It uses half of each key, because differences of
// halves are finite.
type grid struct {
	least, scale float64
	bins         int
}

// bin returns the bin of a key. It is monotone in the key.
func (g grid) bin(key float64) int {
	return min(int((key/2-g.least)*g.scale), g.bins-1)
}

// limits returns the least and the largest key.
func (s *selector) limits(loop For, key []float64, lo, hi int) (least, most float64) {
	n := chunks(hi - lo)
	s.least, s.most = slices.Grow(s.least[:0], n)[:n], slices.Grow(s.most[:0], n)[:n]
	eachChunk(loop, lo, hi, func(c, from, to int) {
		a, b := math.Inf(1), math.Inf(-1)
		for _, k := range key[from:to] {
			a, b = min(a, k), max(b, k)
		}
		s.least[c], s.most[c] = a, b
	})
	return slices.Min(s.least), slices.Max(s.most)
}

// fill fills the histogram with the points lo to hi-1.
func (s *selector) fill(loop For, key, weight []float64, lo, hi int, g grid) {
	n := chunks(hi - lo)
	for len(s.partial) < n {
		s.partial = append(s.partial, new(histogram))
	}
	eachChunk(loop, lo, hi, func(c, from, to int) {
		h := s.partial[c]
		h.reset(g.bins)
		for i := from; i < to; i++ {
			h.count[g.bin(key[i])]++
		}
		if weight == nil {
			for b, count := range h.count[:g.bins] {
				h.weight[b] = float64(count)
			}
			return
		}
		for i := from; i < to; i++ {
			h.weight[g.bin(key[i])] += weight[i]
		}
	})
	s.all.reset(g.bins)
	for _, h := range s.partial[:n] {
		for b := range g.bins {
			s.all.weight[b] += h.weight[b]
			s.all.count[b] += h.count[b]
		}
	}
}

// crossing finds the bin in which the sum of weights reaches share. The sum starts with the number `below`, and the
// weights of the bins are added in order. crossing returns this bin, and the sum without the weight of this bin. If
// rounding keeps the sum below share, it returns the last bin with points.
func (h *histogram) crossing(below, share float64) (before float64, bin int) {
	last, beforeLast := 0, below
	for b, w := range h.weight[:h.bins] {
		if h.count[b] == 0 {
			continue
		}
		if below+w >= share {
			return below, b
		}
		last, beforeLast = b, below
		below += w
	}
	return beforeLast, last
}

// oneBin is a bin of a grid.
type oneBin struct {
	grid
	number int
}

// gather collects the points of bin b as candidates, in order of their index.
func (s *selector) gather(loop For, key, weight []float64, lo, hi int, b oneBin) {
	n := chunks(hi - lo)
	start := make([]int, n+1)
	for c := range n {
		start[c+1] = start[c] + int(s.partial[c].count[b.number])
	}
	s.cand = slices.Grow(s.cand[:0], start[n])[:start[n]]
	eachChunk(loop, lo, hi, func(c, from, to int) {
		at := start[c]
		for i := from; at < start[c+1]; i++ {
			if b.bin(key[i]) == b.number {
				s.cand[at] = candidate{key[i], weightAt(weight, i), int32(i)}
				at++
			}
		}
	})
}

func weightAt(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// splitEqual returns the place in a set whose keys are all equal.
func (s *selector) splitEqual(key, weight []float64, lo, hi int, share float64) place {
	for i := lo; i < hi; i++ {
		s.cand = append(s.cand, candidate{key[i], weightAt(weight, i), int32(i)})
	}
	return nearestPlace(s.cand, 0, share)
}

// sortBelow is the number of candidates up to which sorting is faster than clearing and reading a histogram.
const sortBelow = 64

// refine finds the place that method find seeks. The candidates are in order of their index. refine narrows them by the
// bits of their keys. Every round divides the range of the keys by at least 64, so there are at most eleven rounds.
func refine(cand []candidate, below, share float64, h *histogram) place {
	for len(cand) > sortBelow {
		least, most := uint64(math.MaxUint64), uint64(0)
		for _, c := range cand {
			k := sortKey(c.key)
			least, most = min(least, k), max(most, k)
		}
		if least == most {
			return nearestPlace(cand, below, share)
		}
		power := binBits(len(cand))
		shift := max(0, bits.Len64(most-least)-power)
		h.reset(1 << power)
		for _, c := range cand {
			b := (sortKey(c.key) - least) >> shift
			h.count[b]++
			h.weight[b] += c.weight
		}
		var bin int
		below, bin = h.crossing(below, share)
		kept := cand[:0]
		for _, c := range cand {
			if (sortKey(c.key)-least)>>shift == uint64(bin) {
				kept = append(kept, c)
			}
		}
		cand = kept
	}
	slices.SortFunc(cand, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.index, b.index))
	})
	return nearestPlace(cand, below, share)
}

// sortKey maps numbers other than NaN to integers in the same order. Both zeros become the same integer.
func sortKey(x float64) uint64 {
	u := math.Float64bits(x + 0) // adding 0 turns -0 into 0
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}

// nearestPlace returns the place in a sorted list of candidates before which the weight is nearest to share. The number
// `below` is the weight of all points before the list.
func nearestPlace(cand []candidate, below, share float64) place {
	for i, c := range cand {
		with := below + c.weight
		if with >= share || i == len(cand)-1 {
			if with-share < share-below {
				return place{c.key, int(c.index) + 1}
			}
			return place{c.key, int(c.index)}
		}
		below = with
	}
	return place{}
}
