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

// On a full disk a server cannot start, because starting writes to the disk. But only a running server can remove the
// data that fills the disk. Therefore a server keeps a file of unused bytes, the ballast. Removing it frees space for
// the next start.

const (
	// reserveFile is the name of the file of unused bytes in a server's folder.
	reserveFile = "ballast"
	// reserveBytes is the size of that file. It is several times what a server writes to start and to remove the data
	// of forgotten films.
	reserveBytes = 4 << 20
)

// removeReserve removes the file of unused bytes, which frees disk space for the start of a server.
func removeReserve(dir string) { _ = os.Remove(filepath.Join(dir, reserveFile)) }

// writeReserve writes the file of unused bytes, if there is enough disk space.
func writeReserve(dir string) {
	name := filepath.Join(dir, reserveFile)
	full := bytes.Repeat([]byte{'x'}, reserveBytes) // some file systems store zeros without using space
	if os.WriteFile(name, full, 0o600) != nil {
		_ = os.Remove(name)
	}
}

// sweepServer removes data that belongs to no film from a server of this machine.
func sweepServer(ctx context.Context, dir string) error {
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
	if err := conn.Sweep(ctx); !errors.Is(err, jetstream.ErrStreamNotFound) { // the server never had a film
		return err
	}
	return nil
}
