package film

import (
	"context"
	"fmt"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// Options say how a program submits a film. The zero value of a field is its default.
type Options struct {
	// Drawer says how this program draws, and by which instruction set, policy and limits nodes do. Its Workers are this
	// program's.
	Drawer recipe.Drawer
	// Files creates the pictures; nil: a set of its own.
	Files *atomicfile.Set
	// Own reports whether a node is one of this program's own, whose pictures are not drawn again; nil: none is.
	IsOwnNode func(node string) bool
	// Renews says that an earlier film may be under way with pictures of the same names, which is given up then.
	ReplaceEarlier bool
	// Processes is how many nodes a shared film waits for before it begins; 0: one.
	Processes int
	// When and How say when blocks of a shared film change nodes, and how: see ownership.Options.
	When, How string
	// Moved, unless nil, is told of each such change.
	BlocksMoved func(line string)
	// Begin, unless nil, is told how many frames the film has, Settled of each that is drawn or given up.
	Begin   func(frames int)
	Settled func(frames int)
	// Submitted, unless nil, is called when the film is in the server's queue.
	Submitted func()
	// Warn is told of what is amiss, a line each; nil: nobody is.
	Warn func(line string)
}

// A Submission is a film on its way to its folder.
type Submission struct {
	Film

	options Options
	names   *framename.Names
	cluster *cluster.Cluster
	job     cluster.Job
	id      string          // of the job, which other goroutines may ask for
	local   *frames         // that draws here, for frames on which nodes differ
	checked map[string]int  // pictures of each node of another machine
	blocked map[string]bool // nodes that were shut out

	redrawn     map[int]string // hashes of the pictures that this process drew, by frame
	blank       map[int]bool   // frames on which nothing is visible, as this process found too
	retriedHere bool           // a frame that failed elsewhere was tried here
	done        map[int]*cluster.Done
	failed      map[int]*cluster.Failure
	owners      ownerView // of the blocks, for the status page
}

// Job returns the film as a job.
func (s *Submission) Job() cluster.Job { return s.job }

// Close ends the submission. What is drawn stays.
func (s *Submission) Close() error { return s.local.Close() }

func (s *Submission) warn(format string, args ...any) {
	if s.options.Warn != nil {
		s.options.Warn(fmt.Sprintf(format, args...))
	}
}

func (s *Submission) settled(frames int) {
	if s.options.Settled != nil {
		s.options.Settled(frames)
	}
}

// restless is the error of frames that do not stay as they are drawn.
func (s *Submission) unstable() error {
	return &atomicfile.Error{File: s.names.Output, Err: errUnstable}
}

// A follower gives a submission's methods the context that they draw under. It implements cluster.Follower.
type follower struct {
	ctx context.Context
	*Submission
}

// noteDone notes a frame that is drawn.
func (s *Submission) noteDone(k int, d *cluster.Done) error {
	s.done[k] = d
	s.settled(1)
	return nil
}

// noteFailed notes a frame that was given up.
func (s *Submission) noteFailed(k int, f *cluster.Failure) error {
	s.failed[k] = f
	s.settled(1)
	return nil
}

// note notes a frame that this process drew.
func (s *Submission) noteRedrawn(k int, d *cluster.Done) {
	if s.redrawn == nil {
		s.redrawn = map[int]string{}
	}
	s.redrawn[k], s.done[k] = d.Hash, d
}

// Referee is the name of the submitting process in records.
const SubmitterName = "submitter"
