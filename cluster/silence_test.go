package cluster_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/testrelay"
)

// TestSilentLink cuts the links of nodes for several leases, without a message to either end. This lasts longer than a
// call waits. A film of one try per frame must not lose any frame. Without -long the times are a tenth of the defaults.
func TestSilentLink(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(40)
	j.Tries, j.Lease = 1, 1500*time.Millisecond // a lost frame is given up after four leases
	length, calls := 4500*time.Millisecond, 2*time.Second
	if *long {
		j.Lease, length, calls = 5*time.Second, 45*time.Second, 20*time.Second
	}
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	r := testrelay.New(t, strings.TrimPrefix(h.worker.URL, "nats://"))
	far := h.worker
	far.URL = "nats://" + r.Addr()
	s := &fakeDrawer{}
	ten := make(chan struct{})
	cut := sync.OnceFunc(func() { close(ten) })
	s.draw = func(_ context.Context, k int) ([]byte, error) {
		if s.drawn.Load() >= 10 {
			cut()
		}
		time.Sleep(20 * time.Millisecond)
		return picture(k), nil
	}
	for _, name := range []string{"a", "b"} {
		conn := h.dial(far)
		check(t, conn.SetCallTimeout(calls))
		h.workWith(conn, cluster.WorkOptions{Name: name, Report: func(_ cluster.Job, k int, err error) {
			if k >= 0 {
				t.Errorf("frame %d: %v", k, err)
			}
		}}, s)
	}
	go func() {
		<-ten
		mend := r.Cut()
		time.Sleep(length)
		mend()
	}()
	l := h.followToEnd(c, job, func() {})
	if len(l.done) != job.Frames || len(l.failed) != 0 {
		t.Errorf("%d drawn, failed: %v", len(l.done), l.failed)
	}
	t.Logf("%d frames were drawn %d times", job.Frames, s.drawn.Load())
}
