package jpeg

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers runs tasks on as many goroutines as there are processors.
func workers(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
