//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// StopSignals returns the signals that end a process unless it listens to them, but
// for SIGKILL. A fault of this process is none of them: the Go runtime tells faults
// from signals that a process sent.
func StopSignals() []os.Signal {
	return []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGSYS,
		syscall.SIGXCPU, // of ulimit -t
	}
}

// Listen returns a channel that gets the signals to stop.
func Listen() <-chan os.Signal {
	// One waits for the work in hand, the next one does not wait; more add nothing.
	stop := make(chan os.Signal, 2)
	for _, s := range StopSignals() {
		if s == syscall.SIGHUP && signal.Ignored(s) { // nohup
			continue
		}
		signal.Notify(stop, s)
	}
	signal.Ignore(syscall.SIGPIPE) // the error of the write says it
	return stop
}
