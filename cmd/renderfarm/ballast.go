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

// A full disk would prevent a server from starting, because it has to write; but only a running server can remove what
// fills the disk. Therefore a server keeps a file of no use, and removes it when it starts again.

const (
	// ballastFile is the name of that file in a server's folder.
	ballastFile = "ballast"
	// ballastBytes is several times what a server writes to start and to remove data that belongs to no film.
	ballastBytes = 4 << 20
)

// dropBallast frees disk space for the start of a server.
func dropBallast(dir string) { _ = os.Remove(filepath.Join(dir, ballastFile)) }

// takeBallast reserves disk space for the next start, if there is enough.
func takeBallast(dir string) {
	name := filepath.Join(dir, ballastFile)
	full := bytes.Repeat([]byte{'x'}, ballastBytes) // not zeros, because some file systems store zeros without using space
	if os.WriteFile(name, full, 0o600) != nil {
		_ = os.Remove(name)
	}
}

// sweep removes data that belongs to no film from a server of this machine.
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
	if err := conn.Sweep(ctx); !errors.Is(err, jetstream.ErrStreamNotFound) { // without a stream, the server has never had a film
		return err
	}
	return nil
}
