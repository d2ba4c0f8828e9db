package cluster_test

import (
	"testing"

	"lockstep/cluster"
)

// TestAnswersOfTheQueue checks that a queue without frames, or that ended while a node asked, is no error, and that
// everything else is.
func TestAnswersOfTheQueue(t *testing.T) {
	for _, c := range []struct {
		code, why string
		fails     bool
	}{
		{"404", "No Messages", false}, {"408", "Request Timeout", false}, {"409", "Consumer Deleted", false}, {"409", "Server Shutdown", false},
		{"409", "Leadership Change", false}, {"409", "Exceeded MaxWaiting", true}, {"400", "Bad Request", true},
	} {
		if err := cluster.ParseAnswer(c.code, c.why); (err != nil) != c.fails {
			t.Errorf("%s %s: %v", c.code, c.why, err)
		}
	}
}
