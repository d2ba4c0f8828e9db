package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/testrelay"
)

// A keepingFollower is a recordingFollower that keeps its job going.
type keepingFollower struct {
	*recordingFollower
	queued atomic.Int64
	calls  atomic.Int64
	told   atomic.Int64 // number of frames reported to Done
	// draw draws and records a frame that is held; may be nil.
	draw      func(k int) (bool, error)
	heldCalls int
}

func (f *keepingFollower) Done(k int, d *cluster.Done) error {
	f.told.Add(1)
	return f.recordingFollower.Done(k, d)
}

// Held returns true if draw is set.
func (f *keepingFollower) Held(int) bool { f.heldCalls++; return f.draw != nil }

func (f *keepingFollower) Draw(k int) (bool, error) { return f.draw(k) }

func (f *keepingFollower) Queued(frames int) { f.queued.Add(int64(frames)); f.calls.Add(1) }

// TestLostTasksAndRecords checks that a film ends by itself with every frame drawn, even if an administrator removes
// tasks or records while it is drawn. The number of frames that were queued again is reported once.
func TestLostTasksAndRecords(t *testing.T) {
	t.Parallel()
	for what, remove := range map[string]func(ctx context.Context, c *cluster.Cluster, id string) error{
		"tasks":   func(ctx context.Context, c *cluster.Cluster, id string) error { return c.PurgeTasks(ctx, id, -1) },
		"records": func(ctx context.Context, c *cluster.Cluster, id string) error { return c.PurgeRecords(ctx, id, -1) },
		"tasks and records": func(ctx context.Context, c *cluster.Cluster, id string) error {
			if err := c.PurgeTasks(ctx, id, -1); err != nil {
				return err
			}
			return c.PurgeRecords(ctx, id, -1)
		},
		"one of each": func(ctx context.Context, c *cluster.Cluster, id string) error {
			if err := c.PurgeTasks(ctx, id, cluster.Order(frames)[frames-1]); err != nil {
				return err
			}
			return c.PurgeRecords(ctx, id, 0)
		},
		"jobs":      func(ctx context.Context, c *cluster.Cluster, _ string) error { return c.PurgeStream(ctx, "KV_jobs") },
		"the queue": func(ctx context.Context, c *cluster.Cluster, _ string) error { return c.DeleteStream(ctx, "frames") },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			c := h.dial(h.admin)
			h.prepare(c)
			job, err := c.Submit(t.Context(), newJob(frames))
			check(t, err)
			half, removed := make(chan struct{}), make(chan struct{})
			s := &fakeDrawer{}
			s.draw = func(ctx context.Context, k int) ([]byte, error) {
				if s.drawn.Load() == frames/2 {
					close(half)
					<-removed
				}
				return picture(k), nil
			}
			stop := h.work(h.dial(h.worker), "a", s)
			l := &keepingFollower{recordingFollower: newRecordingFollower()}
			go func() {
				<-half
				for l.told.Load() < frames/2-1 && t.Context().Err() == nil { // until the follower has seen all but the last record
					time.Sleep(time.Millisecond)
				}
				if err := remove(t.Context(), c, job.ID); err != nil {
					t.Error(err)
				}
				close(removed)
			}()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			began := time.Now()
			check(t, c.Follow(ctx, job.ID, l))
			stop()
			if len(l.done) != frames || len(l.failed) != 0 {
				t.Errorf("%d drawn, %d failed", len(l.done), len(l.failed))
			}
			if l.calls.Load() > 2 {
				t.Errorf("told %d times of %d frames", l.calls.Load(), l.queued.Load())
			}
			if what == "records" && s.drawn.Load() != frames {
				t.Errorf("%d frames were drawn %d times, although their records were known", frames, s.drawn.Load())
			}
			t.Logf("%v, %d frames queued again, %d drawn", time.Since(began).Round(time.Millisecond), l.queued.Load(), s.drawn.Load())
		})
	}
}

// TestQueueLostWithItsMachine checks a server that has lost the files of the queue, but still knows which tasks it gave
// out. That may happen if a machine fails, because the queue is not synced. The film must continue.
func TestQueueLostWithItsMachine(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(frames))
	check(t, err)
	s := new(fakeDrawer)
	half := make(chan struct{})
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		if s.drawn.Load() == frames/2 {
			close(half)
		}
		return picture(k), nil
	}
	stop := h.work(h.dial(h.worker), "a", s)
	<-half
	stop()
	h.s.Close()
	lost, err := filepath.Glob(filepath.Join(h.o.Dir, "jetstream", "*", "streams", "frames", "msgs", "*"))
	if err != nil || len(lost) == 0 {
		t.Fatalf("files of the queue: %v, %v", lost, err)
	}
	for _, name := range lost {
		check(t, os.Remove(name))
	}
	h.start()
	c = h.dial(h.admin)
	if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 0 {
		t.Fatalf("%d tasks are left: %v", n, err)
	}
	before, err := c.Status(t.Context(), job.ID)
	check(t, err)
	l := &keepingFollower{recordingFollower: newRecordingFollower()}
	check(t, c.Recover(t.Context(), job.ID, l))
	if got := l.queued.Load(); got != int64(before.Left()) || len(before.Done) == 0 || got == 0 {
		t.Errorf("%d frames were queued again, want %d", got, before.Left())
	}
	stop = h.work(h.dial(h.worker), "b", new(fakeDrawer))
	if l := h.followToEnd(c, job, func() { stop() }); len(l.done) != frames {
		t.Errorf("%d frames drawn", len(l.done))
	}
}

// frames is the number of frames in films whose tasks or records get lost.
const frames = 20

// TestQueueTakesTasksOnce checks that a task is queued once, even if several submitters submit its job. A lost task
// must be queued again.
func TestQueueTakesTasksOnce(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(50)
	t.Run("at once", func(t *testing.T) {
		for i := range 4 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				_, err := h.dial(h.admin).Submit(t.Context(), job)
				check(t, err)
			})
		}
	})
	check(t, c.PurgeTasks(t.Context(), job.ID, 7))
	for range 2 { // a queue that recognized tasks by names would refuse frame 7
		_, err := c.Submit(t.Context(), job)
		check(t, err)
	}
	if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 50 {
		t.Errorf("%d tasks, want 50: %v", n, err)
	}
}

// TestSlowQueue checks that tasks are sent only as fast as a slow server confirms them. The library returns an error if
// too many tasks are unconfirmed for a while.
func TestSlowQueue(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.prepare(h.dial(h.admin))
	r := testrelay.New(t, strings.TrimPrefix(h.admin.URL, "nats://"))
	r.Slow(20*time.Millisecond, 0)
	far := h.admin
	far.URL = "nats://" + r.Addr()
	c := h.dial(far)
	submitted := make(chan error, 1)
	const tasks = 4 * cluster.TasksAtOnce
	go func() {
		_, err := c.Submit(t.Context(), newJob(tasks))
		submitted <- err
	}()
	for most := 0; ; most = max(most, c.UnansweredTasks()) {
		select {
		case err := <-submitted:
			if err != nil || most == 0 || most > cluster.TasksAtOnce {
				t.Errorf("up to %d tasks were on their way at once: %v", most, err)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestRecoverOnlyWhatIsWanted checks the comparison of the queue with the records. It must queue the frames of a film
// that have no task and no record. It must not queue frames of a film that is cancelled or is being submitted.
func TestRecoverOnlyWhatIsWanted(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(6))
	check(t, err)
	check(t, c.Record(t.Context(), job, 2, &cluster.Done{Hash: "00"}))
	check(t, c.Fail(t.Context(), job, 3, &cluster.Failure{Error: "no"}))
	for _, s := range []struct {
		what   string
		change func(j *cluster.Job)
		want   int64
	}{
		{"cancelled", func(j *cluster.Job) { j.Cancelled = true }, 0},
		{"a draft", func(j *cluster.Job) { j.Draft = true }, 0},
		{"under way", func(*cluster.Job) {}, 4},
	} {
		j := job
		s.change(&j)
		check(t, c.Put(t.Context(), "jobs", job.ID, j))
		check(t, c.PurgeTasks(t.Context(), job.ID, -1))
		l := &keepingFollower{recordingFollower: newRecordingFollower()}
		check(t, c.Recover(t.Context(), job.ID, l))
		if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || l.queued.Load() != s.want || int64(n) != s.want {
			t.Errorf("%s: %d frames queued, %d tasks, want %d: %v", s.what, l.queued.Load(), n, s.want, err)
		}
	}
	check(t, c.Recover(t.Context(), job.ID, newRecordingFollower())) // a Follower that is not a Keeper
	if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 4 {
		t.Errorf("%d tasks: %v", n, err)
	}
}

// TestRepeatedlyLost checks that the Follower draws a frame whose task is lost again and again. A task does not count
// as lost if a full disk refused it, or if a failed server had not written it.
func TestRepeatedlyLost(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(3))
	check(t, err)
	l := &keepingFollower{recordingFollower: newRecordingFollower()}
	compare := c.Recovery(job.ID, l)
	lose := func() { t.Helper(); check(t, c.PurgeTasks(t.Context(), job.ID, -1)) }
	lose()
	const often = 4
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: 64})) // the queue's part is too small for a task
	for range often {
		if compare(t.Context()) == nil {
			t.Fatal("a full queue took tasks")
		}
	}
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: 1 << 30}))
	for range often {
		h.s.Close()
		h.start()
		check(t, cluster.WithRetries(t.Context(), cluster.TryTimeout, func(ctx context.Context) error { return c.PurgeTasks(ctx, job.ID, -1) }))
		check(t, compare(t.Context()))
	}
	if len(l.faults) != 0 || l.queued.Load() != often*3 {
		t.Fatalf("%d frames drawn here, %d queued again", len(l.faults), l.queued.Load())
	}
	for i := range often {
		lose()
		check(t, compare(t.Context()))
		if drawn := len(l.faults) == 3; drawn != (i >= 2) {
			t.Errorf("lost %d times while the server ran: %d frames drawn here", i+1, len(l.faults))
		}
	}
}

// TestRequeueTwice checks that a frame whose task is still in the queue may be queued again.
func TestRequeueTwice(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(3))
	check(t, err)
	check(t, c.Requeue(t.Context(), job, 1))
	check(t, c.Requeue(t.Context(), job, 1))
	if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 3 {
		t.Errorf("%d tasks, %v", n, err)
	}
}

// TestTriesOfOthers checks that the counted attempts of each other key are limited to one. So another key can neither
// use up the tries of a frame nor extend them without limit.
func TestTriesOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		others []int // counts of other keys
		forged bool  // the counts name the key of the node that draws
		drawn  bool
	}{{[]int{1 << 40}, false, true}, {[]int{1 << 40, 5}, false, false}, {[]int{-1 << 40, 2, 2}, false, true}, {[]int{-1 << 40, 2, 2, 2}, false, false},
		{[]int{1 << 40}, true, true}} {
		t.Run(fmt.Sprint(c.others, c.forged), func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			admin := h.dial(h.admin)
			h.prepare(admin)
			job, err := admin.Submit(t.Context(), newShortJob(1))
			check(t, err)
			for i, n := range c.others {
				key := fmt.Sprint("U", i)
				if c.forged {
					key = h.o.Nodes["work"]
				}
				check(t, admin.Put(t.Context(), "failures", fmt.Sprintf("%s.0.try.other%d", job.ID, i), map[string]any{"key": key, "sig": "AAAA", "count": n}))
			}
			_, err = admin.Take(job) // takes the frame and never answers, so that the queue gives it out again
			check(t, err)
			stop := h.work(h.dial(h.worker), "a", new(fakeDrawer))
			if l := h.followToEnd(admin, job, func() { stop() }); (len(l.done) == 1) != c.drawn {
				t.Errorf("drawn %v, failed %+v", len(l.done) == 1, l.failed[0])
			}
		})
	}
}
