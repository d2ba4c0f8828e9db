package numeric

import (
	"math"
	"testing"
)

// TestCircle compares the results with package math, and checks that quarter turns are exact.
func TestCircle(t *testing.T) {
	for i := range 1000 {
		f := float64(i)/777 - 0.3
		c, s := Circle(f)
		if math.Abs(c-math.Cos(2*math.Pi*f)) > 2e-15 || math.Abs(s-math.Sin(2*math.Pi*f)) > 2e-15 {
			t.Errorf("circle(%v) = %v, %v", f, c, s)
		}
	}
	for k, want := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		if c, s := Turn(k, 4); c != want[0] || s != want[1] {
			t.Errorf("turn(%d, 4) = %v, %v", k, c, s)
		}
	}
}
