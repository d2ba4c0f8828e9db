package cluster_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// TestUnansweredTry checks that a frame of one try is drawn although the answer to its count of attempts is lost.
func TestUnansweredTry(t *testing.T) {
	t.Parallel()
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true}) // without TLS: the proxy reads what passes
	check(t, err)
	t.Cleanup(s.Close)
	h := &testServer{t: t, s: s}
	c := h.dial(cluster.Address{URL: "nats://" + s.Addr().String()})
	h.prepare(c)
	j := newJob(1)
	j.Tries, j.Lease = 1, few // a busy machine has four leases more
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	const calls = 500 * time.Millisecond
	line := newPausableProxy(t, s.Addr().String())
	var once sync.Once
	line.seen = func(b []byte) {
		if bytes.Contains(b, []byte(".try ")) {
			once.Do(func() { line.hold(); time.AfterFunc(3*calls, line.release) })
		}
	}
	conn := h.dial(cluster.Address{URL: "nats://" + line.Addr().String()})
	check(t, conn.SetCallTimeout(calls))
	stop := h.work(conn, "a", new(fakeDrawer))
	l := h.followToEnd(c, job, func() { stop() })
	if len(l.done) != 1 {
		t.Errorf("it was not drawn: %+v", l.failed[0])
	}
}
