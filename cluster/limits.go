package cluster

import "errors"

// Limits of single messages. Nodes write records, and a record that is longer than any of ours
// would only fill its store and the memory of those who read it.
const (
	maxTask   = 1 << 10 // a task has headers alone
	maxRecord = 4 << 10 // names, a hash, and the first words of an error
	maxJob    = 4 << 20 // a specification and the names and hashes of all files
)

const (
	// chunkBytes is the size of a value: larger ones are no faster, and a server refuses more
	// than 8 MiB.
	chunkBytes = 1 << 20
	// chunksAtOnce bounds the chunks that are on their way: a server refuses more than 128
	// MiB that it has not yet written.
	chunksAtOnce = 8
)

// errMalformed is the error of a record or job that cannot be.
var errMalformed = errors.New("malformed record")
