package render_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// The tests make some thousand renderers. With the usual goal of the collector the runtime gives the
// memory of each back, and faults it in for the next: a third of the tests' time where faults are dear.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
