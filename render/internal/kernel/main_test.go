package kernel

import (
	"flag"
	"testing"

	"lockstep/internal/testheap"
	"lockstep/vp/isa/race"
)

// raceChecks is the number of random cases of a property under the race detector, which makes them fifteen times
// slower. Without it, there are 100 cases.
const raceChecks = "15"

func TestMain(m *testing.M) {
	if race.Enabled {
		if err := flag.Set("rapid.checks", raceChecks); err != nil {
			panic(err)
		}
	}
	testheap.Main(m)
}
