package cluster_test

import (
	"context"
	"testing"
	"time"

	"lockstep/cluster"
)

// A node that is to leave when its server has ended, as nodes of a command that was killed do, does
// not wait for answers that never come.
func TestLeaveWithoutServer(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	_, err := c.Submit(t.Context(), newJob(1000))
	check(t, err)
	soft, leave := context.WithCancel(t.Context())
	defer leave()
	drawn, ended := make(chan bool), make(chan error, 1)
	s := new(studio)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		drawn <- true
		return picture(k), nil
	}
	conn := h.dial(h.worker)
	go func() { ended <- conn.Work(soft, t.Context(), s, cluster.WorkOptions{Name: "a"}) }()
	<-drawn
	h.s.Close()
	leave()
	patience := time.After(10 * time.Second)
	for {
		select {
		case <-drawn:
		case <-ended:
			return
		case <-patience:
			t.Fatal("the node waits for a server that has ended")
		}
	}
}
