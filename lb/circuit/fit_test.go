package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNearestLoad checks that if two loads are equally near to the target, the smaller load is taken. If the target is
// above or below all loads, the nearest load is the last or the first.
func TestNearestLoad(t *testing.T) {
	s := []signedLoad{{-2, 5}, {1, 6}, {3, 7}}
	for target, want := range map[float64]int32{2: 6, 2.1: 7, -9: 5, 9: 7, -0.5: 5, 1: 6} {
		if f := nearest1(s, target); f.at[0] != want || f.n != 1 {
			t.Errorf("target %v: load %d, want %d", target, f.at[0], want)
		}
	}
}

// TestSampleKeepsTheEnds checks that a sample contains the first and the last load.
func TestSampleKeepsTheEnds(t *testing.T) {
	s := make([]signedLoad, 3*fitLoads+7)
	for i := range s {
		s[i] = signedLoad{float64(i), int32(i)}
	}
	if got := evenSample(s); got[0] != s[0] || got[fitLoads-1] != s[len(s)-1] || len(got) != fitLoads {
		t.Errorf("%d loads from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// TestNearestFourTies checks that if several pairs have equal sums, the pairs with the first loads are taken.
func TestNearestFourTies(t *testing.T) {
	s := []signedLoad{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}
	if f := new(Workspace).nearest4(s, 4); f.n != 4 || f.sum != 4 || f.at != [maxFit]int32{0, 1, 4, 5} {
		t.Errorf("loads %v of sum %v", f.at, f.sum)
	}
}

// TestNearestFourSharedLoad checks two pairs that have the target's sum and share a load. The lighter pair must be
// kept. The other pair must be replaced by the pair with the next smaller sum.
func TestNearestFourSharedLoad(t *testing.T) {
	s := []signedLoad{{-3, 0}, {-3, 1}, {-2, 2}, {0, 3}, {1, 4}, {2, 5}}
	if f := new(Workspace).nearest4(s, 1); f.n != 4 || f.sum != 1 || f.at != [maxFit]int32{2, 5, 3, 4} {
		t.Errorf("loads %v of sum %v", f.at, f.sum)
	}
}

// TestNearestFourOrder checks that pairs with the same sum and the same first load are ordered by their second load.
func TestNearestFourOrder(t *testing.T) {
	s := []signedLoad{{1, 5}, {2, 4}, {2, 3}, {2, 2}, {9, 1}}
	if f := new(Workspace).nearest4(s, 14); f.sum != 14 || f.at != [maxFit]int32{5, 2, 4, 1} {
		t.Errorf("loads %v of sum %v", f.at, f.sum)
	}
}

// TestFitsOfEqualLoads checks loads with many ties. nearest3 must return the first of the nearest triples. nearest4
// must return four different loads whose sum equals the returned sum.
func TestFitsOfEqualLoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SliceOfN(rapid.IntRange(-2, 3), 0, 9).Draw(t, "values")
		slices.Sort(value)
		var s []signedLoad
		for i, v := range value {
			s = append(s, signedLoad{float64(v), int32(len(value) - 1 - i)})
		}
		target := float64(rapid.IntRange(-12, 16).Draw(t, "target")) / 2
		if got, want := nearest3(s, target), firstThree(s, target); got.n != want.n || math.Abs(got.sum-target) != math.Abs(want.sum-target) || got.n == 3 && got.at[0] != want.at[0] {
			t.Fatalf("three of %v to %v: %v, want %v", s, target, got, want)
		}
		f := new(Workspace).nearest4(s, target)
		sum := 0.0
		for i, load := range f.at[:f.n] {
			if slices.Contains(f.at[:i], load) {
				t.Fatalf("of %v to %v: load %d twice in %v", s, target, load, f)
			}
			sum += s[len(s)-1-int(load)].value
		}
		if f.n != 0 && (f.n != 4 || f.sum != sum) || f.n == 0 && !math.IsInf(f.sum, 1) {
			t.Fatalf("four of %v to %v: %v, whose sum is %v", s, target, f, sum)
		}
	})
}

// firstThree finds the first of the nearest triples by trying all triples.
func firstThree(s []signedLoad, target float64) fit {
	best := fit{sum: math.Inf(1)}
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			for k := j + 1; k < len(s); k++ {
				if sum := s[i].value + s[j].value + s[k].value; math.Abs(sum-target) < math.Abs(best.sum-target) {
					best = fit{sum: sum, n: 3, at: [maxFit]int32{s[i].load, s[j].load, s[k].load}}
				}
			}
		}
	}
	return best
}
