// Package folderlock keeps two processes from working in one folder.
package folderlock

import (
	"context"
	"errors"
	"time"
)

// ErrLocked is returned by Lock if another process holds the lock.
var ErrLocked = errors.New("it is locked")

// maxWait is how long LockWithin waits for a lock. Some locks are held only for a moment. One example is a command that
// checks whether a folder is in use. Another is a child process whose parent was killed just after starting it.
const maxWait = time.Second

// LockWithin calls Lock repeatedly until it succeeds, for at most one second.
func LockWithin(ctx context.Context, dir, name string) (unlock func(), err error) {
	for end := time.Now().Add(maxWait); ; {
		if unlock, err = Lock(dir, name); !errors.Is(err, ErrLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(maxWait / 50):
		}
	}
}
