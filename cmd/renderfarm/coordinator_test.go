package main

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestInterruptedBeforeServer checks that a film ends when it is interrupted before its server has started.
func TestInterruptedBeforeServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &app{App: cli.New(program, cli.Streams{Stderr: io.Discard})}
	ended := make(chan error, 1)
	go func() {
		_, err := openCoordinator(ctx, a, coordinatorOptions{folder: filepath.Join(t.TempDir(), "out"), nodes: 2})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(clitest.RunLimit):
		t.Fatal("it waits for a server that nobody starts")
	}
}
