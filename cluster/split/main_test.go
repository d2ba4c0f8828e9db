package split

import (
	"testing"

	"lockstep/internal/testheap"
	"lockstep/internal/testparallel"
)

func TestMain(m *testing.M) {
	testparallel.Allow(testparallel.WaitingTests)
	testheap.Main(m)
}
