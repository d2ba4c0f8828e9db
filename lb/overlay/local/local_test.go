package local

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/check"
)

func pools(net *overlay.Overlay, shape check.Shape) []overlay.Pool {
	pools := make([]overlay.Pool, net.Peers())
	for i := range pools {
		pools[i] = check.NewTree(shape)
	}
	pools[net.Holder()].(*check.Tree).Plant()
	return pools
}

// TestEveryNodeOnce checks that every node is visited once, with 1 to 64 peers.
func TestEveryNodeOnce(t *testing.T) {
	shape := check.Shape{Seed: 3, Root: 500, Branches: 2, Chance: 0.49, Depth: 3000}
	want := shape.Nodes()
	for p := overlay.TR; p <= overlay.Keep; p++ {
		for _, peers := range []int{1, 2, 7, 64} {
			net, err := overlay.New(overlay.Options{Protocol: p, Peers: peers, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			pools := pools(net, shape)
			if _, err := Run(context.Background(), net, pools, 20); err != nil {
				t.Fatal(err)
			}
			visited := int64(0)
			for _, pool := range pools {
				visited += pool.(*check.Tree).Visited
			}
			if visited != want {
				t.Errorf("%v, %d peers: visited %d nodes of %d", p, peers, visited, want)
			}
		}
	}
}

// TestCancelled checks that a cancelled run returns the cause, and all its goroutines end.
func TestCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
	net, err := overlay.New(overlay.Options{Protocol: overlay.BTD, Peers: 8})
	if err != nil {
		t.Fatal(err)
	}
	endless := check.Shape{Root: 2, Branches: 2, Chance: 1, Depth: 60}
	if _, err := Run(ctx, net, pools(net, endless), 0); err != why {
		t.Errorf("got %v", err)
	}
	// The goroutine of the timer may not have ended yet.
	for tries := 0; runtime.NumGoroutine() > before; tries++ {
		if tries == 1000 {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestNilArgumentsAreErrors checks that a nil argument is reported as an error and does not cause a panic later.
func TestNilArgumentsAreErrors(t *testing.T) {
	net, err := overlay.New(overlay.Options{Peers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	good := pools(net, check.Shape{Root: 1})
	for name, err := range map[string]error{
		"context": second(Run(none, net, good, 0)),
		"overlay": second(Run(context.Background(), nil, good, 0)),
		"pools":   second(Run(context.Background(), net, good[:1], 0)),
		"pool":    second(Run(context.Background(), net, []overlay.Pool{good[0], nil}, 0)),
	} {
		if err == nil {
			t.Errorf("without a %s: no error", name)
		}
	}
}

func second(_ any, err error) error { return err }
