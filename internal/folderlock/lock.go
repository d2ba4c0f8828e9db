// Package folderlock keeps two processes from working in one folder.
package folderlock

import (
	"context"
	"errors"
	"time"
)

// ErrLocked is returned by Lock if another process holds the lock.
var ErrLocked = errors.New("it is locked")

// wait is how long Within waits for a lock. Some are held for a moment only: by a command that asks whether a folder is in
// use, or by a process that a killed command was just starting.
const wait = time.Second

// Within calls Lock until it succeeds, for a second at most.
func Within(ctx context.Context, dir, name string) (unlock func(), err error) {
	for end := time.Now().Add(wait); ; {
		if unlock, err = Lock(dir, name); !errors.Is(err, ErrLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait / 50):
		}
	}
}
