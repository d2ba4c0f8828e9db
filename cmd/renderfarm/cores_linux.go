package main

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// ownCoresEach returns a core for each of n processes of one thread, nil unless there are exactly
// as many cores: the system then moves them about whenever something else runs for a moment, and
// they lose what their caches hold.
func ownCoresEach(n, workers int) []int {
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

// startOn starts a process that runs on one core only, or, where the system does not allow
// that, on any.
func startOn(cmd *exec.Cmd, core int) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its mask with it
		var one unix.CPUSet
		one.Set(core)
		_ = unix.SchedSetaffinity(0, &one)
		started <- cmd.Start()
	}()
	return <-started
}
