package cluster_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"lockstep/cluster"
)

// TestCallMeetsKilledServer checks that a call is repeated as soon as the server ends, and not only after the timeout.
func TestCallMeetsKilledServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	tries := 0
	err := c.Call(t.Context(), func(ctx context.Context) error {
		if tries++; tries == 1 {
			h.s.Close()
			<-ctx.Done() // no answer arrives
			h.start()
			return ctx.Err()
		}
		return c.Prepare(ctx, cluster.Limits{})
	})
	if err != nil || tries < 2 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

// TestCallEnds checks that calls are not repeated forever, nor after an answer or a cancellation.
func TestCallEnds(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	tries := 0
	err := c.Call(t.Context(), func(ctx context.Context) error {
		tries++
		h.s.Close()
		<-ctx.Done()
		h.start()
		back := h.dial(h.admin)
		defer back.Close()
		for c.Call(t.Context(), func(context.Context) error { return c.Ping() }) != nil {
		}
		return ctx.Err()
	})
	if !errors.Is(err, cluster.ErrLost) || tries != cluster.CallTries {
		t.Errorf("%d tries, want %d: %v", tries, cluster.CallTries, err)
	}
	tries = 0
	if err := c.Call(t.Context(), func(context.Context) error { tries++; return nats.ErrNoResponders }); tries != 1 || !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("what was answered: %d tries, %v", tries, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries = 0
	if err := c.Call(ctx, func(ctx context.Context) error { tries++; cancel(); <-ctx.Done(); return ctx.Err() }); tries != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("what was called off: %d tries, %v", tries, err)
	}
}
