package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrLost is the error of a call whose connection was lost before the answer came, again and
// again.
var ErrLost = errors.New("the connection was lost before the answer came")

// A losses tells of lost connections. The zero value is ready.
type losses struct {
	mu    sync.Mutex
	next  chan struct{} // closed by the next loss; nil: nobody waits for it
	many  int           // there were
	away  bool          // there is no connection, as far as is known here
	again time.Time     // when there was one again, or at last; zero: the first one was made at once, to a server that nobody knew before
}

// happened notes a loss.
func (l *losses) happened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.many++
	l.away = true
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// ended notes that there is a connection after a loss, or after a wait for the first one.
func (l *losses) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away, l.again = false, time.Now()
}

// count returns how many there were.
func (l *losses) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.many
}

// since returns for how long there has been a connection. The library tells of a new one a little late.
func (l *losses) since() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return 0
	}
	return time.Since(l.again)
}

// wait returns what is closed by the next loss.
func (l *losses) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = make(chan struct{})
	}
	return l.next
}

// Limits of call.
const (
	// callTries bounds the times that one call meets a connection that is lost.
	callTries = 10
	// startingTime is how long a server that was started again may take until it answers.
	startingTime = 5 * time.Second
)

// call makes a call that may be made twice. The answer to a call never comes when the
// server is killed: it is made again as soon as the connection is lost, and then waits for the
// next one, instead of waiting for callTimeout in vain.
func (c *Cluster) call(ctx context.Context, f func(context.Context) error) error {
	var lostAt time.Time
	for tries := 1; ; tries++ {
		lost, err := c.callOnce(ctx, f)
		switch {
		case err == nil || ctx.Err() != nil || tries == callTries:
			return err
		case lost:
			lostAt = time.Now()
		case lostAt.IsZero() || !starting(err) || time.Since(lostAt) > startingTime:
			return err
		default:
			if err := sleep(ctx, reconnectWait); err != nil {
				return err
			}
		}
	}
}

// callOnce makes a call that ends with the connection.
func (c *Cluster) callOnce(ctx context.Context, f func(context.Context) error) (lost bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	loss := c.losses.wait()
	go func() {
		select {
		case <-loss:
			cancel(ErrLost)
		case <-ctx.Done():
		}
	}()
	err = f(ctx)
	if err != nil && context.Cause(ctx) == ErrLost {
		return true, fmt.Errorf("%w: %w", ErrLost, err)
	}
	return false, err
}

// starting reports whether an error is that of a server that is not ready yet.
func starting(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrDisconnected)
}
