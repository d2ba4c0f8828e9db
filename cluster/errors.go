package cluster

import (
	"errors"
	"fmt"
)

// Errors of Dial.
var (
	// ErrNoServer means that no server answers yet. Dial passes it to Address.Report and goes on waiting.
	ErrNoServer = errors.New("no server answers yet")
	// ErrNoKey means that the server asks for a key and Address.Seed is nil.
	ErrNoKey = errors.New("the server wants a key, and none was given")
	// ErrKey means that the server does not accept the key of Address.Seed.
	ErrKey = errors.New("the server does not know this key: it is the key of another server")
	// ErrNoPin means that no known authority has signed the server's certificate, and Address.Pin is empty.
	ErrNoPin = errors.New("no known authority has signed the server's certificate: append its hash, " + pinPrefix + "HASH, to the address")
)

// Errors of calls to the server.
var (
	// ErrLost means that the connection was lost during each of callTries attempts of one call.
	ErrLost = errors.New("the connection was lost before the answer came")
	// ErrFull means that a store of the server has reached its limit, or its disk is full.
	ErrFull = errors.New("the server's store is full")
	// ErrMissing means that the server's store lacks a part of a file or a picture.
	ErrMissing = errors.New("not in the server's store")
	// ErrDamaged means that the server's store returns other bytes than were stored, or lacks a chunk of a part that
	// was stored completely.
	ErrDamaged = errors.New("damaged in the server's store")
	// ErrReplicas means that the server cannot store Limits.Replicas copies, because it is not part of a NATS cluster.
	// Queue.Prepare returns it.
	ErrReplicas = errors.New("the server cannot store so many copies: it is not part of a NATS cluster")
	// ErrOneCopy means that the queue was created with one copy and more are wanted. Servers refuse to change such a
	// queue. Queue.Prepare returns this error and does not replace the queue. Nodes may still answer tasks of the old
	// queue, and a new queue would take these for answers to its own tasks.
	ErrOneCopy = errors.New("the queue was made for films of one copy: when no film is running, remove the stream \"frames\" from the servers " +
		"(nats stream rm frames); the next film makes it again")
	// ErrNoAccounts means that the server has one account for all keys. NATS then limits the messages that nodes send,
	// but not those that the server sends on behalf of nodes. Queue.Prepare returns it.
	ErrNoAccounts = errors.New("the server has no accounts, as its configuration is of an earlier version, so that its nodes may do everything: " +
		"renderfarm serve --dir DIR --init writes accounts.conf, which nats.conf includes")
	// errMalformed means that a record or job cannot be decoded, or that its values contradict each other.
	errMalformed = errors.New("malformed record")
	// errUnread means that a record that arrived while Follow waits cannot be decoded. Follow then reads all records
	// again. Records that still cannot be decoded go to reportMalformed.
	errUnread = errors.New("a record cannot be read")
)

// A RoomError means that the stores would need more bytes than the server may store. Queue.Prepare returns it.
type RoomError struct{ Asked, Limit int64 } // in bytes

// Error implements error.
func (e *RoomError) Error() string {
	return fmt.Sprintf("the stores would take up to %d bytes, and the server may keep %d of films", e.Asked, e.Limit)
}

// ErrStale means that a Frames cannot draw any more, for example because a file has changed. An error of Frames.Draw
// may wrap it. The node then closes the Frames and opens the job again. The attempt to draw the frame does not count,
// because the frame did not cause the error.
var ErrStale = errors.New("the node has to open the film again")

// ErrBlocked means that the node is blocked because it drew a wrong picture. Work returns it.
var ErrBlocked = errors.New("this node drew a picture that differs from all others' and is shut out")
