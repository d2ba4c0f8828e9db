package film

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// Options configure how a program submits a film. The zero value of a field means its default.
type Options struct {
	// Drawer determines how this program draws. Nodes use its instruction set, policy and limits, too, but not its
	// number of workers.
	Drawer recipe.Drawer
	// Files creates the picture files; nil: the submission has a Set of its own.
	Files *atomicfile.Set
	// OwnKey is the public key of the nodes that this program has started, see Node.Seed. Pictures of these nodes are
	// not compared. It is empty if there are no such nodes.
	OwnKey string
	// ReplaceEarlier cancels earlier films whose pictures have the same names.
	ReplaceEarlier bool
	// Processes is how many nodes a shared film waits for before it starts; 0: one.
	Processes int
	// When and How select the balancer of a shared film, see ownership.Options.
	When, How string
	// BlocksMoved, if not nil, receives a line for each change of owners in a shared film.
	BlocksMoved func(line string)
	// Begin, if not nil, is called before the first frame with the number of all frames. Settled, if not nil, is called
	// with the number of frames that were drawn or failed since its last call.
	Begin   func(frames int)
	Settled func(frames int)
	// Submitted, if not nil, is called once the film is in the server's queue.
	Submitted func()
	// Warn, if not nil, receives warnings of one line each.
	Warn func(line string)
}

// A Submission is a film that has been opened by Open.
type Submission struct {
	Film

	options Options
	names   *framename.Names
	cluster *cluster.Cluster
	job     cluster.Job
	// id is the ID of job, for other goroutines.
	id string
	// width and height are the size of the pictures in pixels.
	width, height int
	// local draws frames in this process, to check the pictures of nodes.
	local *frames
	// trust holds the trust in nodes that this program has not started, see trustOf.
	trust map[string]*trust
	// blocked are nodes whose pictures were wrong.
	blocked map[cluster.Author]bool
	// distrusts counts the rounds after which frames had to be drawn again because of nodes on other machines.
	distrusts int

	// redrawn holds the hashes of the pictures that this process drew, by frame.
	redrawn map[int]string
	// kept describes the files that this process saved, by frame.
	kept map[int]keptFile
	// blank are frames that are blank according to both a node and this process.
	blank map[int]bool
	// retriedHere is set once this process has tried a frame that failed on a node.
	retriedHere bool
	done        map[int]*cluster.Done
	failed      map[int]*cluster.Failure
	// heldWarned is set after the warning that nodes hold frames too long.
	heldWarned bool
	// dropped are frames that this process stopped drawing because others recorded them meanwhile.
	dropped map[int]bool
	owners  ownerView // shown on the status page
}

// Job returns the job of the film.
func (s *Submission) Job() cluster.Job { return s.job }

// Close releases the memory of the submission. Pictures that were drawn stay.
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

// unstableError returns the error for a film whose files other programs change while it is drawn.
func (s *Submission) unstableError() error {
	return &atomicfile.Error{File: s.names.Output, Err: errUnstable}
}

// A follower is a submission with a context, which its methods use. It implements cluster.Keeper.
type follower struct {
	ctx context.Context
	*Submission
}

// Queued implements cluster.Keeper.
func (f follower) Queued(frames int) {
	f.warn("%d frames were neither in the queue nor drawn, and are in the queue again: the server lost them, or somebody removed them", frames)
}

// Held implements cluster.Keeper. It returns false if only nodes of this program draw the film, because these do not
// hold tasks on purpose, and they share the cores with this process.
func (f follower) Held(frames int) bool {
	if f.Open && !f.heldWarned {
		f.heldWarned = true
		f.warn("%d frames were taken by nodes long ago and are not drawn: they are drawn here", frames)
	}
	return f.Open
}

// Draw implements cluster.Keeper. It stops drawing if the frame is recorded meanwhile, but only once per frame, because
// a node could remove the record again.
func (f follower) Draw(k int) (drawn bool, err error) {
	ctx, cancel := context.WithCancelCause(f.ctx)
	defer cancel(nil)
	if !f.dropped[k] {
		go f.awaitRecord(ctx, k, func() { cancel(errRecorded) })
	}
	err = follower{ctx, f.Submission}.settle(&cluster.Fault{Frame: k})
	if err != nil && context.Cause(ctx) == errRecorded {
		if f.dropped == nil {
			f.dropped = map[int]bool{}
		}
		f.dropped[k] = true
		return false, nil
	}
	return err == nil, err
}

// errRecorded is the cause of cancelling a frame that somebody else has recorded.
var errRecorded = errors.New("the frame is recorded")

// awaitRecord waits until a frame is recorded and then calls found. It returns without that if ctx ends.
func (s *Submission) awaitRecord(ctx context.Context, k int, found func()) {
	t := time.NewTicker(recordPause)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if d, err := s.cluster.Recorded(ctx, s.job, k); err == nil && d != nil {
				found()
				return
			}
		}
	}
}

// recordPause is the time between two checks whether a frame that is drawn here was recorded by somebody else.
const recordPause = time.Second

// noteDone records in this process that a frame was drawn.
func (s *Submission) noteDone(k int, d *cluster.Done) error {
	s.done[k] = d
	s.settled(1)
	return nil
}

// noteFailed records in this process that a frame failed for good.
func (s *Submission) noteFailed(k int, f *cluster.Failure) error {
	s.failed[k] = f
	s.settled(1)
	return nil
}

// noteRedrawn records that this process drew a frame.
func (s *Submission) noteRedrawn(k int, d *cluster.Done) {
	if s.redrawn == nil {
		s.redrawn = map[int]string{}
	}
	s.redrawn[k], s.done[k] = d.Hash, d
}

// SubmitterName is the name of the submitting process in records.
const SubmitterName = "submitter"
