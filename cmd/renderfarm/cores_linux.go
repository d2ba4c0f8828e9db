package main

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// coresForProcesses returns a different core for each of n processes with one thread each. It returns nil unless there
// are exactly n cores. Without a fixed core, a process moves whenever another program runs for a moment, and loses the
// contents of its cache.
func coresForProcesses(n, workers int) []int {
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
		runtime.LockOSThread() // never unlocked, so the thread and its core mask end with this goroutine
		var one unix.CPUSet
		one.Set(core)
		_ = unix.SchedSetaffinity(0, &one)
		started <- cmd.Start()
	}()
	return <-started
}
