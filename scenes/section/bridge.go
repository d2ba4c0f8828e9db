package section

import (
	"math"
	"sort"
)

// A chain is an open curve of consecutive segments of a cut.
type chain struct {
	begin, end [3]float32
	length     float64
}

const (
	// bridgedGap limits which gaps are closed. It is the greatest ratio of the width of a gap to the length of the
	// longer curve at the gap. A wider gap may be an intended opening; the opening of a bowl has a ratio of 0.6.
	bridgedGap = 0.25
	// mostChains limits the number of chains, because bridges compares all pairs of them.
	mostChains = 1000
)

// findBridges returns segments that close the gaps of open curves, the narrowest gaps first. Small holes of the surface
// cause such gaps.
func findBridges(loose []segment) []segment {
	chains := chainsOf(loose)
	if len(chains) > mostChains {
		return nil
	}
	type gap struct {
		from, to int // indices of the chain that ends at the gap and of the chain that begins there
		wide     float64
	}
	var gaps []gap
	for i := range chains {
		for j := range chains {
			wide := distance(chains[i].end, chains[j].begin)
			if wide <= bridgedGap*max(chains[i].length, chains[j].length) {
				gaps = append(gaps, gap{i, j, wide})
			}
		}
	}
	sort.SliceStable(gaps, func(i, j int) bool { return gaps[i].wide < gaps[j].wide })
	ended, begun := make([]bool, len(chains)), make([]bool, len(chains))
	var all []segment
	for _, g := range gaps {
		if !ended[g.from] && !begun[g.to] {
			ended[g.from], begun[g.to] = true, true
			all = append(all, segment{chains[g.from].end, chains[g.to].begin})
		}
	}
	return all
}

// chainsOf joins segments to chains. A chain starts at a point where more segments begin than end.
func chainsOf(loose []segment) (chains []chain) {
	next := map[[3]float32][]int{}
	open := map[[3]float32]int{}
	for i, s := range loose {
		next[s.a] = append(next[s.a], i)
		open[s.a]++
		open[s.b]--
	}
	for _, s := range loose {
		for ; open[s.a] > 0; open[s.a]-- {
			c := chain{begin: s.a, end: s.a}
			for len(next[c.end]) > 0 {
				list := next[c.end]
				step := loose[list[0]]
				next[c.end] = list[1:]
				c.length += distance(step.a, step.b)
				c.end = step.b
			}
			chains = append(chains, c)
		}
	}
	return chains
}

func distance(a, b [3]float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
