package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// TestUnansweredTry checks a frame of one try. It must be drawn even if the answer to the count of its attempt is lost,
// and even if the answer to the following lookup is lost, too.
func TestUnansweredTry(t *testing.T) {
	t.Parallel()
	const calls = 500 * time.Millisecond
	for _, c := range []struct {
		what string
		held time.Duration // delay of the first answer
		look bool          // the answer to the lookup is delayed, too
	}{{"count", 3 * calls, false}, {"look", few * 3 / 4, true}} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			// The server has no TLS, so that the proxy can read the messages.
			s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
			check(t, err)
			t.Cleanup(s.Close)
			h := &testServer{t: t, s: s}
			admin := h.dial(cluster.Address{URL: "nats://" + s.Addr().String()})
			h.prepare(admin)
			j := newJob(1)
			j.Tries, j.Lease = 1, few // four more leases are allowed, which a busy machine may need
			job, err := admin.Submit(t.Context(), j)
			check(t, err)
			line := newPausableProxy(t, s.Addr().String())
			var counted, looked sync.Once
			hold := func(d time.Duration) func() {
				return func() { line.hold(); time.AfterFunc(d, line.release) }
			}
			answered := make(chan struct{})
			line.seen = func(b []byte) {
				if bytes.Contains(b, []byte(".try ")) {
					counted.Do(func() {
						hold(c.held)()
						time.AfterFunc(c.held, func() { close(answered) })
					})
				}
				select {
				case <-answered:
					if c.look && bytes.Contains(b, []byte("DIRECT.GET.KV_done")) {
						looked.Do(hold(3 * calls))
					}
				default:
				}
			}
			conn := h.dial(cluster.Address{URL: "nats://" + line.Addr().String()})
			check(t, conn.SetCallTimeout(calls))
			stop := h.work(conn, "a", new(fakeDrawer))
			l := h.followToEnd(admin, job, func() { stop() })
			if len(l.done) != 1 {
				t.Errorf("it was not drawn: %+v", l.failed[0])
			}
		})
	}
}

// A reopenedDrawer counts how often its jobs are opened and closed.
type reopenedDrawer struct {
	*fakeDrawer
	opened, closed atomic.Int64
}

func (s *reopenedDrawer) Open(context.Context, cluster.Job) (cluster.Frames, error) {
	s.opened.Add(1)
	return s, nil
}

func (s *reopenedDrawer) Close() error { s.closed.Add(1); return nil }

// TestStaleFramesAreOpenedAgain checks that a node opens its job again after each error that wraps ErrStale. Such an
// error must not cost a try.
func TestStaleFramesAreOpenedAgain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job := newJob(2)
	job.Tries = 2
	job, err := c.Submit(t.Context(), job)
	check(t, err)
	const stale = 4
	var drawn atomic.Int64
	s := &reopenedDrawer{fakeDrawer: &fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		if k == 0 && drawn.Add(1) <= stale {
			return nil, fmt.Errorf("%w: a file has changed", cluster.ErrStale)
		}
		return picture(k), nil
	}}}
	stop := h.work(h.dial(h.worker), "a", s)
	heard := h.followToEnd(c, job, func() { stop() })
	if len(heard.done) != 2 || len(heard.failed) != 0 {
		t.Errorf("%d frames are drawn, and of frame 0 it is said %+v", len(heard.done), heard.failed[0])
	}
	if o, c := s.opened.Load(), s.closed.Load(); o != stale+1 || c != o {
		t.Errorf("opened %d times and closed %d times, want %d", o, c, stale+1)
	}
}
