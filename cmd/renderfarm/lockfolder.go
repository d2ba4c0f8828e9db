package main

import (
	"context"
	"errors"
	"time"
)

// errLocked is the error of a lock that another process has.
var errLocked = errors.New("it is locked")

// lockPatience is for locks that are held for a moment: by a look whether a command draws in the
// folder, or by a process that a killed command was just starting.
const lockPatience = time.Second

// lockSoon is lockFolder, and waits a little for the lock.
func lockSoon(ctx context.Context, dir, name string) (unlock func(), err error) {
	for end := time.Now().Add(lockPatience); ; {
		if unlock, err = lockFolder(dir, name); !errors.Is(err, errLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPatience / 50):
		}
	}
}
