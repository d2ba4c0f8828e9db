package main

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"

	"lockstep/render/atomicfile"
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
	if isStandardOutput(name) && isClosed(a.stdout) {
		return nil, standardOutputError(errClosed)
	}
	if name != "-" {
		f, err := a.files.Create(name)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	if term.IsTerminal(int(a.stdout.Fd())) {
		return nil, usagef("standard output is a terminal: redirect it or give -o FILE")
	}
	return standardOutput{a.stdout}, nil
}

// A standardOutput is standard output taken for a file.
type standardOutput struct{ file *os.File }

func (s standardOutput) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	return n, standardOutputError(err)
}

func (standardOutput) Commit() error { return nil }
func (standardOutput) Abort()        {}

// standardOutputError says that standard output could not be written; nil stays
// nil.
func standardOutputError(err error) error {
	if err == nil {
		return nil
	}
	return &atomicfile.Error{File: "standard output", Err: err}
}

// errClosed is the failure to write to a standard output that was closed.
var errClosed = errors.New("is closed")

// isStandardOutput reports whether name means the descriptor of standard output.
func isStandardOutput(name string) bool {
	switch name {
	case "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return true
	}
	return false
}
