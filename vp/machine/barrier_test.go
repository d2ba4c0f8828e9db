package machine

import (
	"sync"
	"testing"
)

// In every phase each party writes its own number and then checks the others' numbers. A party that passed the
// barrier too early would read an old number.
func TestBarrierSeparatesPhases(t *testing.T) {
	for _, parties := range teams {
		b := newBarrier(parties)
		const phases = 300
		at := make([]int, parties)
		var group sync.WaitGroup
		for p := range parties {
			group.Go(func() {
				for phase := 1; phase <= phases; phase++ {
					at[p] = phase
					b.wait()
					for other, seen := range at {
						if seen != phase {
							t.Errorf("%d parties: party %d in phase %d sees party %d in phase %d", parties, p, phase, other, seen)
						}
					}
					b.wait()
				}
			})
		}
		group.Wait()
	}
}

func TestBarrierNeedsAParty(t *testing.T) {
	if catch(func() { newBarrier(0) }) == nil {
		t.Error("newBarrier(0) did not panic")
	}
}

func newBarrier(parties int) *barrier {
	b := new(barrier)
	b.init(parties, spinFor)
	return b
}
