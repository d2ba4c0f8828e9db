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
	// Drawer says how this program draws. Nodes use its instruction set, its policy for redistributing work, and its
	// limits. They do not use its number of workers.
	Drawer recipe.Drawer
	// Files creates the picture files. If it is nil, the submission makes its own atomicfile.Set.
	Files *atomicfile.Set
	// OwnKey is the public key of the nodes that this program has started, see Node.Seed. It is empty if the program
	// has started no nodes. Pictures of these nodes are trusted, and not compared with pictures of this process.
	OwnKey string
	// ReplaceEarlier cancels earlier films whose pictures have the same names.
	ReplaceEarlier bool
	// Processes is the number of nodes for which a shared film waits before it starts. 0 means one.
	Processes int
	// When and How select the balancer of a shared film, see ownership.Options.
	When, How string
	// BlocksMoved, if not nil, receives a line for each change of owners in a shared film.
	BlocksMoved func(line string)
	// Begin is called before the first frame, with the number of all frames. Settled is called with the number of
	// frames that were drawn or failed since its previous call. Both may be nil.
	Begin   func(frames int)
	Settled func(frames int)
	// Submitted, if not nil, is called once the film is in the server's queue.
	Submitted func()
	// Warn, if not nil, receives warnings. Each warning is one line.
	Warn func(line string)
}

// A Submission is a film that has been opened by Open.
type Submission struct {
	Film

	options Options
	names   *framename.Names
	cluster *cluster.Cluster
	job     cluster.Job
	// id is a copy of the job's ID. Other goroutines read it while job may change.
	id string
	// width and height are the size of the pictures in pixels.
	width, height int
	// local draws frames in this process, to check the pictures of nodes.
	local *frames
	// trust holds, by key, the results of checking nodes that this process has not started, see trustOf.
	trust map[string]*trust
	// blocked holds the nodes whose pictures were wrong.
	blocked map[cluster.Author]bool
	// distrusts counts the rounds of drawing that were caused by faulty nodes on other machines.
	distrusts int

	// redrawn holds the hashes of the pictures that this process drew, by frame.
	redrawn map[int]string
	// kept describes the picture files that this process saved, by frame. See isIntact.
	kept map[int]keptFile
	// blank holds the frames that show nothing, as both a node and this process have found when they drew them.
	blank map[int]bool
	// retriedHere is set once this process has tried to draw a frame that failed on a node.
	retriedHere bool
	done        map[int]*cluster.Done
	failed      map[int]*cluster.Failure
	// heldWarned is set once the user was warned that nodes hold tasks too long.
	heldWarned bool
	// dropped holds frames that this process has stopped drawing, because another process had recorded them.
	dropped map[int]bool
	owners  ownerView // which node owns which block, for the status page
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

func (s *Submission) reportSettled(frames int) {
	if s.options.Settled != nil {
		s.options.Settled(frames)
	}
}

// unstableError returns the error for a film whose picture files other programs keep changing.
func (s *Submission) unstableError() error {
	return &atomicfile.Error{File: s.names.Output, Err: errUnstable}
}

// A follower is a Submission together with the context of its methods. It implements cluster.Keeper.
type follower struct {
	ctx context.Context
	*Submission
}

// Queued implements cluster.Keeper.
func (f follower) Queued(frames int) {
	f.warn("%d frames were neither in the queue nor drawn, and are in the queue again: the server lost them, or somebody removed them", frames)
}

// Held implements cluster.Keeper. It returns true only if nodes of other programs may draw the film. Nodes that this
// program has started do not hold tasks on purpose, and they share the cores with this process.
func (f follower) Held(frames int) bool {
	if f.Open && !f.heldWarned {
		f.heldWarned = true
		f.warn("%d frames were taken by nodes long ago and are not drawn: they are drawn here", frames)
	}
	return f.Open
}

// Draw implements cluster.Keeper. If another process records the frame meanwhile, Draw stops. It stops only once for
// each frame. Otherwise a node that adds and removes a record could keep the frame from ever being drawn.
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

// errRecorded is the cause with which drawing a frame is cancelled when another process has recorded the frame.
var errRecorded = errors.New("the frame is recorded")

// awaitRecord waits until a frame is recorded, and then calls the function `found`. If ctx ends first, it calls
// nothing.
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

// recordPause is how often a process that draws a frame checks whether another process has recorded the frame.
const recordPause = time.Second

// noteDone notes that a frame was drawn.
func (s *Submission) noteDone(k int, d *cluster.Done) error {
	s.done[k] = d
	s.reportSettled(1)
	return nil
}

// noteFailed notes that a frame failed for good.
func (s *Submission) noteFailed(k int, f *cluster.Failure) error {
	s.failed[k] = f
	s.reportSettled(1)
	return nil
}

// noteRedrawn notes that this process itself drew a frame.
func (s *Submission) noteRedrawn(k int, d *cluster.Done) {
	if s.redrawn == nil {
		s.redrawn = map[int]string{}
	}
	s.redrawn[k], s.done[k] = d.Hash, d
}

// SubmitterName is the name of the submitting process in records.
const SubmitterName = "submitter"
