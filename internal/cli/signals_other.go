//go:build !unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// Listen returns a channel that receives signals to stop.
func Listen() <-chan os.Signal {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	return stop
}
