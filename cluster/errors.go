package cluster

import (
	"errors"
	"fmt"
)

// Errors of Dial.
var (
	// ErrNoServer is passed to Address.Report if no server answers and Dial starts to wait for a server.
	ErrNoServer = errors.New("no server answers yet")
	// ErrNoKey is returned when the server asks for a key and Address.Seed is nil.
	ErrNoKey = errors.New("the server wants a key, and none was given")
	// ErrKey is returned when the server does not accept the key of Address.Seed.
	ErrKey = errors.New("the server does not know this key: it is another server's")
	// ErrNoPin is returned when the server's certificate is signed by no known authority and Address.Pin is empty.
	ErrNoPin = errors.New("the server's certificate is its own: the address wants its hash, " + pinPrefix + "HASH, after it")
)

// Errors of calls to the server.
var (
	// ErrLost is returned when the connection was lost during each of callTries attempts of one call.
	ErrLost = errors.New("the connection was lost before the answer came")
	// ErrFull is returned when a store of the server has reached its limit or its disk is full.
	ErrFull = errors.New("the server's store is full")
	// ErrMissing is returned when a part of a file or a picture is missing or incomplete in the server's store.
	ErrMissing = errors.New("not in the server's store")
	// ErrReplicas is returned by Queue.Prepare when the server is not part of a cluster that can store Limits.Replicas
	// copies.
	ErrReplicas = errors.New("the server cannot store so many copies: it is alone")
	// ErrOneCopy is returned by Queue.Prepare if the queue was created with one copy and more copies are wanted.
	// Servers refuse to change the number of copies of such a queue. Queue.Prepare does not replace the queue by a new
	// one, because nodes may still answer tasks of the old queue. The new queue would mistake these answers for answers
	// to its own tasks.
	ErrOneCopy = errors.New("the queue was made for films of one copy: when no film is running, remove the stream \"frames\" from the servers " +
		"(nats stream rm frames), and it is made anew")
	// ErrNoAccounts is returned by Queue.Prepare if the server has one account for all keys. With a single account,
	// NATS limits the messages that nodes send, but not the messages that the server sends on behalf of nodes.
	ErrNoAccounts = errors.New("the server has no accounts, as by the configuration of an earlier version, so that its nodes may do everything: " +
		"renderfarm serve --dir DIR --init writes accounts.conf, which nats.conf includes")
	// errMalformed is returned when a record or job cannot be decoded, or its values contradict each other.
	errMalformed = errors.New("malformed record")
	// errUnread is returned by followState.watch when a record cannot be decoded. Follow then reads all records again,
	// and passes records that still cannot be decoded to reportMalformed.
	errUnread = errors.New("a record cannot be read")
)

// A RoomError is returned by Queue.Prepare if the stores would need more bytes than the server may store.
type RoomError struct{ Asked, Limit int64 } // bytes

// Error implements error.
func (e *RoomError) Error() string {
	return fmt.Sprintf("the stores would take up to %d bytes, and the server may keep %d of films", e.Asked, e.Limit)
}

// ErrStale is wrapped by errors of Frames.Draw if the Frames cannot draw any more, for example because a file has
// changed. The node closes the Frames and opens the job again. The attempt is not counted, because the frame did not
// cause the error.
var ErrStale = errors.New("the node has to open the film again")

// ErrBlocked is returned by Work if the node was blocked because it drew a wrong picture.
var ErrBlocked = errors.New("this node drew a picture that differs from all others' and is shut out")
