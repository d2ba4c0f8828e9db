package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Cluster is a connection to a server, with operations on its queue, its stored files and its nodes. Its methods may
// be called concurrently.
type Cluster struct {
	*conn
	*Queue
	*Blobs
	*Participants
}

// newCluster returns a Cluster that uses the connection c.
func newCluster(c *conn) *Cluster {
	all := &Cluster{conn: c, Queue: &Queue{conn: c}, Blobs: &Blobs{conn: c}}
	all.Participants = &Participants{all}
	return all
}

// Close closes all connections to the server.
func (c *Cluster) Close() {
	c.Blobs.close()
	c.nc.Close()
}

// Dial connects to a server. If the server does not answer, it waits until ctx ends. A connection that is lost later is
// restored automatically, without a time limit.
func Dial(ctx context.Context, a Address) (*Cluster, error) {
	c, err := dial(ctx, a)
	if err != nil {
		return nil, err
	}
	return newCluster(c), nil
}

// A conn is a connection to a server.
type conn struct {
	address Address
	// The public key of address.Seed. It is empty without a key.
	public string
	nc     *nats.Conn
	js     jetstream.JetStream
	// stores and streams cache the handles of the server's stores and streams by name.
	stores, streams sync.Map
	state           connState
}

// Timeouts of a connection. The NATS library's default of 2 s for connecting is too short while all cores draw.
const (
	connectTimeout = 15 * time.Second
	reconnectWait  = 200 * time.Millisecond
	callTimeout    = 20 * time.Second
)

// ServerName returns the name under which a server announces itself to clients. restartedAt is when the server started
// with the data of an earlier run. It is zero if there are no such data. The name tells clients this time, because a
// restarted server may have forgotten which frames it gave out.
func ServerName(restartedAt time.Time) string {
	if restartedAt.IsZero() {
		return "lockstep"
	}
	return restartPrefix + strconv.FormatInt(restartedAt.UnixMilli(), 10)
}

const restartPrefix = "lockstep-again-"

// restartedLately reports whether the server of this name restarted less than startingTime before now. If the clocks of
// the two machines differ by more than startingTime, the answer is wrong, and a frame may be drawn twice.
func restartedLately(name string, now time.Time) bool {
	text, again := strings.CutPrefix(name, restartPrefix)
	at, err := strconv.ParseInt(text, 10, 64)
	return again && err == nil && now.Sub(time.UnixMilli(at)).Abs() < startingTime
}

// maxUnacked limits the tasks that are published but not confirmed by the server.
const maxUnacked = 4096

// isFinal reports whether further attempts to connect are useless after this error.
func isFinal(err error) bool {
	var pin *pinError
	var unknown *tls.CertificateVerificationError
	return errors.As(err, &pin) || errors.As(err, &unknown) || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, nats.ErrSecureConnRequired)
}

// options returns the NATS library's options for this address. state learns when the connection is lost and restored.
func (a Address) options(state *connState) ([]nats.Option, error) {
	options := []nats.Option{
		nats.Timeout(connectTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait/2),
		nats.ReconnectHandler(func(*nats.Conn) { state.noteConnected() }),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(3),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			state.noteLost()
			if err != nil && a.Report != nil {
				a.Report(fmt.Errorf("connection lost: %w", err))
			}
		}),
	}
	if a.Report != nil {
		options = append(options, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { a.Report(err) }))
	}
	if a.Resolve != nil {
		options = append(options, nats.SetCustomDialer(&resolvingDialer{net.Dialer{Timeout: connectTimeout}, a.Resolve}))
	}
	if a.Pin != "" {
		options = append(options, nats.Secure(pinnedConfig(a.Pin)))
	}
	if a.Seed != nil {
		public, err := a.publicKey()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Nkey(public, a.sign))
	}
	return options, nil
}

// A resolvingDialer looks up the server's current address before each attempt to connect.
type resolvingDialer struct {
	net.Dialer
	resolve func() string
}

// Dial implements nats.CustomDialer.
func (d *resolvingDialer) Dial(network, address string) (net.Conn, error) {
	if current := d.resolve(); current != "" {
		address = current
	}
	return d.Dialer.Dial(network, address)
}

// sleep waits for d. If ctx ends first, it returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// dial connects to a server. If the server does not answer, it waits until ctx ends. A connection that is lost later is
// restored automatically, without a time limit.
func dial(ctx context.Context, a Address) (*conn, error) {
	c := &conn{address: a}
	var err error
	if c.public, err = a.publicKey(); err != nil {
		return nil, err
	}
	options, err := a.options(&c.state)
	if err != nil {
		return nil, err
	}
	var lastErr error
	keyRefused := false
	for {
		nc, err := nats.Connect(a.URL, options...)
		if err == nil {
			js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(callTimeout), jetstream.WithPublishAsyncMaxPending(maxUnacked))
			if err != nil {
				nc.Close()
				return nil, fmt.Errorf("%s: %w", a.URL, err)
			}
			c.nc, c.js = nc, js
			if lastErr != nil || restartedLately(nc.ConnectedServerName(), time.Now()) {
				c.state.noteConnected()
			}
			return c, nil
		}
		if isFinal(err) {
			err = a.translateError(err)
			if errors.Is(err, ErrKey) && !keyRefused {
				keyRefused = true
				if e := sleep(ctx, keyRetryPause); e == nil {
					continue
				}
			}
			return nil, fmt.Errorf("%s: refused: %w", a.URL, err)
		}
		if lastErr == nil && a.Report != nil {
			a.Report(fmt.Errorf("%w: %w", ErrNoServer, err))
		}
		lastErr = err
		if e := sleep(ctx, reconnectWait); e != nil {
			return nil, fmt.Errorf("%s: no server: %w", a.URL, errors.Join(err, e))
		}
	}
}

// keyRetryPause is how long dial waits before it tries a refused key once more. A server that is reading a new list of
// keys may refuse a valid key for a moment.
const keyRetryPause = 500 * time.Millisecond

// startingTime limits the time from the restart of a server to its first answer.
const startingTime = 5 * time.Second

// A connState records losses of a connection. The zero value is ready to use.
type connState struct {
	mu sync.Mutex
	// next is closed at the next loss. It is nil if no goroutine waits for a loss.
	next chan struct{}
	// losses is the number of losses so far.
	losses int
	// down is true from a loss until the connection is restored.
	down bool
	// lostAt is the time of the latest loss, while down is true.
	lostAt time.Time
	// connectedAt is when the connection was restored after a loss, or made after waiting for the server. It is zero if
	// the first attempt succeeded and nothing was lost since.
	connectedAt time.Time
}

// noteLost records that the connection was lost.
func (s *connState) noteLost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losses++
	s.down, s.lostAt = true, time.Now()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// noteConnected records that the connection exists again after a loss, or after waiting for the server.
func (s *connState) noteConnected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.connectedAt = false, time.Now()
}

// lossCount returns how many times the connection has been lost.
func (s *connState) lossCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.losses
}

// connectedFor returns how long the connection has existed without a loss, or 0 while it is lost. The NATS library
// reports a restored connection with a small delay, during which connectedFor still returns 0.
func (s *connState) connectedFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return 0
	}
	return time.Since(s.connectedAt)
}

// AwaySince returns when the connection to the server was lost. It returns the zero time if there is a connection.
func (c *conn) AwaySince() time.Time {
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	if !c.state.down || c.nc.IsConnected() {
		return time.Time{}
	}
	return c.state.lostAt
}

// nextLoss returns a channel that is closed at the next loss of the connection.
func (s *connState) nextLoss() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}
