//go:build !linux

package machine

import (
	"errors"
	"fmt"
	"runtime"
)

// affinity does nothing, because these systems have no call that ties a thread to a core.
type affinity struct{}

var errNoPinning = fmt.Errorf("threads cannot be pinned on %s: %w", runtime.GOOS, errors.ErrUnsupported)

func (*affinity) pin(int) error  { return errNoPinning }
func (*affinity) restore() error { return nil }

func allowedCores() []int { return firstCores(runtime.NumCPU()) }

func currentCore() int { return 0 }
