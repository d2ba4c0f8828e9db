package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/scenes"
)

// A recurringError is an error of drawing that every node would meet. It implements
// cluster.Recurring.
type recurringError struct{ error }

// Unwrap returns the error itself.
func (e *recurringError) Unwrap() error { return e.error }

// Recurs implements cluster.Recurring.
func (e *recurringError) Recurs() bool { return true }

// judge marks an error that recurs. Those are the errors of flags, of the mesh and of a view of
// nothing: all nodes have the same flags and files. What the system says of a file or a disk, and
// a limit of memory, may be another elsewhere or later, and so may what has no exit code of its
// own: that is tried again.
func judge(err error) error {
	var (
		path   *fs.PathError
		number syscall.Errno
		limit  *scenes.LimitError
	)
	if errors.As(err, &path) || errors.As(err, &number) || errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch cli.CodeOf(err) {
	case cli.Usage, cli.Input, cli.Blank:
		return &recurringError{err}
	}
	return err
}

// blankFrames is how many frames, spread over a film, show nothing before it is refused: the first
// that are drawn. One alone may be so, as where a camera passes through a mesh.
const blankFrames = 8

// A filmRefused is the end of a film of which no frame can be drawn.
type filmRefused struct{ error }

// Unwrap returns the reason, which has the exit code.
func (e *filmRefused) Unwrap() error { return e.error }

// Failed implements cluster.Follower. Of failures that recur, as their nodes say, the first one and
// those of the frames that a film begins with are tried here: a node may lie, or have a damaged copy
// of the mesh. Where this process fails in the same way the film is refused, unless the frame is only
// blank. What this process can draw it keeps.
func (f ctxFollower) Failed(k int, x *cluster.Failure) error {
	if !x.Recurs || f.doubted && !slices.Contains(f.firstFrames(), k) {
		return f.reel.Failed(k, x)
	}
	f.doubted = true
	began := time.Now()
	picture, err := f.own.Draw(f.ctx, k)
	var recurs *recurringError
	switch {
	case err == nil:
		return f.redeem(k, picture, time.Since(began))
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case !errors.As(err, &recurs):
	case cli.CodeOf(err) != cli.Blank:
		return &filmRefused{fmt.Errorf("%w (frame %d, and the same is to be expected of all others: the film is not drawn)", err, k)}
	default:
		if f.isBlank(k) {
			return &filmRefused{cli.Blankf("%s: nothing of it would be visible in any frame, by the %d that were drawn first", f.own.Input.Name, len(f.firstFrames()))}
		}
	}
	return f.reel.Failed(k, x)
}

// isBlank notes a blank frame, and reports whether the frames are that a film begins with, which are
// spread over it.
func (r *reel) isBlank(k int) bool {
	if r.blank == nil {
		r.blank = map[int]bool{}
	}
	r.blank[k] = true
	return !slices.ContainsFunc(r.firstFrames(), func(first int) bool { return !r.blank[first] })
}

// firstFrames returns the frames that are drawn first.
func (r *reel) firstFrames() []int {
	return cluster.Order(r.job.Frames)[:min(blankFrames, r.job.Frames)]
}

// redeem keeps a picture of a frame that a node gave up.
func (f ctxFollower) redeem(k int, picture []byte, took time.Duration) error {
	d := &cluster.Done{Hash: cluster.Hash(picture), Node: referee, Seconds: took.Seconds(), Bytes: len(picture)}
	if _, err := f.own.Keep(f.ctx, k, picture); err != nil {
		return err
	}
	f.note(k, d)
	return cluster.Persist(f.ctx, cluster.TryTime, func(ctx context.Context) error { return f.cluster.Redeem(ctx, f.job, k, d) })
}

// result names the frames that failed.
func (r *reel) result() error {
	status := len(r.done) + len(r.failed)
	switch {
	case status < r.job.Frames:
		return cli.Partialf("%s: the film was cancelled after %d of %s", r.names.Output, len(r.done), cli.Plural(int64(r.job.Frames), "frame"))
	case len(r.failed) == 0:
		return nil
	}
	var frames []int
	for k := range r.failed {
		frames = append(frames, k)
	}
	slices.Sort(frames)
	for _, k := range frames {
		f := r.failed[k]
		r.app.Progress.Clear()
		fmt.Fprintf(r.app.Stderr, "render: frame %d: %s (try %d, on node %s)\n", k, cli.OneLine(f.Error), f.Tries, f.Node)
	}
	return cli.Partialf("%s: %d of %s failed: %s; render film --retry draws them again",
		r.names.Output, len(frames), cli.Plural(int64(r.job.Frames), "frame"), joinRanges(frames))
}
