package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
)

// TestPriority checks that jobs are sorted by descending priority and then by age.
func TestPriority(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	names := []string{"old", "new", "urgent"}
	for i, name := range names {
		job := newJob(1)
		job.ID = cluster.JobID([]byte(name), 1)
		job.Name = name
		job.Priority = i / 2
		_, err := c.Submit(t.Context(), job)
		check(t, err)
	}
	jobs, err := c.Jobs(t.Context())
	check(t, err)
	if len(jobs) != 3 || jobs[0].Name != "urgent" || jobs[1].Name != "old" || jobs[2].Name != "new" {
		t.Errorf("the jobs are listed as %+v", jobs)
	}
}

// TestTasksInQueue checks that the queue has one task for each frame, however often the job is submitted. The queue
// must have no task after the job is cancelled, and all tasks after the job is submitted again.
func TestTasksInQueue(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(7)
	waiting := func(when string, want uint64) {
		t.Helper()
		got, err := c.TasksInQueue(t.Context(), job.ID)
		check(t, err)
		if got != want {
			t.Errorf("%s: %d tasks, want %d", when, got, want)
		}
	}
	for range 2 {
		_, err := c.Submit(t.Context(), job)
		check(t, err)
	}
	waiting("submitted twice", 7)
	check(t, c.Cancel(t.Context(), job.ID))
	waiting("cancelled", 0)
	_, err := c.Submit(t.Context(), job)
	check(t, err)
	waiting("submitted again", 7)
}

// TestRequestLimits checks that a request gets at most one task, and soon leaves the queue's list of requests.
func TestRequestLimits(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(2)
	_, err := c.Submit(t.Context(), job)
	check(t, err)
	if tasks, wait, err := c.RequestLimits(t.Context(), job); err != nil || tasks != 1 || wait <= 0 || wait > 2*time.Second {
		t.Errorf("%d tasks a request, which waits for %v, %v", tasks, wait, err)
	}
}

// TestHeartbeat checks that a lease is renewed while its frame is drawn.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	beats, err := c.Heartbeats()
	check(t, err)
	s := &fakeDrawer{draw: func(ctx context.Context, k int) ([]byte, error) {
		for range 3 {
			select {
			case <-beats:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return picture(k), nil
	}}
	job, err := c.Submit(t.Context(), newShortJob(1))
	check(t, err)
	stop := h.work(h.dial(h.worker), "a", s)
	l := h.followToEnd(c, job, func() { stop() })
	if l.done[0] == nil {
		t.Error("the frame is not recorded")
	}
}

// TestAcknowledged checks that each recorded frame is acknowledged once, although the acknowledgement is delayed until
// the next record.
func TestAcknowledged(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	acks, err := c.Acknowledged()
	check(t, err)
	job, err := c.Submit(t.Context(), newJob(30))
	check(t, err)
	h.work(h.dial(h.worker), "a", new(fakeDrawer))
	told := map[string]bool{}
	never := time.After(patience)
	for len(told) < job.Frames {
		select {
		case frame := <-acks:
			if told[frame] {
				t.Fatalf("%s was told twice", frame)
			}
			told[frame] = true
		case <-never:
			t.Fatalf("the queue was told of %d frames of %d", len(told), job.Frames)
		}
	}
}

// TestOneRecordAFrame checks records whose key spells the number of a frame in another way. Such a record must not
// count as the frame's record.
func TestOneRecordAFrame(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(9))
	check(t, err)
	check(t, c.Record(t.Context(), job, 5, &cluster.Done{Hash: "00", Node: "a"}))
	node := rawConn(t, h.worker)
	for _, number := range []string{"05", "+5", "007", "+7", "-0"} {
		for store, record := range map[string]string{"done": `{"hash":"11","node":"b"}`, "failures": `{"node":"b"}`} {
			answer, err := node.Request("$KV."+store+"."+job.ID+"."+number, []byte(record), patience)
			if check(t, err); strings.Contains(string(answer.Data), "error") {
				t.Fatalf("%s: %s", number, answer.Data)
			}
		}
	}
	s, err := c.Status(t.Context(), job.ID)
	check(t, err)
	if len(s.Done) != 1 || s.Done[5] == nil || s.Done[5].Hash != "00" || len(s.Failed) != 0 || s.Left() != 8 {
		t.Errorf("done %v, failed %v, %d left", s.Done, s.Failed, s.Left())
	}
}
