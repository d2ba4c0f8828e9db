package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// callTries limits the attempts at one call. Each attempt may fail because the connection is lost.
	callTries = 10
)

// call calls f, which must be safe to repeat. If the connection is lost, call repeats f at once. Waiting for
// callTimeout would be useless, because a killed server never answers.
func (c *conn) call(ctx context.Context, f func(context.Context) error) error {
	var lostAt time.Time
	for tries := 1; ; tries++ {
		lost, err := c.callOnce(ctx, f)
		switch {
		case err == nil || ctx.Err() != nil || tries == callTries:
			return err
		case lost:
			lostAt = time.Now()
		case lostAt.IsZero() || !isStarting(err) || time.Since(lostAt) > startingTime:
			return err
		default:
			if err := sleep(ctx, reconnectWait); err != nil {
				return err
			}
		}
	}
}

// callOnce calls f with a context. If the connection is lost during the call, callOnce cancels the context with the
// cause ErrLost and returns true as lost.
func (c *conn) callOnce(ctx context.Context, f func(context.Context) error) (lost bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	nextLoss := c.state.nextLoss()
	go func() {
		select {
		case <-nextLoss:
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

// isUnanswered reports whether err means that no answer arrived. The server may or may not have carried out the
// request.
func isUnanswered(err error) bool {
	return errors.Is(err, ErrLost) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrDisconnected)
}

// isStarting reports whether err means that the server has not finished starting.
func isStarting(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrDisconnected)
}

// Limits of WithRetries.
const (
	TryTimeout = 5 * time.Second
	// SubmitTimeout is the limit for submitting a job. A job of 100,000 frames takes about 20 s.
	SubmitTimeout = time.Minute
	retryTime     = 2 * time.Minute
	retryPause    = 200 * time.Millisecond
)

// WithRetries calls f until f succeeds, ctx ends or retryTime has passed. It repeats calls because the server may be
// restarting. The context of each attempt ends after the time `limit`. An attempt can take longer only if this machine
// was suspended meanwhile. Only the time `limit` of such an attempt counts towards retryTime.
func WithRetries(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	for spent := time.Duration(0); ; {
		began := time.Now()
		try, cancel := context.WithTimeout(ctx, limit)
		err := f(try)
		cancel()
		spent += min(time.Since(began), limit) + retryPause
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case spent > retryTime:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}
