package main

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// oneCoreEach returns one core for each of n processes that have one thread each, or nil unless there are exactly n
// cores. Without fixed cores the system moves processes whenever something else runs for a moment, and they lose the
// contents of their caches.
func oneCoreEach(n, workers int) []int {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil || workers != 1 || n < 2 || n != mask.Count() || n != runtime.GOMAXPROCS(0) {
		return nil
	}
	var cores []int
	for core := range len(mask) * 64 {
		if mask.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return cores
}

// startOn starts a process on one core. If the system does not allow that, the process may use any core.
func startOn(cmd *exec.Cmd, core int) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, so its core mask affects nothing else
		var one unix.CPUSet
		one.Set(core)
		_ = unix.SchedSetaffinity(0, &one)
		started <- cmd.Start()
	}()
	return <-started
}
