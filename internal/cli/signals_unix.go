//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// StopSignals returns all signals except SIGKILL that end a process unless the process handles them. A crash of this
// process does not arrive as a signal. The Go runtime turns a SIGSEGV, for example, into a panic.
func StopSignals() []os.Signal {
	return []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGSYS,
		syscall.SIGXCPU, // sent when a limit of ulimit -t is reached
	}
}

// Listen returns a channel that receives signals to stop.
func Listen() <-chan os.Signal {
	// The first signal ends the command gracefully, and the second ends it at once. Further signals are dropped.
	stop := make(chan os.Signal, 2)
	for _, s := range StopSignals() {
		if s == syscall.SIGHUP && signal.Ignored(s) { // nohup starts programs so that they ignore SIGHUP
			continue
		}
		signal.Notify(stop, s)
	}
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe returns an error instead
	return stop
}
