package server

import (
	"slices"
	"testing"
)

// A node's client asks for a watch without the consumer's name while it does not know the
// server's version, as it is about to connect again: nats.go, Conn.ConnectedServerVersion.
func TestWorkersMayResumeAWatch(t *testing.T) {
	allowed := workerRights().Publish.Allow
	for _, subject := range []string{"$JS.API.CONSUMER.CREATE.KV_jobs", "$JS.API.CONSUMER.CREATE.KV_jobs.>"} {
		if !slices.Contains(allowed, subject) {
			t.Errorf("a node may not publish to %s", subject)
		}
	}
}
