package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
)

// startHanding hands in a job whose frames nodes hand to each other.
func (h *house) startHanding(c *cluster.Cluster, j cluster.Job) cluster.Job {
	h.t.Helper()
	h.prepare(c)
	j.Via, j.Lease = &cluster.Via{Degree: 2}, 600*time.Millisecond
	job, err := c.Submit(h.t.Context(), j)
	check(h.t, err)
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan struct{})
	go func() { c.HandOut(ctx, job); close(ended) }()
	h.t.Cleanup(func() { cancel(); <-ended })
	return job
}

// Nodes hand frames to each other: all are drawn, few of them twice, by all nodes, and none
// by the queue.
func TestHandOut(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	var conns []*cluster.Cluster // before there is anything to do: all nodes come at once
	for range 5 {
		conns = append(conns, h.dial(h.worker))
	}
	job := h.startHanding(c, newJob(120))
	var s studio
	come := &meeting{want: 3, all: make(chan struct{})}
	for i, conn := range conns {
		h.work(conn, fmt.Sprint("n", i), &guest{studio: &s, meeting: come})
	}
	l := newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
	by := map[string]int{}
	for _, d := range l.done {
		by[d.Node]++
	}
	if len(by) < 3 {
		t.Errorf("frames by node: %v", by)
	}
	if n := s.drawn.Load(); n > 120+10 {
		t.Errorf("%d frames drawn for 120", n)
	}
	t.Logf("%v, %d drawn", by, s.drawn.Load())
}

// A meeting waits until so many nodes have drawn.
type meeting struct {
	mu   sync.Mutex
	want int
	all  chan struct{} // closed when they have
}

// A guest is a node's studio that is slow until the meeting is complete, so that nodes that
// come late, as on a machine with other work, find frames to take.
type guest struct {
	*studio
	*meeting
	once sync.Once
}

func (g *guest) Open(context.Context, cluster.Job) (cluster.Frames, error) { return g, nil }

func (g *guest) Draw(ctx context.Context, k int) ([]byte, error) {
	g.once.Do(func() {
		g.meeting.mu.Lock()
		defer g.meeting.mu.Unlock()
		if g.want--; g.want == 0 {
			close(g.all)
		}
	})
	select {
	case <-g.all:
		time.Sleep(10 * time.Millisecond)
	case <-time.After(250 * time.Millisecond): // 15 s for two nodes that draw all frames
	}
	return g.studio.Draw(ctx, k)
}

// Nodes end in the middle of frames, others come, and the server is started again: no frame
// is lost, and a frame that fails now and then is drawn in the end.
func TestHandOutStorm(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	j := newJob(80)
	j.Tries = 5
	job := h.startHanding(c, j)
	var fails [80]atomic.Int64
	ended := make([]func(), 0)
	s := studio{draw: func(ctx context.Context, k int) ([]byte, error) {
		time.Sleep(15 * time.Millisecond)
		if k%20 == 7 && fails[k].Add(1) < 3 {
			return nil, errors.New("out of paint")
		}
		return picture(k), nil
	}}
	start := func(i int) {
		conn := h.dial(h.worker)
		h.work(conn, fmt.Sprint("n", i), &s)
		ended = append(ended, conn.Close)
	}
	for i := range 3 {
		start(i)
	}
	l := newLedger()
	done := 0
	check(t, c.Follow(t.Context(), job.ID, follower(func(k int, d *cluster.Done) error {
		switch done++; done {
		case 10, 30:
			ended[done/20]() // as if it were killed: nothing of it is heard any more
			start(done)
		case 50:
			h.s.Close()
			h.start()
		}
		return l.Done(k, d)
	})))
	wantAll(t, &s, l, job)
	t.Logf("%d frames drawn %d times", job.Frames, s.drawn.Load())
	if n := s.drawn.Load(); n > 80+2*4+40 { // frames that failed, and those in hands that were lost
		t.Errorf("%d frames drawn for 80", n)
	}
}

// A frame that always fails, and one that ends its nodes, are given up; the others are drawn.
func TestHandOutPoison(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.dial(h.admin)
	j := newJob(12)
	j.Tries = 2
	job := h.startHanding(c, j)
	var s studio
	l := h.followed(c, job, h.keepMortals(&s, func(k int, die func()) ([]byte, error) {
		switch k {
		case 4:
			return nil, errors.New("out of paint")
		case 9:
			die()
			return nil, errDies
		}
		return picture(k), nil
	}))
	if len(l.done) != 10 || l.failed[4] == nil || l.failed[4].Error != "out of paint" || l.failed[4].Tries != 2 || l.failed[9] == nil || l.failed[9].Tries != 2 {
		t.Errorf("%d done, %+v, %+v", len(l.done), l.failed[4], l.failed[9])
	}
}
