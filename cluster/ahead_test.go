package cluster_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
)

// An overlapDrawer records whether a picture was saved while another picture was drawn.
type overlapDrawer struct {
	fakeDrawer
	drawing chan int // receives the number of each frame that is begun
	met     atomic.Bool
}

func (o *overlapDrawer) Open(context.Context, cluster.Job) (cluster.Frames, error) { return o, nil }

func (o *overlapDrawer) Save(ctx context.Context, k int, picture []byte) (bool, error) {
	for late := time.After(few); !o.met.Load(); {
		select {
		case other := <-o.drawing:
			o.met.Store(other != k)
			continue
		case <-late: // a busy server may have answered a request for a frame too late, but more frames follow
		}
		break
	}
	return o.fakeDrawer.Save(ctx, k, picture)
}

// TestCommitMeetsDraw checks that a picture is saved and recorded while the next frame is drawn, and that Draw may
// reuse its slice meanwhile.
func TestCommitMeetsDraw(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(8))
	check(t, err)
	o := &overlapDrawer{drawing: make(chan int, 8)}
	var buffer []byte
	o.draw = func(_ context.Context, k int) ([]byte, error) {
		o.drawing <- k
		buffer = append(buffer[:0], picture(k)...)
		return buffer, nil
	}
	h.work(h.dial(h.worker), "a", o)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &o.fakeDrawer, l, job)
	if !o.met.Load() {
		t.Error("no picture was kept while another frame was drawn")
	}
}

// TestFrameThatEndsNodes checks that a frame that crashes its nodes is given up after Job.Tries attempts. Frames that
// the crashed nodes had fetched ahead are not given up, because the nodes had not begun them.
func TestFrameThatEndsNodes(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newShortJob(12)
	j.Tries = 2
	const deadly = 5
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	var mu sync.Mutex
	deaths := map[int]int{}
	var s fakeDrawer
	l := h.followToEnd(c, job, h.runDyingNodes(c, job, &s, func(k int, die func()) ([]byte, error) {
		time.Sleep(20 * time.Millisecond) // the next task is fetched ahead
		if k%deadly == 2 {
			mu.Lock()
			deaths[k]++
			mu.Unlock()
			die()
			return nil, errDies
		}
		return picture(k), nil
	}))
	for k := range job.Frames {
		switch {
		case k%deadly != 2 && l.done[k] == nil:
			t.Errorf("frame %d: %+v", k, l.failed[k])
		case k%deadly == 2 && (l.failed[k] == nil || l.failed[k].Tries != j.Tries):
			t.Errorf("frame %d, which ends its nodes: %+v", k, l.failed[k])
		}
	}
	// If a node ends after it has fetched this frame ahead, that counts as an attempt, because the counts of first
	// attempts are not stored.
	for k, n := range deaths {
		if n != j.Tries && n != j.Tries-1 {
			t.Errorf("frame %d ended %d nodes, want %d, or one less", k, n, j.Tries)
		}
	}
}

// TestSingleTry checks a job in which every frame has a single try. A frame that no node has begun must not fail.
func TestSingleTry(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newShortJob(12)
	j.Tries = 1
	const deadly = 2
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	var s fakeDrawer
	l := h.followToEnd(c, job, h.runDyingNodes(c, job, &s, func(k int, die func()) ([]byte, error) {
		time.Sleep(20 * time.Millisecond)
		if k == deadly {
			die()
			return nil, errDies
		}
		return picture(k), nil
	}))
	if len(l.done) != job.Frames-1 || l.failed[deadly] == nil {
		t.Errorf("%d frames done, failed %v", len(l.done), l.failed)
	}
}
