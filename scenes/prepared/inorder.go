package prepared

import "sync"

// An inOrder makes workers finish their tasks in the order of the tasks' numbers.
type inOrder struct {
	mu      sync.Mutex
	changed sync.Cond
	next    int
	failed  bool
}

// finish waits until all tasks before task i have finished. It then calls the function end, unless err is not nil or an
// earlier task has failed. It returns err or the error of end.
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
