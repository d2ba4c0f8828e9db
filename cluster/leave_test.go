package cluster_test

import (
	"context"
	"testing"
	"time"

	"lockstep/cluster"
)

// TestLeaveWithoutServer checks that a node that is asked to end does not wait for a server that has already ended.
// Both end together if a command that contains them is killed.
func TestLeaveWithoutServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	_, err := c.Submit(t.Context(), newJob(1000))
	check(t, err)
	soft, leave := context.WithCancel(t.Context())
	defer leave()
	drawn, ended := make(chan bool), make(chan error, 1)
	s := new(fakeDrawer)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		drawn <- true
		return picture(k), nil
	}
	conn := h.dial(h.worker)
	go func() { ended <- conn.Work(soft, t.Context(), s, cluster.WorkOptions{Name: "a"}) }()
	<-drawn
	h.s.Close()
	leave()
	never := time.After(patience)
	for {
		select {
		case <-drawn:
		case <-ended:
			return
		case <-never:
			t.Fatal("the node waits for a server that has ended")
		}
	}
}

// A slowSaver takes longer to save pictures than to draw them.
type slowSaver struct {
	fakeDrawer
	kept chan bool
}

func (s *slowSaver) Open(context.Context, cluster.Job) (cluster.Frames, error) { return s, nil }

func (s *slowSaver) Save(ctx context.Context, k int, picture []byte) (bool, error) {
	time.Sleep(200 * time.Millisecond)
	defer func() { s.kept <- true }()
	return s.fakeDrawer.Save(ctx, k, picture)
}

// TestLeaveAfterCommit checks that a node that is asked to end first records its last picture.
func TestLeaveAfterCommit(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(20))
	check(t, err)
	soft, leave := context.WithCancel(t.Context())
	defer leave()
	s := &slowSaver{kept: make(chan bool, job.Frames)}
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
