package cluster_test

import (
	"context"
	"errors"
	"fmt"

	"lockstep/cluster"
)

// keepMortals runs one node after the other, until stop: draw may call die, which ends the node's
// connection as if it were killed.
func (h *house) keepMortals(s *studio, draw func(k int, die func()) ([]byte, error)) (stop func()) {
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

// errDies is the error of frames that end their nodes.
var errDies = errors.New("dies")

// followed follows a job to its end and then stops what draws it.
func (h *house) followed(c *cluster.Cluster, job cluster.Job, stop func()) *ledger {
	h.t.Helper()
	l := newLedger()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	err := c.Follow(ctx, job.ID, l)
	stop()
	check(h.t, err)
	return l
}
