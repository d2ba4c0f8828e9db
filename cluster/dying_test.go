package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/cluster"
)

// runDyingNodes runs nodes one after the other until stop is called. The function draw may call die, which closes the
// node's connection as if the node were killed. A record may still be in transit while the node draws its next frame,
// and would be lost with the node. So die first waits until the previous frame is recorded.
func (h *testServer) runDyingNodes(c *cluster.Cluster, job cluster.Job, s *fakeDrawer, draw func(k int, die func()) ([]byte, error)) (stop func()) {
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			conn, died, before := h.dial(h.worker), make(chan struct{}), -1
			s.draw = func(_ context.Context, k int) ([]byte, error) {
				b, err := draw(k, func() {
					h.awaitRecord(c, job, before)
					conn.Close()
					close(died)
				})
				before = k
				return b, err
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

// awaitRecord waits until the frame is recorded. It does not wait if frame is -1.
func (h *testServer) awaitRecord(c *cluster.Cluster, job cluster.Job, frame int) {
	for frame >= 0 && h.t.Context().Err() == nil {
		if d, err := c.Recorded(h.t.Context(), job, frame); d != nil && err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
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
