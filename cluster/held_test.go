package cluster_test

import (
	"context"
	"testing"
	"time"

	"lockstep/cluster"
)

// TestHeldTasks checks that a job ends even if a node took its tasks and renews their leases forever. The Keeper draws
// the held frames, except frames that are recorded meanwhile. Their tasks leave the queue.
func TestHeldTasks(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	const frames = 12
	job, err := c.Submit(t.Context(), newShortJob(frames))
	check(t, err)
	check(t, h.dial(h.worker).Hold(t.Context(), job))
	var drawn []int
	l := &keepingFollower{recordingFollower: newRecordingFollower()}
	record := func(k int) {
		check(t, c.Record(t.Context(), job, k, &cluster.Done{Hash: cluster.Hash(picture(k)), Node: "referee"}))
	}
	order := cluster.Order(frames)
	l.draw = func(k int) (bool, error) {
		drawn = append(drawn, k)
		switch len(drawn) {
		case 1: // the node that holds the tasks draws a frame after all
			record(order[0])
		case 3: // another record arrives while the frame is drawn here
			record(k)
			return false, nil
		}
		record(k)
		return true, nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	check(t, c.Follow(ctx, job.ID, l))
	if len(l.done) != frames || len(drawn) != frames-1 || drawn[0] != order[frames-1] {
		t.Errorf("%d done, drawn by the follower %v", len(l.done), drawn)
	}
	if l.queued.Load() != 0 {
		t.Errorf("%d frames were queued again", l.queued.Load())
	}
}

// TestHeldTasksOfSlowNodes checks that frames of a slow node are not drawn twice.
func TestHeldTasksOfSlowNodes(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(1)
	j.Lease = 10 * time.Second
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := &fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(4 * time.Second) // long enough for several comparisons
		return picture(k), nil
	}}
	stop := h.work(h.dial(h.worker), "a", s)
	defer stop()
	l := &keepingFollower{recordingFollower: newRecordingFollower()}
	check(t, c.Follow(t.Context(), job.ID, l))
	if len(l.done) != 1 || l.heldCalls != 0 || s.drawn.Load() != 1 {
		t.Errorf("%d done, %d times held, drawn %d times", len(l.done), l.heldCalls, s.drawn.Load())
	}
}
