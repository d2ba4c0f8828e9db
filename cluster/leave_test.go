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

// A slowKeeper takes longer to keep pictures than to draw them.
type slowKeeper struct {
	studio
	kept chan bool
}

func (s *slowKeeper) Open(context.Context, cluster.Job) (cluster.Frames, error) { return s, nil }

func (s *slowKeeper) Save(ctx context.Context, k int, picture []byte) (bool, error) {
	time.Sleep(200 * time.Millisecond)
	defer func() { s.kept <- true }()
	return s.studio.Save(ctx, k, picture)
}

// What was drawn when its node is to leave is recorded first.
func TestLeaveAfterCommit(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(20))
	check(t, err)
	soft, leave := context.WithCancel(t.Context())
	defer leave()
	s := &slowKeeper{kept: make(chan bool, job.Frames)}
	conn, ended := h.dial(h.worker), make(chan error, 1)
	go func() { ended <- conn.Work(soft, t.Context(), s, cluster.WorkOptions{Name: "a"}) }()
	<-s.kept
	<-s.kept
	leave()
	<-ended
	status, err := c.Status(t.Context(), job.ID)
	check(t, err)
	if drawn := int(s.drawn.Load()); len(status.Done) != drawn {
		t.Errorf("%d frames were drawn, and %d recorded", drawn, len(status.Done))
	}
}
