package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrLost is the error of a call whose connection was lost before the answer came, again and
// again.
var ErrLost = errors.New("the connection was lost before the answer came")

// Limits of call.
const (
	// callTries bounds the times that one call meets a connection that is lost.
	callTries = 10
)

// call makes a call that may be made twice. The answer to a call never comes when the
// server is killed: it is made again as soon as the connection is lost, and then waits for the
// next one, instead of waiting for callTimeout in vain.
func (c *conn) call(ctx context.Context, f func(context.Context) error) error {
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
func (c *conn) callOnce(ctx context.Context, f func(context.Context) error) (lost bool, err error) {
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
