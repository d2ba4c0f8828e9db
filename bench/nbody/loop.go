package nbody

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// together runs body(0) to body(n-1) on as many goroutines as there are processors, which
// have ended when it returns. A panic of one ends the program, as any goroutine's does.
func together(n int, body func(int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		inTurn(n, body)
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				body(int(i))
			}
		})
	}
	all.Wait()
}
