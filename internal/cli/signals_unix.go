//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// StopSignals returns the signals that end a process unless it handles them, except SIGKILL. A crash of this process,
// such as a SIGSEGV that another process did not send, does not arrive here: the Go runtime turns it into a panic.
func StopSignals() []os.Signal {
	return []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGSYS,
		syscall.SIGXCPU, // from ulimit -t
	}
}

// Listen returns a channel that receives signals to stop.
func Listen() <-chan os.Signal {
	// The first signal ends the command gracefully, the second at once. Further ones are dropped.
	stop := make(chan os.Signal, 2)
	for _, s := range StopSignals() {
		if s == syscall.SIGHUP && signal.Ignored(s) { // started by nohup
			continue
		}
		signal.Notify(stop, s)
	}
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe then returns an error
	return stop
}
