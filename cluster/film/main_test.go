package film

import (
	"testing"
	"time"

	"lockstep/internal/testheap"
	"lockstep/internal/testparallel"
)

// patience is the longest time that a film may take, with the race detector on a busy machine.
const patience = 8 * time.Minute

func TestMain(m *testing.M) {
	testparallel.Allow(testparallel.WaitingTests)
	testheap.Main(m)
}
