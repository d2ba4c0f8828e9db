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

// A recurringError is an error of drawing that every node would meet. It implements
// cluster.Recurring.
type recurringError struct{ error }

// Unwrap returns the error itself.
func (e *recurringError) Unwrap() error { return e.error }

// Recurs implements cluster.Recurring.
func (e *recurringError) Recurs() bool { return true }

// judge marks an error that recurs. Those are the errors of the recipe, of the mesh and of a view of
// nothing: all nodes have the same recipe and files. What the system says of a file or a disk, and
// a limit of memory, may be another elsewhere or later, and so may any other error:
// that is tried again.
func markRecurring(err error) error {
	var (
		path   *fs.PathError
		number syscall.Errno
		limit  *scenes.LimitError
	)
	if errors.As(err, &path) || errors.As(err, &number) || errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var drawing *recipe.Error
	if errors.As(err, &drawing) {
		return &recurringError{err}
	}
	return err
}

// blankFrames is how many frames, spread over a film, show nothing before it is refused: the first
// that are drawn. One alone may be so, as where a camera passes through a mesh.
const blankFrames = 8

// Failed implements cluster.Follower. Of failures that recur, as their nodes say, the first one and
// those of the frames that a film begins with are tried here: a node may lie, or have a damaged copy
// of the mesh. Where this process fails in the same way the film is refused, unless the frame is only
// blank. What this process can draw it keeps.
func (f follower) Failed(k int, x *cluster.Failure) error {
	if !x.Recurs || f.retriedHere && !slices.Contains(f.firstFrames(), k) {
		return f.noteFailed(k, x)
	}
	f.retriedHere = true
	began := time.Now()
	picture, err := f.local.Draw(f.ctx, k)
	var recurs *recurringError
	switch {
	case err == nil:
		return f.replaceFailure(k, picture, time.Since(began))
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case !errors.As(err, &recurs):
	case !recipe.IsBlank(err):
		return &Refused{fmt.Errorf("%w (frame %d, and the same is to be expected of all others: the film is not drawn)", err, k)}
	default:
		if f.isBlank(k) {
			return &Refused{f.local.Input.Blank(fmt.Sprintf("nothing of it would be visible in any frame, by the %d that were drawn first", len(f.firstFrames())))}
		}
	}
	return f.noteFailed(k, x)
}

// isBlank notes a blank frame, and reports whether the frames are that a film begins with, which are
// spread over it.
func (s *Submission) isBlank(k int) bool {
	if s.blank == nil {
		s.blank = map[int]bool{}
	}
	s.blank[k] = true
	return !slices.ContainsFunc(s.firstFrames(), func(first int) bool { return !s.blank[first] })
}

// firstFrames returns the frames that are drawn first.
func (s *Submission) firstFrames() []int {
	return cluster.Order(s.job.Frames)[:min(blankFrames, s.job.Frames)]
}

// redeem keeps a picture of a frame that a node gave up.
func (f follower) replaceFailure(k int, picture []byte, took time.Duration) error {
	d := &cluster.Done{Hash: cluster.Hash(picture), Node: SubmitterName, Seconds: took.Seconds(), Bytes: len(picture)}
	if _, err := f.local.Save(f.ctx, k, picture); err != nil {
		return err
	}
	f.noteRedrawn(k, d)
	return cluster.WithRetries(f.ctx, cluster.TryTimeout, func(ctx context.Context) error { return f.cluster.ReplaceFailure(ctx, f.job, k, d) })
}

// result names the frames that are missing.
func (s *Submission) result() error {
	e := &Incomplete{Output: s.names.Output, Frames: s.job.Frames, Drawn: len(s.done), Failed: s.failed}
	e.Cancelled = len(s.done)+len(s.failed) < s.job.Frames
	if e.Cancelled || len(s.failed) > 0 {
		return e
	}
	return nil
}
