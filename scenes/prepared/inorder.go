package prepared

import "sync"

// An inOrder lets parallel workers finish their tasks in the order of the tasks.
type inOrder struct {
	mu      sync.Mutex
	changed sync.Cond
	next    int
	failed  bool
}

// finish waits until all tasks before task i have finished. If err is nil and no earlier task has failed, it then calls
// `end`. It returns err or the error of `end`.
func (o *inOrder) finish(i int, err error, end func() error) error {
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
