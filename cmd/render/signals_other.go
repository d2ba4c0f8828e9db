//go:build !unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// listen returns a channel that gets the signals to stop.
func listen() <-chan os.Signal {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	return stop
}
