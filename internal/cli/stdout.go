package cli

import (
	"io"

	"lockstep/render/atomicfile"
)

// A Stdout writes to standard output. It stores the first error in Err, and every later write fails with this error. So
// callers may ignore the errors of Write.
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

// StdoutError adds the exit code to an error of standard output.
func StdoutError(err error) error {
	if err == nil {
		return nil
	}
	return &atomicfile.Error{File: "standard output", Err: err}
}
