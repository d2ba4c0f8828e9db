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

// A Job is a film in the queue: frames 0 to Frames-1, which nodes can draw from Spec.
type Job struct {
	ID       string          `json:"id"`       // the result of JobID
	Name     string          `json:"name"`     // name of the film, for display
	Frames   int             `json:"frames"`   // number of frames
	Spec     json.RawMessage `json:"spec"`     // describes what to draw; only nodes and submitters interpret it
	Priority int             `json:"priority"` // frames of jobs with a larger priority are drawn first
	// Tries is how often a frame is tried before it is recorded as failed. 0 means DefaultTries.
	Tries int `json:"tries"`
	// Lease is how long a node may hold a frame without renewing its lease. After that, another node gets the frame. 0
	// means DefaultLease.
	Lease time.Duration `json:"lease"`
	// Timeout limits the time for one frame. 0 means no limit.
	Timeout time.Duration `json:"timeout"`
	Created time.Time     `json:"created"`
	// Shared is set if all nodes draw each frame together. If it is nil, each frame is drawn by one node.
	Shared *Shared `json:"shared,omitempty"`
	// Files are the files that the submitter uploads when a node requests them.
	Files []File `json:"files,omitempty"`

	Round     int  `json:"round"` // number of calls of Retry
	Cancelled bool `json:"cancelled"`
	// Draft is set while the frames of the job are being put into the queue.
	Draft bool `json:"draft,omitempty"`
	// Finished is the time when the submitter had received all frames. It is nil before that.
	Finished *time.Time `json:"finished,omitempty"`
}

// Shared holds the addresses and the secret with which nodes connect to draw each frame together.
type Shared struct {
	// Addresses are addresses of the submitter, host:port. At least one of them is reachable.
	Addresses []string `json:"addresses"`
	// Secret is the shared secret. Both ends of each connection prove that they know it.
	Secret []byte `json:"secret"`
}

// Defaults and limits of a Job.
const (
	DefaultTries = 3
	DefaultLease = 5 * time.Second
	MaxFrames    = 1_000_000
	maxSpec      = 256 << 10 // bytes; a quarter of the default limit of a NATS message
)

// JobID returns the ID of the job with this specification. It is a hash, so submitting a film again continues its job.
func JobID(spec []byte, frames int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", frames)
	h.Write(spec)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// check fills in defaults and returns an error if the job cannot be drawn.
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

// validKey reports whether s may be used as a token of a NATS subject or as a key.
func validKey(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// Order returns frames 0 to n-1 in drawing order: the first, the last, the middle, and then repeatedly the middles of
// the gaps. With this order, people can judge the whole film early.
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
	Bytes   int     `json:"bytes"`   // size of the picture
	// Stored is set if the picture is in the server's store, see Blobs.Picture, instead of the submitter's folder.
	Stored bool `json:"stored,omitempty"`
	// FileState is the fingerprint of the picture's file, see FileStater. It shows whether the file was changed later.
	FileState string `json:"file,omitempty"`
	Signature
}

// Limits on the numbers that nodes write about a picture. Within these limits, sums over all frames of a film stay
// finite, and fit into int64 and time.Duration.
const (
	maxSeconds      = 3600 // a longer time counts as this time
	maxPictureBytes = 1 << 40
)

// check returns an error if the numbers of a record are impossible. It also limits Seconds to maxSeconds.
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
	// Recurs is set if every node would fail in the same way, see Recurring.
	Recurs bool `json:"recurs,omitempty"`
	Signature
}

// Recurring is implemented by errors of Frames.Draw that know whether every node would meet them. Errors of the film
// itself recur, such as a wrong flag, a damaged file, or a view of nothing. If an error recurs, the frame is recorded
// as failed after its first try. Errors that may depend on the node or the moment do not recur, such as a lack of
// memory, a full disk, or a timeout. After such an error, the frame is tried again, possibly by another node.
type Recurring interface {
	error
	Recurs() bool // whether every node would meet the error
}

// recurs reports whether err implements Recurring and its method Recurs returns true.
func recurs(err error) bool {
	var r Recurring
	return errors.As(err, &r) && r.Recurs()
}

// maxReason limits the text of an error in a record, in bytes. In JSON the text may be six times as long. The encoded
// text must fit into maxRecord together with the rest of the record and its signature.
const maxReason = 500

// truncate shortens a text to maxReason bytes.
func truncate(text string) string {
	if len(text) <= maxReason {
		return text
	}
	const more = " ..."
	return strings.ToValidUTF8(text[:maxReason-len(more)], "") + more
}

// A Fault reports that a node drew a picture that differs from the picture recorded first. The field Done is the record
// of the differing picture. That record was not stored, because the frame had a record already.
type Fault struct {
	Frame int `json:"frame"`
	Done
}

// Hash returns the hash of a picture in the form in which records hold it.
func Hash(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:])
}
