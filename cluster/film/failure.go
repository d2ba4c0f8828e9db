package film

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"lockstep/cluster"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

var (
	// errUnstable means that other programs kept changing picture files, even after several rounds of drawing.
	// Submission.Draw returns it.
	errUnstable = errors.New("frames are changed or removed while the film is drawn")
	// errNoPicture means that a picture is invalid or missing, and that this process has to draw the frame itself.
	errNoPicture = errors.New("no picture")
	// errFilmCancelled is the cause with which the context of a shared film is cancelled if another process cancels the
	// film.
	errFilmCancelled = errors.New("the film was cancelled")
)

// An Incomplete is returned by Submission.Draw when frames of the film are missing.
type Incomplete struct {
	Output    string // same as Film.Output
	Frames    int
	Drawn     int
	Cancelled bool                     // the job was cancelled
	Failed    map[int]*cluster.Failure // failures, by frame
}

// Error returns how many frames are missing and why.
func (e *Incomplete) Error() string {
	if e.Cancelled {
		return fmt.Sprintf("%s: the film was cancelled after %d of %d frames", e.Output, e.Drawn, e.Frames)
	}
	return fmt.Sprintf("%s: %d of %d frames failed", e.Output, len(e.Failed), e.Frames)
}

// A Refused is returned by Submission.Draw when no frame of the film can be drawn.
type Refused struct{ Err error }

// Error returns the reason.
func (e *Refused) Error() string { return e.Err.Error() }

// Unwrap returns the reason, which wraps a recipe.Error.
func (e *Refused) Unwrap() error { return e.Err }

// A recurringError is an error that every node would meet if it drew the frame. It implements cluster.Recurring.
type recurringError struct{ error }

// Unwrap returns the wrapped error.
func (e *recurringError) Unwrap() error { return e.error }

// Recurs implements cluster.Recurring.
func (e *recurringError) Recurs() bool { return true }

// markRecurring returns a recurringError if every node would meet the same error. Errors of the recipe, of the mesh and
// of an empty view recur, because all nodes have the same recipe and files. Other errors are returned unchanged: errors
// of the operating system, of memory limits, and of files that changed on this machine. Another node or a later attempt
// may not meet them.
func markRecurring(err error) error {
	var (
		path   *fs.PathError
		number syscall.Errno
		limit  *scenes.LimitError
	)
	if errors.Is(err, cluster.ErrStale) {
		return err
	}
	if errors.As(err, &path) || errors.As(err, &number) || errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var drawing *recipe.Error
	if errors.As(err, &drawing) {
		return &recurringError{err}
	}
	return err
}

// blankFrames is a number of frames. A film is refused if its first blankFrames frames in drawing order, which are
// spread over the film, are all blank: they show nothing. A single frame may well be blank, for example if the camera
// passes through the mesh.
const blankFrames = 8

// Failed implements cluster.Follower. The node may be faulty or have a damaged copy of the mesh. So this process tries
// to draw some of the failed frames itself:
//
//   - the first frame that, according to its node, fails on every node,
//   - later frames of this kind that are among firstFrames,
//   - the frames whose failure another machine may have invented, see mayBeInvented.
//
// If the frame can be drawn here, the picture drawn here is used. If drawing fails here too, with an error that every
// node would meet, the film is refused. A frame that is only blank does not end the film.
func (f follower) Failed(k int, x *cluster.Failure) error {
	suspect := f.mayBeInvented(k, x)
	if !suspect && (!x.Recurs || f.retriedHere && !slices.Contains(f.firstFrames(), k)) {
		return f.noteFailed(k, x)
	}
	if x.Recurs {
		f.retriedHere = true
	}
	began := time.Now()
	picture, err := f.local.Draw(f.ctx, k)
	var recurs *recurringError
	switch {
	case err == nil:
		if author := x.Author(f.id, k); suspect && f.isCertain(author) {
			f.trustOf(author).wrongFailure = true
		}
		return f.replaceFailure(k, picture, time.Since(began))
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case !errors.As(err, &recurs):
	case !recipe.IsBlank(err):
		return &Refused{fmt.Errorf("%w (frame %d, and the same is to be expected of all others: the film is not drawn)", err, k)}
	default:
		if f.noteBlank(k) {
			return &Refused{f.local.Input.Blank(fmt.Sprintf("nothing of it would be visible in any frame, by the %d that were drawn first", len(f.firstFrames())))}
		}
	}
	return f.noteFailed(k, x)
}

// mayBeInvented reports whether a node may have invented a failure, so that this process should try the frame. The
// program's own nodes invent no failures. Another machine may have invented a failure if its author is uncertain, or if
// other nodes would not meet it. Of all other failures, countFailure chooses some.
func (s *Submission) mayBeInvented(k int, x *cluster.Failure) bool {
	author := x.Author(s.id, k)
	switch {
	case s.isOwn(author):
		return false
	case !s.isCertain(author) || !x.Recurs:
		return true
	}
	return s.trustOf(author).countFailure()
}

// noteBlank notes that frame k shows nothing. It reports whether all of the first blankFrames frames are blank.
func (s *Submission) noteBlank(k int) bool {
	if s.blank == nil {
		s.blank = map[int]bool{}
	}
	s.blank[k] = true
	return !slices.ContainsFunc(s.firstFrames(), func(first int) bool { return !s.blank[first] })
}

// firstFrames returns the first blankFrames frames in drawing order.
func (s *Submission) firstFrames() []int {
	return cluster.Order(s.job.Frames)[:min(blankFrames, s.job.Frames)]
}

// replaceFailure saves and records the picture of a frame that failed on a node.
func (f follower) replaceFailure(k int, picture []byte, took time.Duration) error {
	d := &cluster.Done{Hash: cluster.Hash(picture), Node: SubmitterName, Seconds: took.Seconds(), Bytes: len(picture)}
	if err := f.keepPicture(f.ctx, k, d.Hash, picture); err != nil {
		return err
	}
	f.noteRedrawn(k, d)
	return cluster.WithRetries(f.ctx, cluster.TryTimeout, func(ctx context.Context) error { return f.cluster.ReplaceFailure(ctx, f.job, k, d) })
}

// incompleteError returns an Incomplete if frames are missing.
func (s *Submission) incompleteError() error {
	e := &Incomplete{Output: s.names.Output, Frames: s.job.Frames, Drawn: len(s.done), Failed: s.failed}
	e.Cancelled = len(s.done)+len(s.failed) < s.job.Frames
	if e.Cancelled || len(s.failed) > 0 {
		return e
	}
	return nil
}
