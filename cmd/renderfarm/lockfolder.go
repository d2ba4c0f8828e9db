package main

import (
	"context"
	"errors"
	"time"
)

// errLocked is returned by lockFolder if another process holds the lock.
var errLocked = errors.New("it is locked")

// lockWait is how long lockWithin waits for a lock. Some are held for a moment only: by findRunning, or by a process
// that a killed command was just starting.
const lockWait = time.Second

// lockWithin calls lockFolder until it succeeds or lockWait has passed.
func lockWithin(ctx context.Context, dir, name string) (unlock func(), err error) {
	for end := time.Now().Add(lockWait); ; {
		if unlock, err = lockFolder(dir, name); !errors.Is(err, errLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockWait / 50):
		}
	}
}
