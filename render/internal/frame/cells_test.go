package frame

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/vp/isa"
)

// TestNearestOfCells compares the loops of every instruction set with nearestOf. Some cells show nothing, some have
// equal keys in several pixels, and some have several triangles of equal nearness. Only the first sample of a pixel
// counts.
func TestNearestOfCells(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	for _, level := range isa.Available() {
		loops := occlude.Select(level)
		if loops == nil {
			continue
		}
		for round := range 200 {
			cells := random.IntN(6) * occlude.Lanes
			if round == 0 {
				cells += 1 << 12 // more than one call of the assembly loop
			}
			keys := func() []uint64 {
				k := make([]uint64, 4*cells)
				for i := range k {
					if random.IntN(3) > 0 {
						k[i] = array.Key(0.25*float32(1+random.IntN(3)), uint64(^uint32(random.IntN(3)*round)))
					}
				}
				return k
			}
			upper, lower := keys(), keys()
			const guard = 77
			nearness, triangles, places := make([]float32, cells+1), make([]uint32, cells+1), make([]uint32, cells+1)
			nearness[cells], triangles[cells], places[cells] = guard, guard, guard
			x := 3000 + random.IntN(100)
			loops.Nearest(upper, lower, cellPlace(x, 0, 0), cellPlace(0, 0, 1)-cellPlace(0, 0, 0), nearness, triangles, places)
			for i := range cells {
				key, px, py := nearestOf(upper, lower, 2, i, false)
				triangle := array.Payload(key)
				if key == 0 {
					triangle = 0
				}
				if nearness[i] != array.Nearness(key) || triangles[i] != triangle || key != 0 && places[i] != cellPlace(x+i, px, py) {
					t.Fatalf("%s, round %d, cell %d: nearness %g of triangle %d at %#x, want %g of %d at %#x", level, round, i,
						nearness[i], triangles[i], places[i], array.Nearness(key), triangle, cellPlace(x+i, px, py))
				}
			}
			if nearness[cells] != guard || triangles[cells] != guard || places[cells] != guard {
				t.Fatalf("%s: wrote behind %d cells", level, cells)
			}
		}
	}
}

// TestNarrowCell checks nearestOf for the last cell of a row if the cell has no pixels on the right.
func TestNarrowCell(t *testing.T) {
	near, far := array.Key(0.75, 1), array.Key(0.5, 2)
	upper, lower := []uint64{far, 0, near, 0}, []uint64{0, near, near, near}
	for narrow, want := range map[bool][]uint64{true: {far, 0, 0}, false: {near, 1, 0}} {
		key, px, py := nearestOf(upper, lower, 2, 0, narrow)
		if got := []uint64{key, uint64(px), uint64(py)}; !slices.Equal(got, want) {
			t.Errorf("narrow %t: key %#x of pixel (%d, %d), want %#x", narrow, key, px, py, want)
		}
	}
}
