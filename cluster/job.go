package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Job is a film in the queue. It has the frames 0 to Frames-1, which nodes can draw from Spec.
type Job struct {
	ID       string          `json:"id"`   // the result of JobID
	Name     string          `json:"name"` // name of the film, for display
	Frames   int             `json:"frames"`
	Spec     json.RawMessage `json:"spec"`     // what to draw, in a form that only nodes and submitters interpret
	Priority int             `json:"priority"` // jobs with a larger priority are drawn first
	// Tries is how many times a frame is tried before it is recorded as failed. 0 means DefaultTries.
	Tries int `json:"tries"`
	// Lease is how long a node may hold a frame without renewing its lease. Then another node gets the frame. 0 means
	// DefaultLease.
	Lease time.Duration `json:"lease"`
	// Timeout limits the time for one frame. 0 means no limit.
	Timeout time.Duration `json:"timeout"`
	Created time.Time     `json:"created"`
	// Shared is set if all nodes draw each frame together. It is nil if each frame is drawn by one node.
	Shared *Shared `json:"shared,omitempty"`
	// Files are files that nodes need. The submitter uploads them when a node requests them.
	Files []File `json:"files,omitempty"`

	Round     int  `json:"round"` // number of calls of Retry
	Cancelled bool `json:"cancelled"`
	// Draft is set while the job's frames are being put into the queue.
	Draft bool `json:"draft,omitempty"`
	// Finished is when the submitter had all frames. It is nil before that.
	Finished *time.Time `json:"finished,omitempty"`
}

// Shared holds the addresses and the secret with which nodes connect to draw each frame together.
type Shared struct {
	// Addresses are addresses of the submitter, host:port. A node can reach at least one of them.
	Addresses []string `json:"addresses"`
	// Secret is known to the submitter and the nodes. Both ends of each connection prove that they know it.
	Secret []byte `json:"secret"`
}

// Defaults and limits of a Job.
const (
	DefaultTries = 3
	DefaultLease = 5 * time.Second
	MaxFrames    = 1_000_000
	maxSpec      = 256 << 10 // in bytes: a quarter of the default limit of a NATS message
)

// JobID returns the ID of the job with this specification. It is a hash, so a film that is submitted again continues
// its job.
func JobID(spec []byte, frames int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", frames)
	h.Write(spec)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// check sets fields that are zero to their defaults. It returns an error if the job cannot be drawn.
func (j *Job) check() error {
	if j.Tries == 0 {
		j.Tries = DefaultTries
	}
	if j.Lease == 0 {
		j.Lease = DefaultLease
	}
	switch {
	case j.Frames < 1 || j.Frames > MaxFrames:
		return fmt.Errorf("job of %d frames: expected 1 to %d", j.Frames, MaxFrames)
	case j.Tries < 1 || j.Lease < 100*time.Millisecond || j.Timeout < 0:
		return fmt.Errorf("job with tries %d, lease %v, timeout %v: expected at least 1, 100 ms and 0", j.Tries, j.Lease, j.Timeout)
	case len(j.Spec) > maxSpec:
		return fmt.Errorf("job with a specification of %d bytes: expected at most %d", len(j.Spec), maxSpec)
	case !validKey(j.ID):
		return fmt.Errorf("job ID %q: expected letters, digits, - and _", j.ID)
	}
	for i := range j.Files {
		if err := j.Files[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// validKey reports whether s can be a token of a NATS subject and a key of a store.
func validKey(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// Order returns the frames 0 to n-1 in drawing order: the first, the last, the middle, and then repeatedly the middles
// of the gaps. So people can judge the whole film early.
func Order(n int) []int {
	order := make([]int, 0, n)
	if n > 0 {
		order = append(order, 0)
	}
	if n > 1 {
		order = append(order, n-1)
	}
	type gap struct{ low, high int } // both ends are already in the order
	for gaps := []gap{{0, n - 1}}; len(gaps) > 0; gaps = gaps[1:] {
		g := gaps[0]
		if g.high-g.low < 2 {
			continue
		}
		middle := g.low + (g.high-g.low)/2
		order = append(order, middle)
		gaps = append(gaps, gap{g.low, middle}, gap{middle, g.high})
	}
	return order
}

// Names of streams and stores.
const (
	frameStream  = "frames"
	jobStore     = "jobs"
	doneStore    = "done"
	failureStore = "failures"
	faultStore   = "faults"
	blockedStore = "blocked"
	nodeStore    = "nodes"
	blobStore    = "blobs"
	pictureStore = "pictures"
	wantedStore  = "wanted"
)

func frameSubject(job string, frame int) string {
	return frameStream + "." + job + "." + strconv.Itoa(frame)
}
func frameKey(job string, frame int) string { return job + "." + strconv.Itoa(frame) }
func consumerName(job string) string        { return "job-" + job }

// A Done is the record of a frame that was drawn.
type Done struct {
	Hash    string  `json:"hash"` // SHA-256 of the picture, in hexadecimal digits
	Node    string  `json:"node"`
	Seconds float64 `json:"seconds"` // drawing time
	Bytes   int     `json:"bytes"`   // size of the picture's file
	// Stored is set if the picture is in the server's store (see Blobs.Picture) and not in the submitter's folder.
	Stored bool `json:"stored,omitempty"`
	// FileState is the fingerprint of the picture's file, see FileStater. A later change of the file changes the
	// fingerprint.
	FileState string `json:"file,omitempty"`
	Signature
}

// Limits of the numbers in records, which nodes write. Because of these limits, a sum over all frames of a film is
// finite and does not overflow an int64 or a time.Duration.
const (
	maxSeconds      = 3600 // a longer time counts as this time
	maxPictureBytes = 1 << 40
)

// check returns an error if numbers of the record are impossible. It limits Seconds to maxSeconds.
func (d *Done) check() error {
	if !(d.Seconds >= 0) || d.Bytes < 0 || d.Bytes > maxPictureBytes {
		return fmt.Errorf("a picture of %d bytes in %v seconds", d.Bytes, d.Seconds)
	}
	d.Seconds = min(d.Seconds, maxSeconds)
	return nil
}

// A Failure is the record of a frame that failed for good.
type Failure struct {
	Node  string `json:"node"`
	Error string `json:"error"`
	Tries int    `json:"tries"`
	Round int    `json:"round"`
	// Recurs is set if the error would occur on every node, see Recurring.
	Recurs bool `json:"recurs,omitempty"`
	Signature
}

// Recurring is implemented by errors of Frames.Draw that know whether they would occur on every node. Errors of the
// film itself recur: a wrong flag, a damaged file, a view of nothing. The frame is then recorded as failed after its
// first try. Errors of a node or a moment do not recur: a lack of memory, a full disk, a timeout. The frame is then
// tried again, possibly by another node.
type Recurring interface {
	error
	Recurs() bool // whether every node would meet the error
}

// recurs reports whether err is a Recurring whose Recurs returns true.
func recurs(err error) bool {
	var r Recurring
	return errors.As(err, &r) && r.Recurs()
}

// maxReason limits the text of an error in a record, in bytes. Its JSON encoding may be six times as long. The encoded
// text, the rest of the record and the signature must fit into maxRecord together.
const maxReason = 500

// truncate shortens a text to maxReason bytes.
func truncate(text string) string {
	if len(text) <= maxReason {
		return text
	}
	const more = " ..."
	return strings.ToValidUTF8(text[:maxReason-len(more)], "") + more
}

// A Fault means that a node drew another picture than the one that was recorded first. Done is the record of the second
// picture. The store of records does not have it, because that store keeps the first record of each frame.
type Fault struct {
	Frame int `json:"frame"`
	Done
}

// Hash returns the hash of a picture, as records contain it.
func Hash(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:])
}
