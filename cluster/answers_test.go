package cluster_test

import (
	"testing"

	"lockstep/cluster"
)

// TestAnswersOfTheQueue checks answers without a task. An answer is not an error if the queue has no frames, or if it
// ended while a node was asking. Every other answer is an error.
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
