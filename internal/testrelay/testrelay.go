// Package testrelay forwards connections of tests like a bad network: with delays and losses, and with interruptions
// that neither side notices.
package testrelay

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// A Relay listens on the loopback interface and forwards every connection to one address, until the test ends.
type Relay struct {
	listener net.Listener
	to       string

	mu sync.Mutex
	// linkUp is closed while data can pass. Goroutines that copy data wait until it is closed.
	linkUp chan struct{}
	// delay is the time that data takes in each direction. loss is the fraction of pieces that take longer, as if they
	// had been lost and sent again.
	delay time.Duration
	loss  float64
}

// retransmission is the least time after which TCP sends lost data again. A lost piece is delayed by this time.
const retransmission = 200 * time.Millisecond

// New returns a relay that forwards to the given host and port.
func New(t testing.TB, to string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{listener: l, to: to, linkUp: make(chan struct{})}
	close(r.linkUp)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.forward(t.Context(), c)
		}
	}()
	return r
}

// Addr returns the host and port at which the relay listens.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Slow sets the delay of data that arrives from now on, in each direction. loss is the fraction of pieces that take
// longer, as if they had been lost and sent again.
func (r *Relay) Slow(delay time.Duration, loss float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay, r.loss = delay, loss
}

// Cut interrupts all connections without telling either side. Data that is sent meanwhile arrives after the function
// mend is called, as if TCP had sent it again.
func (r *Relay) Cut() (mend func()) {
	cut := make(chan struct{})
	r.mu.Lock()
	r.linkUp = cut
	r.mu.Unlock()
	return sync.OnceFunc(func() { close(cut) })
}

// forward connects to the address and copies bytes in both directions.
func (r *Relay) forward(ctx context.Context, near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { near.Close(); far.Close() })()
	go r.copyDelayed(ctx, near, far)
	r.copyDelayed(ctx, far, near)
}

// A piece is the data of one read and the time at which it arrives.
type piece struct {
	data []byte
	due  time.Time
}

// copyDelayed copies each piece to the other connection at the time when the piece is due.
func (r *Relay) copyDelayed(ctx context.Context, to io.WriteCloser, from io.Reader) {
	defer to.Close()
	const underWay = 1000 // capacity of the queue of pieces
	pieces := make(chan piece, underWay)
	go func() {
		defer close(pieces)
		random := rand.New(rand.NewPCG(1, 1))
		for {
			b := make([]byte, 32<<10)
			n, err := from.Read(b)
			if n > 0 {
				select {
				case pieces <- piece{b[:n], time.Now().Add(r.transferTime(random))}:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		if !r.await(ctx, time.Until(p.due)) {
			return
		}
		if _, err := to.Write(p.data); err != nil {
			return
		}
	}
}

// transferTime returns how long the next piece takes from one side to the other.
func (r *Relay) transferTime(random *rand.Rand) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if random.Float64() < r.loss {
		return r.delay + retransmission + 2*r.delay
	}
	return r.delay
}

// await waits for the duration wait, and then until the link is up. It returns false if ctx has ended.
func (r *Relay) await(ctx context.Context, wait time.Duration) bool {
	r.mu.Lock()
	open := r.linkUp
	r.mu.Unlock()
	for _, c := range []<-chan struct{}{after(wait), open} {
		select {
		case <-c:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// The function after returns a channel that is closed after the duration wait.
func after(wait time.Duration) <-chan struct{} {
	c := make(chan struct{})
	if wait <= 0 {
		close(c)
	} else {
		time.AfterFunc(wait, func() { close(c) })
	}
	return c
}
