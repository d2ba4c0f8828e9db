package link

import "errors"

// Errors that prevent a connection.
var (
	// ErrSecret means that the other side did not prove that it knows the secret.
	ErrSecret = errors.New("the other side does not know the secret of this picture")
	// ErrVersion means that the other side speaks another version of the protocol, or another protocol.
	ErrVersion = errors.New("the other side is no node of this version")
	// ErrUnknown means that a message was sent to a process without a connection.
	ErrUnknown = errors.New("not connected")
)

// Causes of the end of a connection.
var (
	// ErrRefused means that the other side ended the connection. The text includes its reason.
	ErrRefused = errors.New("the other side ended the connection")
	// ErrMalformed means that the other side sent bytes that are no message.
	ErrMalformed = errors.New("malformed message")
	// errReplaced means that the same process has connected again.
	errReplaced = errors.New("replaced by a new connection")
)
