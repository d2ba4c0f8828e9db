package machine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// affinity is the mask that a thread had before it was pinned. Its methods act on the calling thread, to which the
// goroutine must be locked.
type affinity struct {
	before, pinned unix.CPUSet
}

func (a *affinity) pin(core int) error {
	if err := unix.SchedGetaffinity(0, &a.before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	a.pinned.Zero()
	a.pinned.Set(core)
	if err := unix.SchedSetaffinity(0, &a.pinned); err != nil {
		return fmt.Errorf("sched_setaffinity: %w", err)
	}
	return nil
}

func (a *affinity) restore() error {
	if err := unix.SchedSetaffinity(0, &a.before); err != nil {
		return fmt.Errorf("restore by sched_setaffinity: %w", err)
	}
	return nil
}

// allowedCores returns the cores of the calling thread's mask. The first is the core on which the thread runs. The
// cores after it follow in ascending order, and then the cores before it. The system has just chosen the first core
// because it was free. So machines with few workers, in several processes, do not all use core 0. If the mask cannot be
// read, allowedCores returns as many cores as Go reports.
func allowedCores() []int {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return firstCores(runtime.NumCPU())
	}
	here := currentCore()
	var cores, below []int
	for core := range len(mask) * 64 {
		switch {
		case !mask.IsSet(core):
		case core < here:
			below = append(below, core)
		default:
			cores = append(cores, core)
		}
	}
	return append(cores, below...)
}

// currentCore returns the core on which the caller runs, or 0 if the system does not tell. The caller may be on another
// core by the time currentCore returns.
func currentCore() int {
	var core uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&core)), 0, 0); errno != 0 {
		return 0
	}
	return int(core)
}
