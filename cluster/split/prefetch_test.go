package split_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"lockstep/cluster/split"
)

// A slowReader is a drawer that draws only prefetched blocks. Each prefetch takes some milliseconds.
type slowReader struct {
	*toy
	mu   sync.Mutex
	have map[int]bool
}

func (d *slowReader) Prefetch(ctx context.Context, blocks []int) error {
	time.Sleep(5 * time.Millisecond) // long enough to detect a node that does not wait
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range blocks {
		d.have[b] = true
	}
	return ctx.Err()
}

func (d *slowReader) Draw(ctx context.Context, frame int, blocks []int) (split.Layer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range blocks {
		if !d.have[b] {
			return nil, fmt.Errorf("block %d is drawn before it was read", b)
		}
	}
	return d.toy.Draw(ctx, frame, blocks)
}

// TestPrefetch checks that a node prefetches the blocks of a new plan before it draws a frame by that plan.
func TestPrefetch(t *testing.T) {
	d := newToy()
	f := newFilm(t, d, &rotatingOwners{random: rand.New(rand.NewPCG(3, 11))}, split.RootOptions{MinNodes: 2})
	for n := range 2 {
		f.node(context.Background(), fmt.Sprint("n", n), &slowReader{toy: d, have: map[int]bool{}})
	}
	if err := f.run(context.Background(), d, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-f.reports:
		t.Error(err)
	default:
	}
}
