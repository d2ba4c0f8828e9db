package cli

import (
	"errors"
	"io"

	"lockstep/render/atomicfile"
)

// A Stdout remembers that standard output failed, whatever the code that writes to it does about errors.
type Stdout struct {
	W      io.Writer
	Closed bool // it was closed when the program began
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

// ErrClosed is why nothing can be written to a standard output that was closed.
var ErrClosed = errors.New("is closed")

// StdoutError is the failure of standard output.
func StdoutError(err error) error {
	if err == nil {
		return nil
	}
	return &atomicfile.Error{File: "standard output", Err: err}
}
