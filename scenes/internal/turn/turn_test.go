package turn

import (
	"math"
	"testing"

	"lockstep/scenes"
)

// TestQuarters checks that quarter turns are exact.
func TestQuarters(t *testing.T) {
	for degrees, want := range map[float64][3]float64{
		0: {1, 2, 3}, 90: {-2, 1, 3}, -270: {-2, 1, 3}, 180: {-1, -2, 3}, -90: {2, -1, 3}, 270: {2, -1, 3}, 720: {1, 2, 3},
	} {
		if a := Axis(2, degrees); a.Point([3]float64{1, 2, 3}) != want {
			t.Errorf("%v degrees: %v", degrees, a)
		}
	}
	if a := Axis(0, 90); a.Point([3]float64{1, 2, 3}) != [3]float64{1, -3, 2} {
		t.Errorf("about x: %v", a)
	}
}

// TestAbout rotates about a diagonal by a third of a turn, which exchanges the axes.
func TestAbout(t *testing.T) {
	sin, cos := math.Sincos(2 * math.Pi / 3)
	a := About([3]float64{5, 5, 5}, sin, cos)
	for i, v := range a.Point([3]float64{1, 2, 3}) {
		if want := [3]float64{3, 1, 2}[i]; math.Abs(v-want) > 1e-15*8 {
			t.Errorf("part %d is %v, want %v", i, v, want)
		}
	}
	for _, axis := range [][3]float64{{}, {math.NaN(), 0, 0}, {math.Inf(1), 0, 0}} {
		if a := About(axis, 1, 0); a != scenes.Identity() {
			t.Errorf("%v: %v", axis, a)
		}
	}
	if a := About([3]float64{0, 0, 1}, math.NaN(), 1); a != scenes.Identity() {
		t.Errorf("no angle: %v", a)
	}
}
