package cli

import (
	"io"

	"lockstep/render/atomicfile"
)

// A Stdout writes to standard output and keeps the first error, which callers may ignore.
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
