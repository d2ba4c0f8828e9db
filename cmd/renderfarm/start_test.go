package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"lockstep/internal/cli"
)

// TestFilmWithoutMeshOrServer checks that a film whose mesh is missing fails without waiting for its server.
func TestFilmWithoutMeshOrServer(t *testing.T) {
	t.Parallel()
	away, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := away.Addr().String()
	away.Close()
	r := run(t, t.TempDir(), "", "film", "gone.stl", "--turntable", "--frames", "3", "-o", "out", "--server", "nats://"+at)
	if r.Code != int(cli.Input) || !strings.Contains(r.Stderr, "renderfarm: gone.stl: ") {
		t.Errorf("code %d: %q", r.Code, r.Stderr)
	}
}

// TestServerWarnings checks that the server's messages are passed on until the film ends, and dropped after that.
func TestServerWarnings(t *testing.T) {
	var out bytes.Buffer
	ctx, end := context.WithCancel(t.Context())
	w := &serverStderr{app: &app{App: cli.New(program, cli.Streams{Stderr: &out})}, coordinator: ctx}
	w.Write([]byte("renderfarm: warning: the disk is slow\n"))
	end()
	w.Write([]byte("renderfarm: warning: a connection was refused\nrenderfarm: the disk is full\n"))
	if out.String() != "renderfarm: warning: the disk is slow\n" || w.lastLine != "the disk is full" {
		t.Errorf("%q, last %q", out.String(), w.lastLine)
	}
}
