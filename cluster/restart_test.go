package cluster_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"lockstep/cluster"
)

// recordNth records the frames at the given positions of the drawing order.
func (h *testServer) recordNth(c *cluster.Cluster, job cluster.Job, ith ...int) {
	h.t.Helper()
	order := cluster.Order(job.Frames)
	for _, i := range ith {
		k := order[i]
		check(h.t, c.Record(h.t.Context(), job, k, &cluster.Done{Hash: cluster.Hash(picture(k)), Node: "before"}))
	}
}

// TestForgetfulServer checks a queue that gives out recorded frames as if for the first time. A server does so if it
// was killed before it had stored which frames it gave out. No recorded frame may be drawn again.
func TestForgetfulServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newShortJob(40))
	check(t, err)
	order := cluster.Order(job.Frames)
	// The node looks up the last frame only because another frame shortly before it was recorded.
	first, later := []int{0, 5, 12}, []int{33}
	h.recordNth(c, job, first...)
	var mu sync.Mutex
	var drawn []int
	s := &fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		i := slices.Index(order, k)
		drawn = append(drawn, i)
		if i == 30 {
			h.s.Close()
			h.start()
			h.recordNth(h.dial(h.admin), job, later...)
		}
		return picture(k), nil
	}}
	stop := h.work(h.dial(h.worker), "a", s)
	h.followToEnd(c, job, func() { stop() })
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(drawn)
	for _, i := range slices.Concat(first, later) {
		if slices.Contains(drawn, i) {
			t.Errorf("the frame that is the %dth was drawn again", i)
		}
	}
	if want := job.Frames - len(first) - len(later); len(drawn) != want {
		t.Errorf("%d frames drawn, want %d: %v", len(drawn), want, drawn)
	}
}

// TestSettle checks that a node pauses after its connection was restored. In the pause other nodes can record frames
// that they drew while the server was unreachable.
func TestSettle(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newShortJob(40))
	check(t, err)
	var restarted time.Time // just before the server started
	var next time.Time      // when the frame after the restart was begun
	s := new(fakeDrawer)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		switch s.drawn.Load() {
		case 1: // no task is fetched ahead yet
			h.s.Close()
			restarted = time.Now()
			h.start()
		case 2:
			next = time.Now()
		}
		return picture(k), nil
	}
	stop := h.work(h.dial(h.worker), "a", s)
	h.followToEnd(c, job, func() { stop() })
	if got := next.Sub(restarted); got < cluster.LongestWait {
		t.Errorf("a frame was begun %v after the server had started, want at least %v", got, cluster.LongestWait)
	}
}

// TestSettleNewNode checks that a new node also pauses if its server has just restarted. It must not pause if the
// server has no earlier data.
func TestSettleNewNode(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	if c.Settling() {
		t.Error("nodes of a new server wait")
	}
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(3))
	check(t, err)
	h.s.Close()
	h.start()
	before := time.Now()
	conn := h.dial(h.worker)
	var first time.Time
	s := new(fakeDrawer)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		if first.IsZero() {
			first = time.Now()
		}
		return picture(k), nil
	}
	stop := h.work(conn, "a", s)
	h.followToEnd(c, job, func() { stop() })
	if got := first.Sub(before); got < cluster.LongestWait {
		t.Errorf("a frame was begun %v after the node connected, want at least %v", got, cluster.LongestWait)
	}
}

// TestServerName checks for how long a server counts as restarted.
func TestServerName(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		name string
		now  time.Time
		want bool
	}{
		{cluster.ServerName(time.Time{}), at, false},
		{cluster.ServerName(at), at.Add(time.Second), true},
		{cluster.ServerName(at), at.Add(-time.Second), true}, // the clocks differ
		{cluster.ServerName(at), at.Add(time.Minute), false},
		{cluster.ServerName(at) + "0", at, false},
		{"lockstep-again-", at, false},
		{"nats-1", at, false},
	} {
		if got := cluster.RestartedLately(c.name, c.now); got != c.want {
			t.Errorf("%q at %v: %v", c.name, c.now.Sub(at), got)
		}
	}
}

// TestStaleNak checks that a node does not return a frame to the queue if its lease has expired or its connection was
// lost, because another node may be drawing the frame.
func TestStaleNak(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"in time", "after renewals", "after its lease", "after its connection"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			c := h.dial(h.admin)
			h.prepare(c)
			j := newJob(1)
			switch when {
			case "after its lease":
				j.Lease = newShortJob(1).Lease
			case "after renewals":
				j.Lease = 8 * time.Second // long, so that a delay of the machine does not end a lease
			}
			beats, err := c.Heartbeats()
			check(t, err)
			_, err = c.Submit(t.Context(), j)
			check(t, err)
			naks, err := c.CountReturned()
			check(t, err)
			conn, failed := h.dial(h.worker), make(chan bool)
			soft, leave := context.WithCancel(t.Context())
			s := &fakeDrawer{draw: func(context.Context, int) ([]byte, error) {
				switch when {
				case "after its lease":
					time.Sleep(j.Lease)
				case "after renewals":
					for range 3 { // this takes longer than a lease lasts without renewals
						await(t, "a renewal", beats)
					}
				case "after its connection":
					h.s.Close()
					h.start()
					for c.Ping() != nil || conn.Ping() != nil {
						time.Sleep(10 * time.Millisecond)
					}
				}
				leave()
				return nil, errors.New("no paint")
			}}
			o := cluster.WithoutHeartbeats("a")
			if when == "after renewals" {
				o = cluster.WorkOptions{Name: "a"}
			}
			o.Report = func(cluster.Job, int, error) { close(failed) }
			ended := startNode(soft, t.Context(), conn, o, s)
			await(t, "the failure", failed)
			await(t, "the node's end", ended)
			check(t, conn.Ping()) // wait until the server has received the node's messages
			got, err := naks()
			if want := map[string]int{"in time": 1, "after renewals": 1}[when]; got != want || err != nil {
				t.Errorf("the queue was told %d times, want %d: %v", got, want, err)
			}
		})
	}
}

// TestOwnFrameAgain checks a node that gets a frame again while it commits that frame. It must wait for its own commit.
func TestOwnFrameAgain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newShortJob(1))
	check(t, err)
	s := &delayedSaver{late: job.Lease / 2}
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(job.Lease * 5 / 6) // so long that no task is fetched ahead
		return picture(k), nil
	}
	stop := h.workWith(h.dial(h.worker), cluster.WithoutHeartbeats("a"), s)
	h.followToEnd(c, job, func() { stop() })
	if n := s.drawn.Load(); n != 1 {
		t.Errorf("the frame was drawn %d times", n)
	}
}

// TestRecordedWhileChecked checks that a node does not draw a frame that another node records during the lookup.
func TestRecordedWhileChecked(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(2)
	j.Lease = time.Second
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	var taken []func() error
	for range job.Frames { // both frames are given out twice, so the node looks them up
		giveBack, err := c.Take(job)
		check(t, err)
		taken = append(taken, giveBack)
	}
	for _, giveBack := range taken {
		check(t, giveBack())
	}
	looks, err := c.RecordLookups(job, 1)
	check(t, err)
	acks, err := c.Acknowledged()
	check(t, err)
	var once sync.Once
	s := &delayedSaver{beforeSave: func() {
		once.Do(func() {
			soon(looks)
			time.Sleep(job.Lease / 10) // until the lookup is answered
			h.recordNth(c, job, 1)
			time.Sleep(job.Lease)
		})
	}}
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(cluster.TakeAhead) // so long that no task is fetched ahead
		return picture(k), nil
	}
	stop := h.work(h.dial(h.worker), "a", s)
	h.followToEnd(c, job, func() {
		for range job.Frames { // both frames are recorded before the node decides about the second frame
			await(t, "the end of both frames", acks)
		}
		stop()
	})
	if n := s.drawn.Load(); n != 1 {
		t.Errorf("%d frames drawn", n)
	}
}

// A delayedSaver takes some time to save a picture.
type delayedSaver struct {
	fakeDrawer
	late       time.Duration
	beforeSave func() // called first; may be nil
}

func (s *delayedSaver) Open(context.Context, cluster.Job) (cluster.Frames, error) { return s, nil }

func (s *delayedSaver) Save(ctx context.Context, k int, picture []byte) (bool, error) {
	if s.beforeSave != nil {
		s.beforeSave()
	}
	time.Sleep(s.late)
	return s.fakeDrawer.Save(ctx, k, picture)
}

// TestServerAway checks that pictures are recorded which were drawn while the server was unreachable for longer than a
// call takes.
func TestServerAway(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(2))
	check(t, err)
	conn := h.dial(h.worker)
	const calls = 1500 * time.Millisecond
	check(t, conn.SetCallTimeout(calls))
	var once sync.Once
	second := make(chan bool)
	s := new(delayedSaver)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		if s.drawn.Load() == int64(job.Frames) {
			close(second)
		}
		return picture(k), nil
	}
	s.beforeSave = func() {
		once.Do(func() {
			soon(second) // otherwise a frame in transit is lost until its lease of a minute expires
			h.s.Close()
			for conn.Connected() {
				time.Sleep(time.Millisecond)
			}
			time.AfterFunc(2*calls, h.start)
		})
	}
	stop := h.workWith(conn, cluster.WorkOptions{Name: "a", Report: func(_ cluster.Job, k int, err error) {
		if k >= 0 {
			t.Errorf("frame %d failed: %v", k, err)
		}
	}}, s)
	h.followToEnd(c, job, func() { stop() })
	if n := s.drawn.Load(); n != int64(job.Frames) {
		t.Errorf("%d frames drawn %d times", job.Frames, n)
	}
}

// TestCancelledWhileDrawn checks that no picture of a cancelled film is saved, because another film may use the same
// files.
func TestCancelledWhileDrawn(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	drawn := make(chan bool, 1)
	soft, leave := context.WithCancel(t.Context())
	s := &fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		defer func() { drawn <- true; leave() }()
		check(t, c.Cancel(t.Context(), job.ID))
		time.Sleep(cluster.CancelTime)
		return picture(k), nil
	}}
	ended := startNode(soft, t.Context(), h.dial(h.worker), cluster.WorkOptions{Name: "a"}, s)
	await(t, "a frame", drawn)
	await(t, "the node's end", ended) // the node ends after its commit
	status, err := c.Status(t.Context(), job.ID)
	check(t, err)
	if len(s.saved) > 0 || len(status.Done) > 0 {
		t.Errorf("kept %v, recorded %v", s.saved, status.Done)
	}
}

// TestAwayLongerThanFrames checks that a frame's timeout does not run while the server is unreachable.
func TestAwayLongerThanFrames(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(1)
	j.Tries, j.Timeout = 1, time.Second
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	conn := h.dial(h.worker)
	s := new(fakeDrawer)
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		h.s.Close()
		for conn.Connected() {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(cluster.CancelTime) // the node asks the server whether the film was cancelled
		time.AfterFunc(3*j.Timeout/2, h.start)
		return picture(k), nil
	}
	stop := h.work(conn, "a", s)
	l := h.followToEnd(c, job, func() { stop() })
	if len(l.done) != 1 || len(l.failed) != 0 {
		t.Errorf("done %v, failed %+v", l.done, l.failed[0])
	}
}

// TestTakenTooLate checks that a frame is returned to the queue at once if nobody waits for it any more.
func TestTakenTooLate(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	naks, err := c.CountReturned()
	check(t, err)
	check(t, h.dial(h.worker).TakeTooLate(job))
	if n, err := naks(); n != 1 || err != nil {
		t.Errorf("the queue was told %d times: %v", n, err)
	}
}

// TestForgottenFrame checks that a node continues after a frame whose lease the server has forgotten. The server was
// killed, and so it does not answer the acknowledgement of that frame.
func TestForgottenFrame(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(3)
	j.Tries = 1 // so that no task is fetched ahead: the queue gives out no other frame before the acknowledgement
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	acks, err := c.Acknowledged()
	check(t, err)
	second, forgotten := make(chan bool), make(chan bool)
	var once sync.Once
	s := &delayedSaver{beforeSave: func() {
		once.Do(func() {
			soon(second)
			if err := c.ForgetLeases(t.Context(), job); err != nil {
				t.Error(err)
			}
			close(forgotten)
		})
	}}
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(cluster.TakeAhead) // so long that each frame is acknowledged separately
		if s.drawn.Load() == 2 {
			close(second)
			<-forgotten
			await(t, "the acknowledgement", acks)
		}
		return picture(k), nil
	}
	stop := h.work(h.dial(h.worker), "a", s)
	h.followToEnd(c, job, func() { stop() })
	if n := s.drawn.Load(); n != int64(job.Frames) {
		t.Errorf("%d frames drawn %d times", job.Frames, n)
	}
}
