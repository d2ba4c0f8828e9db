package cli

import (
	"io"

	"lockstep/render/atomicfile"
)

// A Stdout writes to standard output. It keeps the first error in Err, and every later write fails with it, so callers
// may ignore the errors that Write returns.
type Stdout struct {
	W   io.Writer
	Err error
}

// Write implements io.Writer.
func (s *Stdout) Write(p []byte) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.W.Write(p)
	s.Err = err
	return n, err
}

// StdoutError returns an error of standard output with its exit code.
func StdoutError(err error) error {
	if err == nil {
		return nil
	}
	return &atomicfile.Error{File: "standard output", Err: err}
}
