package prepared

import "sync"

// inOrder lets workers that took tasks in order end them in that order.
type inOrder struct {
	mu      sync.Mutex
	changed sync.Cond
	next    int
	failed  bool
}

// do waits until all tasks before task i have called do, and then calls end, unless the task has failed with err or one
// before it has failed. It returns the error of the task.
func (o *inOrder) do(i int, err error, end func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.next != i {
		o.changed.Wait()
	}
	if err == nil && !o.failed {
		err = end()
	}
	o.failed = o.failed || err != nil
	o.next++
	o.changed.Broadcast()
	return err
}
