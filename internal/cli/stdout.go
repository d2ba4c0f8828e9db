package cli

import (
	"errors"
	"io"

	"lockstep/render/atomicfile"
)

// A Stdout writes to standard output and keeps the first error, which callers may ignore.
type Stdout struct {
	W      io.Writer
	Closed bool // set if standard output was closed when the program began
	Err    error
}

// Write implements io.Writer.
func (s *Stdout) Write(p []byte) (int, error) {
	if s.Closed {
		s.Err = ErrClosed
	}
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.W.Write(p)
	s.Err = err
	return n, err
}

// ErrClosed is returned when writing to a standard output that was closed when the program began.
var ErrClosed = errors.New("is closed")

// StdoutError returns an error of standard output with its exit code.
func StdoutError(err error) error {
	if err == nil {
		return nil
	}
	return &atomicfile.Error{File: "standard output", Err: err}
}
