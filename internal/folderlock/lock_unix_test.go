//go:build unix

package folderlock

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLockHeldForAMoment checks that a command waits for a lock that is held only for a moment. It must not wait for
// the lock of another running command.
func TestLockHeldForAMoment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := Lock(dir, "lock")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(maxWait/10, held)
	unlock, err := LockWithin(context.Background(), dir, "lock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockWithin(context.Background(), dir, "lock"); !errors.Is(err, ErrLocked) {
		t.Errorf("error %v, want that it is locked", err)
	}
	unlock()
}
