package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/cluster"
)

// A node that may write a record can neither remove the others by a rollup nor fill the store
// by one that is as long as a message may be; nor does a store that was made before allow it.
func TestStreamsBoundMessages(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	check(t, c.MakeAsBefore(t.Context(), "done"))
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
		if s.Name == "KV_done" && s.MaxBytes != 1<<20 {
			t.Errorf("%s: its limit of all bytes became %d", s.Name, s.MaxBytes)
		}
	}
	job, err := c.Submit(t.Context(), newJob(5))
	check(t, err)
	h.recorded(c, job, 0, 1, 2)
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

// On a server that runs elsewhere a record may be longer. It is malformed.
func TestLongRecordsAreMalformed(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	check(t, c.MakeAsBefore(t.Context(), "done"))
	check(t, c.MakeAsBefore(t.Context(), "failures"))
	check(t, c.MakeAsBefore(t.Context(), "jobs"))
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

// A place in which pictures cannot be kept may be another's or be mended, whatever its error says.
func TestPicturesThatCannotBeKeptAreTriedAgain(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(1)
	job.Tries = 2
	job, err := c.Submit(t.Context(), job)
	check(t, err)
	s := &unkept{}
	stop := h.work(h.dial(h.worker), "a", s)
	heard := h.followed(c, job, func() { stop() })
	if f := heard.failed[0]; f == nil || f.Tries != 2 || f.Recurs {
		t.Errorf("%+v, want two tries", f)
	}
}

// unkept is a studio that keeps no picture.
type unkept struct{ studio }

func (u *unkept) Open(context.Context, cluster.Job) (cluster.Frames, error) { return u, nil }
func (u *unkept) Save(context.Context, int, []byte) (bool, error)           { return false, recurring(true) }

// recurring is an error that recurs, or does not.
type recurring bool

func (recurring) Error() string  { return strings.Repeat("\x01é", 5000) }
func (r recurring) Recurs() bool { return bool(r) }

// A frame whose failure recurs is given up after its first try, any other after all of them; the
// record holds the first words of the error.
func TestRecurringFailuresAreNotTriedAgain(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(3)
	job.Tries = 2
	job, err := c.Submit(t.Context(), job)
	check(t, err)
	s := &studio{draw: func(_ context.Context, k int) ([]byte, error) {
		if k == 0 {
			return nil, fmt.Errorf("no: %w", recurring(true))
		}
		if k == 1 {
			return nil, errors.Join(recurring(false))
		}
		return picture(k), nil
	}}
	stop := h.work(h.dial(h.worker), "a", s)
	heard := h.followed(c, job, func() { stop() })
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
