package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"lockstep/internal/cli"
)

// An outFile is an output on its way. Commit gives it its name, Abort leaves what
// was there; after either, both do nothing.
type outFile interface {
	io.Writer
	Commit() error
	Abort()
}

// create opens name for writing, see atomicfile.Set.Create; "-" means standard
// output.
func (a *app) create(name string) (outFile, error) {
	if isStandardOutput(name) && cli.IsClosed(a.Stdout) {
		return nil, cli.StdoutError(cli.ErrClosed)
	}
	if name != "-" {
		f, err := a.Files.Create(name)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	if term.IsTerminal(int(a.Stdout.Fd())) {
		return nil, cli.Usagef("standard output is a terminal: redirect it or give -o FILE")
	}
	return standardOutput{a.Stdout}, nil
}

// A standardOutput is standard output taken for a file.
type standardOutput struct{ file *os.File }

func (s standardOutput) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	return n, cli.StdoutError(err)
}

func (standardOutput) Commit() error { return nil }
func (standardOutput) Abort()        {}

// isStandardOutput reports whether name means the descriptor of standard output.
func isStandardOutput(name string) bool {
	switch name {
	case "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return true
	}
	return false
}
