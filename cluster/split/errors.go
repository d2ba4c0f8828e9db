package split

import "errors"

var (
	// ErrRootGone is returned by Node when the connection with the root ends before the film does.
	ErrRootGone = errors.New("the root has left")
	// ErrNoRoot is returned by Node when no address of the root can be reached.
	ErrNoRoot = errors.New("the root cannot be reached")
	// errWire is wrapped by errors of malformed or unexpected messages.
	errWire = errors.New("malformed message")
)
