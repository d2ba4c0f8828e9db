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

// A Job is a film: frames 0 to Frames-1 of something that nodes know how to draw.
type Job struct {
	ID       string          `json:"id"`       // of JobID
	Name     string          `json:"name"`     // for people
	Frames   int             `json:"frames"`   // count
	Spec     json.RawMessage `json:"spec"`     // what is drawn: the nodes' business
	Priority int             `json:"priority"` // jobs of larger ones are drawn first
	Tries    int             `json:"tries"`    // of a frame, before it counts as failed; 0: 3
	Lease    time.Duration   `json:"lease"`    // without a sign of life before another node gets the frame; 0: 5 s
	Timeout  time.Duration   `json:"timeout"`  // of one frame; 0: none
	Created  time.Time       `json:"created"`
	Shared   *Shared         `json:"shared,omitempty"` // nil: whoever is free draws the next frame
	Files    []File          `json:"files,omitempty"`  // that nodes may want and the submitter sends then

	Round     int  `json:"round"` // how often failed frames were asked for again
	Cancelled bool `json:"cancelled"`
	Draft     bool `json:"draft,omitempty"` // its frames are being put into the queue
	// Finished is when its submitter had all frames.
	Finished *time.Time `json:"finished,omitempty"`
}

// Shared says that all nodes draw each frame of a job together, and where they meet.
type Shared struct {
	Addresses []string `json:"addresses"` // of the submitter, host:port: one of them can be reached
	Secret    []byte   `json:"secret"`    // that nodes and the submitter prove to each other
}

// Defaults of Job, and its limits.
const (
	DefaultTries = 3
	DefaultLease = 5 * time.Second
	MaxFrames    = 1_000_000
	maxSpec      = 256 << 10 // bytes: a message of a server by default holds four times that
)

// JobID names a job by what it draws, so that the same film is the same job.
func JobID(spec []byte, frames int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", frames)
	h.Write(spec)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// check fills in defaults and refuses jobs that cannot be drawn.
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

// validKey reports whether s may be a token of subjects and keys.
func validKey(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// Order returns the frames 0 to n-1 in the order in which they are drawn: first, last,
// middle, and then the middles of the gaps, so that a film can be judged early.
func Order(n int) []int {
	order := make([]int, 0, n)
	if n > 0 {
		order = append(order, 0)
	}
	if n > 1 {
		order = append(order, n-1)
	}
	type gap struct{ low, high int } // both drawn
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

// Names of streams, stores and subjects.
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

// A Done is the record of a frame.
type Done struct {
	Hash    string  `json:"hash"` // SHA-256 of the picture, in hexadecimal digits
	Node    string  `json:"node"`
	Seconds float64 `json:"seconds"` // it took to draw
	Bytes   int     `json:"bytes"`   // of the picture
	// Stored says that the picture is in the server's store, see Cluster.Picture, not in the
	// submitter's folder.
	Stored bool `json:"stored,omitempty"`
	// File tells the picture's file from one that was changed or replaced since, see Filer.
	File string `json:"file,omitempty"`
}

// A Failure is the record of a frame that was given up.
type Failure struct {
	Node  string `json:"node"`
	Error string `json:"error"`
	Tries int    `json:"tries"`
	Round int    `json:"round"`
	// Recurs says that the node expects the same of every other node and try, see Recurring.
	Recurs bool `json:"recurs,omitempty"`
}

// Recurring is implemented by errors of Frames.Draw that tell whether every node would meet
// them, as those of the film itself: a flag, a file, a view of nothing. Such a frame is given up
// after its first try. What a node or its place may be to blame for, as for want of memory, a full
// disk or a time limit, does not recur: the frame is tried again, by others too.
type Recurring interface {
	error
	Recurs() bool
}

// recurs reports whether an error says that it recurs.
func recurs(err error) bool {
	var r Recurring
	return errors.As(err, &r) && r.Recurs()
}

// maxReason bounds the text of an error in a record, in bytes: six times as many in JSON, with
// the rest of the record, are less than maxRecord.
const maxReason = 600

// cut shortens a text to maxReason.
func cut(text string) string {
	if len(text) <= maxReason {
		return text
	}
	return strings.ToValidUTF8(text[:maxReason], "") + " ..."
}

// A Fault is a picture that differs from the recorded one of its frame.
type Fault struct {
	Frame int    `json:"frame"`
	Hash  string `json:"hash"`
	Node  string `json:"node"`
}

// ErrBlocked is the end of a node that drew a wrong picture.
var ErrBlocked = errors.New("this node drew a picture that differs from all others' and is shut out")

// Hash returns the hash of a picture as records have it.
func Hash(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:])
}
