package circuit

import "testing"

// Of two loads that are as near to the target the smaller one is taken, and what lies
// beyond all is nearest to the end.
func TestNearestLoad(t *testing.T) {
	s := []signedLoad{{-2, 5}, {1, 6}, {3, 7}}
	for target, want := range map[float64]int32{2: 6, 2.1: 7, -9: 5, 9: 7, -0.5: 5, 1: 6} {
		if f := nearest1(s, target); f.at[0] != want || f.n != 1 {
			t.Errorf("target %v: load %d, want %d", target, f.at[0], want)
		}
	}
}

// A sample keeps both ends.
func TestSampleKeepsTheEnds(t *testing.T) {
	s := make([]signedLoad, 3*fitLoads+7)
	for i := range s {
		s[i] = signedLoad{float64(i), int32(i)}
	}
	if got := sample(s); got[0] != s[0] || got[fitLoads-1] != s[len(s)-1] || len(got) != fitLoads {
		t.Errorf("%d loads from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// Of pairs of the same sum those of the first loads are taken.
func TestNearestFourTies(t *testing.T) {
	s := []signedLoad{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}
	if f := new(Workspace).nearest4(s, 4); f.n != 4 || f.sum != 4 || f.at != [maxFit]int32{0, 1, 4, 5} {
		t.Errorf("loads %v of sum %v", f.at, f.sum)
	}
}

// Where two pairs of the target's sum share a load, the lighter pair stays and the other
// gives way to the next below it.
func TestNearestFourSharedLoad(t *testing.T) {
	s := []signedLoad{{-3, 0}, {-3, 1}, {-2, 2}, {0, 3}, {1, 4}, {2, 5}}
	if f := new(Workspace).nearest4(s, 1); f.n != 4 || f.sum != 1 || f.at != [maxFit]int32{2, 5, 3, 4} {
		t.Errorf("loads %v of sum %v", f.at, f.sum)
	}
}
