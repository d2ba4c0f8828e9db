package scenes_test

import (
	"math"
	"testing"

	"lockstep/scenes"
)

// TestFieldRange checks that infinities and NaNs do not count, and that the range of a symmetric field extends equally
// far on both sides of 0.
func TestFieldRange(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		field     scenes.Field
		low, high float64
	}{
		{scenes.Field{Values: []float32{3, nan, -0.5, inf, -inf}}, -0.5, 3},
		{scenes.Field{Values: []float32{nan}}, 0, 0},
		{scenes.Field{Values: []float32{3, -0.5}, Symmetric: 1}, -3, 3},
		{scenes.Field{Values: []float32{-3, -2.5, nan}, Symmetric: 1}, -3, 3},
		{scenes.Field{Values: []float32{0, -0.5, 0.25}, Symmetric: 1}, -1, 1},
		{scenes.Field{Values: []float32{nan}, Symmetric: 2}, -2, 2},
	} {
		if low, high := c.field.Range(); low != c.low || high != c.high {
			t.Errorf("%v: %v to %v, want %v to %v", c.field, low, high, c.low, c.high)
		}
	}
}
