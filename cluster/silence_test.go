package cluster_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/cluster"
)

// A relay passes connections on to a server, until its link is cut silently: nothing arrives then, and nothing says so.
type relay struct {
	net.Listener
	to string
	mu sync.Mutex
	// open is closed while the link is up.
	open chan struct{}
}

// newRelay returns a relay to the host and port of a server.
func newRelay(t *testing.T, to string) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	r := &relay{Listener: l, to: to, open: make(chan struct{})}
	close(r.open)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.pass(t.Context(), c)
		}
	}()
	return r
}

// pass connects to the server and passes bytes both ways.
func (r *relay) pass(ctx context.Context, near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { near.Close(); far.Close() })()
	go r.carry(ctx, near, far)
	r.carry(ctx, far, near)
}

// carry copies what arrives while the link is up, and holds it while it is cut, as the retransmissions of TCP do.
func (r *relay) carry(ctx context.Context, to io.WriteCloser, from io.Reader) {
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		r.mu.Lock()
		open := r.open
		r.mu.Unlock()
		select {
		case <-open:
		case <-ctx.Done():
			return
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut cuts the link for a while.
func (r *relay) cut(d time.Duration) {
	cut := make(chan struct{})
	r.mu.Lock()
	r.open = cut
	r.mu.Unlock()
	time.Sleep(d)
	close(cut)
}

// TestSilentLink checks that a film of one try a frame loses nothing when the link of its nodes is cut silently for
// several leases, and longer than a call waits. Without -long the times are a tenth of the defaults.
func TestSilentLink(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(40)
	j.Tries, j.Lease = 1, 1500*time.Millisecond // a frame is given up four leases after it was lost, which a busy machine may need
	length, calls := 4500*time.Millisecond, 2*time.Second
	if *long {
		j.Lease, length, calls = 5*time.Second, 45*time.Second, 20*time.Second
	}
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	r := newRelay(t, strings.TrimPrefix(h.worker.URL, "nats://"))
	far := h.worker
	far.URL = "nats://" + r.Addr().String()
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
		r.cut(length)
	}()
	l := h.followToEnd(c, job, func() {})
	if len(l.done) != job.Frames || len(l.failed) != 0 {
		t.Errorf("%d drawn, failed: %v", len(l.done), l.failed)
	}
	t.Logf("%d frames were drawn %d times", job.Frames, s.drawn.Load())
}
