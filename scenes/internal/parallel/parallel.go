// Package parallel runs independent pieces of work on several goroutines. The packages below scenes use it, because
// they do not import vp/machine.
package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns the number of goroutines for n pieces of work. It is `wanted`, or GOMAXPROCS if wanted is not
// positive, but at most n.
func Workers(wanted, n int) int {
	if wanted <= 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	return max(1, min(wanted, n))
}

// For calls fn for every i from 0 to n-1. It starts `workers` goroutines, each of which takes the next index when it is
// free. All goroutines have ended when For returns. The argument worker of fn is the number of the goroutine, below
// workers. So calls with the same worker never overlap.
//
// After an error or the end of ctx, no further index is started. For then returns the error of the lowest index that
// failed, or the error of ctx if none failed.
func For(ctx context.Context, workers, n int, fn func(worker, i int) error) error {
	if ctx == nil {
		return errors.New("expected a context, not nil")
	}
	var (
		next, stop atomic.Int64
		wg         sync.WaitGroup
		mu         sync.Mutex
		failed     error
		failedAt   = n
	)
	run := func(worker int) {
		for stop.Load() == 0 && ctx.Err() == nil {
			i := int(next.Add(1) - 1)
			if i >= n {
				return
			}
			if err := fn(worker, i); err != nil {
				stop.Store(1)
				mu.Lock()
				if i < failedAt {
					failed, failedAt = err, i
				}
				mu.Unlock()
				return
			}
		}
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { run(w) })
	}
	run(0)
	wg.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// ForEach is like For, but uses all cores and has neither a context nor errors.
func ForEach(n int, fn func(i int)) {
	_ = For(context.Background(), Workers(0, n), n, func(_, i int) error {
		fn(i)
		return nil
	})
}
