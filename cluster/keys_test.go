package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// TestKeysCutShort checks that a timeout while keys are listed is an error. The incomplete list must not be returned as
// if it were complete.
func TestKeysCutShort(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	const many = 1000
	for k := range many {
		check(t, c.Put(t.Context(), "failures", fmt.Sprint("job.", k), k))
	}
	cut := 0
	for wait := 100 * time.Microsecond; wait < 10*time.Second; wait += wait / 8 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		keys, err := c.Keys(ctx, "failures", ">")
		cancel()
		switch {
		case err != nil:
			cut++
		case len(keys) != many:
			t.Fatalf("%d keys of %d after %v, and no error", len(keys), many, wait)
		default:
			if cut == 0 {
				t.Error("the first list was whole: nothing was tried")
			}
			return
		}
	}
	t.Fatal("no list was whole")
}
