package page

import (
	"os"
	"testing"

	"lockstep/internal/testparallel"
)

func TestMain(m *testing.M) {
	testparallel.Allow(testparallel.WaitingTests)
	os.Exit(m.Run())
}
