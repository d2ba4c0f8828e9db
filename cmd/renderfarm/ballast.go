package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/cluster"
)

// A full disk would lock a server out of its own folder: it has to write to start, and only a server that runs can
// remove what fills the disk. So a server keeps a file of no use, and gives it up when it starts again.

const (
	// ballastFile is the name of this file in a server's folder.
	ballastFile = "ballast"
	// ballastBytes is several times what a server writes to start and to remove what belongs to no film.
	ballastBytes = 4 << 20
)

// dropBallast makes room for the start of a server.
func dropBallast(dir string) { _ = os.Remove(filepath.Join(dir, ballastFile)) }

// takeBallast takes the room for the next start, if there is any.
func takeBallast(dir string) {
	name := filepath.Join(dir, ballastFile)
	full := bytes.Repeat([]byte{'x'}, ballastBytes) // some file systems keep zeros in no room
	if os.WriteFile(name, full, 0o600) != nil {
		_ = os.Remove(name)
	}
}

// sweep removes from a server of this machine what belongs to no film.
func sweep(ctx context.Context, dir string) error {
	address, err := localServer(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cluster.SubmitTimeout)
	defer cancel()
	conn, err := cluster.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Sweep(ctx); !errors.Is(err, jetstream.ErrStreamNotFound) { // a server that never had a film
		return err
	}
	return nil
}
