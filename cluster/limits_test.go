package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// TestStreamsBoundMessages checks a node that may write records. It must not be able to delete other records by a
// roll-up or to fill the store with long records, even if an earlier version created the store.
func TestStreamsBoundMessages(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	check(t, c.MakeStoreWithRollups(t.Context(), "done"))
	h.prepare(c)
	configs, err := c.StreamConfigs(t.Context())
	check(t, err)
	if len(configs) != 10 {
		t.Errorf("%d streams, want 10", len(configs))
	}
	for _, s := range configs {
		if s.AllowRollup || !s.DenyDelete || s.MaxMsgSize <= 0 || s.MaxMsgSize > 4<<20 {
			t.Errorf("%s: rollup %v, deletion denied %v, messages of %d bytes", s.Name, s.AllowRollup, s.DenyDelete, s.MaxMsgSize)
		}
		if want := map[string]time.Duration{"KV_nodes": 30 * time.Second, "KV_blocked": 24 * time.Hour}[s.Name]; s.MaxAge != want {
			t.Errorf("%s: messages stay for %v, want %v", s.Name, s.MaxAge, want)
		}
		if s.Name == "KV_done" && s.MaxBytes != 1<<20 {
			t.Errorf("%s: its limit of all bytes became %d", s.Name, s.MaxBytes)
		}
	}
	job, err := c.Submit(t.Context(), newJob(5))
	check(t, err)
	h.recordNth(c, job, 0, 1, 2)
	worker := h.dial(h.worker)
	for _, how := range []string{"all", "sub"} {
		if worker.Publish(t.Context(), "$KV.done."+job.ID+".3", map[string]string{"Nats-Rollup": how}, nil) == nil {
			t.Errorf("a rollup of %s is allowed", how)
		}
	}
	if worker.Publish(t.Context(), "$KV.done."+job.ID+".3", nil, make([]byte, 5000)) == nil {
		t.Error("a record of 5000 bytes is allowed")
	}
	s, err := c.Status(t.Context(), job.ID)
	check(t, err)
	if len(s.Done) != 3 {
		t.Errorf("%d records, want 3", len(s.Done))
	}
	if err := c.Put(t.Context(), "nodes", "x", strings.Repeat("x", 5000)); err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Errorf("to write a record of 5000 bytes: %v", err)
	}
}

// TestQueueOfEarlierVersion checks that the queue of an earlier version can still be used, and that a new queue does
// not make the server sync each task.
func TestQueueOfEarlierVersion(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	for _, limits := range []cluster.Limits{{}, {Bytes: 1 << 30}} {
		for _, earlier := range []bool{true, false} {
			if earlier {
				check(t, c.MakeSyncedQueue(t.Context()))
			}
			check(t, c.Prepare(t.Context(), limits))
			configs, err := c.StreamConfigs(t.Context())
			check(t, err)
			queue := configs[slices.IndexFunc(configs, func(s jetstream.StreamConfig) bool { return s.Name == "frames" })]
			if synced := queue.PersistMode == jetstream.DefaultPersistMode; synced != earlier || !queue.DiscardNewPerSubject || !queue.DenyDelete {
				t.Errorf("%+v: synced %v, one task a frame %v", limits, synced, queue.DiscardNewPerSubject)
			}
			check(t, c.DeleteStream(t.Context(), "frames"))
		}
	}
}

// TestDecodeRecord checks how long a record may be, and that null is not a record.
func TestDecodeRecord(t *testing.T) {
	padded := func(n int) []byte { return append([]byte(`{"hash":"00"}`), strings.Repeat(" ", n-13)...) }
	if cluster.DecodeRecord(padded(4096)) || !cluster.DecodeRecord(padded(4097)) || !cluster.DecodeRecord([]byte("null")) {
		t.Error("records of 4096 bytes are malformed, or those of 4097 or null are not")
	}
}

// TestRoomOfServer checks that the stores may use all bytes of the server's limit, but not one byte more.
func TestRoomOfServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: server.DefaultBytes}))
	var room *cluster.RoomError
	if err := c.Prepare(t.Context(), cluster.Limits{Bytes: server.DefaultBytes + 1}); !errors.As(err, &room) || room.Limit != server.DefaultBytes/8*7 {
		t.Errorf("%v", err)
	}
}

// TestLongRecordsAreMalformed checks that records that are too long count as malformed. Another server may accept such
// records.
func TestLongRecordsAreMalformed(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	check(t, c.MakeStoreWithRollups(t.Context(), "done"))
	check(t, c.MakeStoreWithRollups(t.Context(), "failures"))
	check(t, c.MakeStoreWithRollups(t.Context(), "jobs"))
	check(t, c.Put(t.Context(), "jobs", "j", cluster.Job{ID: "j", Frames: 2}))
	long := fmt.Sprintf(`{"node":"%s","hash":"00"}`, strings.Repeat("x", 5000))
	check(t, h.dial(h.worker).Publish(t.Context(), "$KV.done.j.1", nil, []byte(long)))
	s, err := c.Status(t.Context(), "j")
	check(t, err)
	if len(s.Done) != 0 || len(s.Malformed) != 1 {
		t.Errorf("%d records and malformed %v, want frame 1 malformed", len(s.Done), s.Malformed)
	}
	if d, err := c.Recorded(t.Context(), cluster.Job{ID: "j"}, 1); d != nil || err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Errorf("%v, %v", d, err)
	}
}

// TestPlacesThatCannotKeep checks a picture that cannot be saved for a while. It must not be lost or cost a try,
// whatever the error is. The error is reported once, and after some time the frame is left to other nodes.
func TestPlacesThatCannotKeep(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(2)
	j.Tries = 1
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := &unsavable{refusals: 3}
	var reports atomic.Int64
	stop := h.workWith(h.dial(h.worker), cluster.WorkOptions{Name: "a", Report: func(_ cluster.Job, k int, err error) {
		if reports.Add(1); k != -1 || !strings.Contains(err.Error(), "cannot be kept") {
			t.Errorf("frame %d: %v", k, err)
		}
	}}, s)
	if heard := h.followToEnd(c, job, func() { stop() }); len(heard.done) != 2 || len(heard.failed) != 0 || s.drawn.Load() != 2 || reports.Load() != 1 {
		t.Errorf("%d drawn, %d failed, drawn %d times, %d reports", len(heard.done), len(heard.failed), s.drawn.Load(), reports.Load())
	}

	j = newJob(3)
	j.Tries = 1
	job, err = c.Submit(t.Context(), j)
	check(t, err)
	bad := &unsavable{refusals: 1 << 30, asked: make(chan struct{}, 1)}
	stopBad := h.workWith(h.dial(h.worker), cluster.Impatient("bad"), bad)
	await(t, "a node that cannot save", bad.asked)
	stop = h.work(h.dial(h.worker), "good", new(fakeDrawer))
	if heard := h.followToEnd(c, job, func() { stop(); stopBad() }); len(heard.done) != 3 || len(heard.failed) != 0 {
		t.Errorf("%d drawn, %d failed", len(heard.done), len(heard.failed))
	}
}

// unsavable is a fakeDrawer that refuses to save pictures the first few times.
type unsavable struct {
	fakeDrawer
	refusals int
	asked    chan struct{} // receives a value at each refusal; may be nil
}

func (u *unsavable) Open(context.Context, cluster.Job) (cluster.Frames, error) { return u, nil }
func (u *unsavable) Save(ctx context.Context, k int, picture []byte) (bool, error) {
	if u.refusals > 0 {
		u.refusals--
		select {
		case u.asked <- struct{}{}:
		default:
		}
		return false, recurring(true)
	}
	return u.fakeDrawer.Save(ctx, k, picture)
}

// recurring is an error whose method Recurs returns its value.
type recurring bool

func (recurring) Error() string  { return strings.Repeat("\x01é", 5000) }
func (r recurring) Recurs() bool { return bool(r) }

// TestRecurringFailuresAreNotTriedAgain checks that a frame whose failure recurs is given up after its first try. Any
// other frame is given up after Job.Tries. The record holds the beginning of the error.
func TestRecurringFailuresAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(3)
	job.Tries = 2
	job, err := c.Submit(t.Context(), job)
	check(t, err)
	s := &fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		if k == 0 {
			return nil, fmt.Errorf("no: %w", recurring(true))
		}
		if k == 1 {
			return nil, errors.Join(recurring(false))
		}
		return picture(k), nil
	}}
	stop := h.work(h.dial(h.worker), "a", s)
	heard := h.followToEnd(c, job, func() { stop() })
	for k, want := range []struct {
		tries  int
		recurs bool
	}{{1, true}, {2, false}} {
		f := heard.failed[k]
		if f == nil || f.Tries != want.tries || f.Recurs != want.recurs || len(f.Error) > cluster.MaxReason+4 || len(f.Error) < cluster.MaxReason/2 {
			t.Errorf("frame %d: %+v, want %+v", k, f, want)
		}
	}
	if s.drawn.Load() != 4 {
		t.Errorf("%d frames drawn, want 4", s.drawn.Load())
	}
}
