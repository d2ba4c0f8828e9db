package film

import (
	"testing"

	"lockstep/internal/testheap"
	"lockstep/internal/testparallel"
)

func TestMain(m *testing.M) {
	testparallel.Allow(testparallel.Waiting)
	testheap.Main(m)
}
