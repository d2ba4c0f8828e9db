package simulation

import (
	"math"
	"testing"
)

// TestGrain checks that the grain of two slabs is the value of the last bit of the lightest load.
func TestGrain(t *testing.T) {
	slab := func(costs ...float32) (s []uint64) {
		for i, cost := range costs {
			s = append(s, packLoad(cost, int32(i)))
		}
		return s
	}
	for _, c := range []struct {
		u, v []uint64
		want float64
	}{
		{slab(8, 1.5), slab(3), 0x1p-23},
		{slab(8), slab(3, 1), 0x1p-23},
		{slab(0x1p30), slab(0x1p33), 0x1p7},
		{slab(5), slab(5, 0x1p-126), 0x1p-149},
		{slab(5, math.SmallestNonzeroFloat32), slab(5), 0x1p-150},
		{slab(5, 0), slab(5), 0x1p-150},
		{slab(), slab(5), 0},
		{slab(5), slab(), 0},
	} {
		if got := grainOf(c.u, c.v); got != c.want {
			t.Errorf("%x and %x: %g, want %g", c.u, c.v, got, c.want)
		}
	}
}
