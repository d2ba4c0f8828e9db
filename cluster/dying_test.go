package cluster_test

import (
	"context"
	"errors"
	"fmt"

	"lockstep/cluster"
)

// runDyingNodes runs nodes one after the other until stop is called. draw may call die, which closes the node's
// connection as if the node were killed.
func (h *testServer) runDyingNodes(s *fakeDrawer, draw func(k int, die func()) ([]byte, error)) (stop func()) {
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			conn, died := h.dial(h.worker), make(chan struct{})
			s.draw = func(_ context.Context, k int) ([]byte, error) {
				return draw(k, func() { conn.Close(); close(died) })
			}
			end := h.work(conn, fmt.Sprint("n", i), s)
			select {
			case <-over:
				end()
				return
			case <-died:
				end()
			}
		}
	}()
	return func() { close(over); <-stopped }
}

// errDies is the error of frames that kill their nodes.
var errDies = errors.New("dies")

// followToEnd follows a job to its end and then calls stop.
func (h *testServer) followToEnd(c *cluster.Cluster, job cluster.Job, stop func()) *recordingFollower {
	h.t.Helper()
	l := newRecordingFollower()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	err := c.Follow(ctx, job.ID, l)
	stop()
	check(h.t, err)
	return l
}
