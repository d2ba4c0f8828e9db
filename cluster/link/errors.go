package link

import "errors"

// Errors that prevent a connection.
var (
	// ErrSecret is returned when the other side does not prove that it knows the secret.
	ErrSecret = errors.New("the other side does not know the secret of this picture")
	// ErrVersion is returned when the other side speaks another version of the protocol, or another protocol.
	ErrVersion = errors.New("the other side is no node of this version")
	// ErrUnknown is returned when a message is sent to a process without a connection.
	ErrUnknown = errors.New("not connected")
)

// Causes of the end of a connection.
var (
	// ErrRefused is the cause if the other side ended the connection. The other side's reason is part of the text.
	ErrRefused = errors.New("the other side ended the connection")
	// ErrMalformed is the cause when the other side sent bytes that do not form a message.
	ErrMalformed = errors.New("malformed message")
	// errReplaced is the cause when the same process has connected again.
	errReplaced = errors.New("replaced by a new connection")
)
