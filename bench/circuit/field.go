package circuit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lockstep/lb/circuit"
)

// A costField says how the cost of loads depends on their place in the unit square. The cost density of a point is from
// 1 to fieldPeak. Demirel and Sbalzarini give no scale for their two fields (Figure 4). With fieldPeak as the scale,
// the discrepancy at the start is about 140 with 10 loads per element, and 370 with 30. Both are within the axis of
// their Figure 7.
type costField uint8

const (
	linearFlow costField = iota // rises evenly from the left border to the right
	shockWave                   // a ring around the centre
	evenField                   // 1 everywhere, so that costs differ only by their random factors
)

const (
	fieldPeak   = 20   // largest cost density
	shockRadius = 0.3  // radius of the ring, in sides of the domain
	shockWidth  = 0.05 // standard deviation of the ring's profile
)

func (f costField) String() string {
	switch f {
	case linearFlow:
		return "linear-flow"
	case shockWave:
		return "shock-wave"
	case evenField:
		return "even"
	}
	return fmt.Sprintf("costField(%d)", uint8(f))
}

func (f costField) density(x, y float64) float64 {
	switch f {
	case linearFlow:
		return 1 + float64((fieldPeak-1)*x)
	case shockWave:
		d := (math.Hypot(x-0.5, y-0.5) - shockRadius) / shockWidth
		return 1 + float64((fieldPeak-1)*math.Exp(-d*d/2))
	}
	return 1
}

// costFunc returns a function that returns the cost of a load, which is a block of the domain. The cost is the density
// at the block's centre times a random value, rounded to float32, as the simulation stores it. The random value is
// uniform in (0, 1] and depends only on the seed and the load.
func (f costField) costFunc(b circuit.Blocks, seed uint64) func(load int) float32 {
	return func(load int) float32 {
		u := float64(mixSeed(seed, uint64(load))>>11+1) / (1 << 53)
		x, y := b.Position(load)
		return float32(u * f.density(x, y))
	}
}

// pinnedLoads returns a function that returns the loads of an element that may not move. These loads are called pinned.
// Their number is (1-mobility)*perElement, rounded down. The choice is random: the loads with the smallest hashes are
// pinned. If all loads may move, it returns nil.
func pinnedLoads(perElement int, mobility float64, seed uint64) func(element int) []int {
	pins := perElement - int(math.Ceil(mobility*float64(perElement)))
	if pins <= 0 {
		return nil
	}
	return func(element int) []int {
		loads := make([]int, perElement)
		for i := range loads {
			loads[i] = element*perElement + i
		}
		slices.SortFunc(loads, func(a, b int) int {
			return cmp.Compare(mixSeed(^seed, uint64(a)), mixSeed(^seed, uint64(b)))
		})
		return loads[:pins]
	}
}

// mixSeed returns the number at index counter of the random sequence that seed selects. It hashes seed and counter with
// the finalizer of splitmix64, so it need not compute earlier numbers of the sequence.
func mixSeed(seed, counter uint64) uint64 {
	z := seed ^ (counter+1)*0x9e3779b97f4a7c15
	for range 2 {
		z += 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}
