package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A commit is a picture on its way into its folder and the records. A node draws the next
// frame meanwhile: a record and an acknowledgement are one write to the server's disk each,
// together as long as a short frame takes. There is one at a time, because what is on its way
// when a node is killed is drawn again.
type commit struct {
	node    *node
	under   sync.WaitGroup
	picture []byte // a copy: Draw uses its own again
	err     error  // of the last one, nil once wait has returned it
	// kept is closed when a commit's picture is kept. The next task is asked for then, so that
	// its request travels with the record.
	kept chan struct{}
	// done is a frame of which the queue does not know yet that it is recorded: that travels with
	// the next record, too. If it gets lost, the next node finds the record.
	done *ticket
}

// wait waits for the commit that is under way and returns its error, once.
func (c *commit) wait() error {
	c.under.Wait()
	err := c.err
	c.err = nil
	return err
}

// end waits for the last commit before a pause, and tells the queue of it.
func (c *commit) end() error {
	err := c.wait()
	if c.done != nil {
		c.tellDone()
		err = errors.Join(err, c.node.nc.Flush())
	}
	return err
}

// begin waits for the commit before, whose error it returns, and begins one. It copies the
// picture. ctx bounds the commit, and done is called at its end; hard is that of Work.
func (c *commit) begin(hard, ctx context.Context, done func(), t *task, picture []byte) error {
	err := c.wait()
	c.picture = append(c.picture[:0], picture...)
	frames := c.node.frames
	t.drawn = true
	kept := make(chan struct{})
	c.kept = kept
	c.under.Go(func() {
		defer done()
		err := c.node.commit(ctx, frames, t, c.picture, kept)
		c.err = c.node.finish(hard, t, blame(ctx, err))
	})
	return err
}

// commit keeps a picture and records it, unless another node recorded the frame meanwhile.
// It closes kept between the two.
func (n *node) commit(ctx context.Context, frames Frames, t *task, picture []byte, kept chan<- struct{}) error {
	keeping := sync.OnceFunc(func() { close(kept) })
	defer keeping()
	stored := false
	var known *Done
	var err error
	if t.again || time.Since(t.since) > t.job.Lease { // another node may have drawn it
		if known, err = n.Recorded(ctx, t.job, t.frame); err != nil {
			return err
		}
	}
	if known == nil {
		if stored, err = n.keep(ctx, frames, t, picture); err != nil {
			return err
		}
	}
	d := &Done{Hash: Hash(picture), Node: n.Name, Seconds: t.seconds, Bytes: len(picture), Stored: stored}
	if file, ok := frames.(Filer); ok && known == nil && !stored {
		d.File = file.File()
	}
	keeping()
	n.commits.tellDone()
	return n.record(ctx, t.job, t.frame, d)
}

// keep stores a picture in the submitter's folder or on the server.
func (n *node) keep(ctx context.Context, frames Frames, t *task, picture []byte) (stored bool, err error) {
	kept, err := frames.Keep(ctx, t.frame, picture)
	if kept || err != nil {
		return false, err
	}
	return true, n.putPicture(ctx, t.job, t.frame, picture)
}

// blame returns the error of what ctx ended, or err.
func blame(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// finish ends the lease on a frame and says what became of it: err is nil, or why it was
// not drawn.
func (n *node) finish(hard context.Context, t *task, err error) error {
	if err == nil {
		return n.commits.recorded(hard, t)
	}
	t.release()
	if hard.Err() != nil { // this node is leaving: another one may begin at once
		return errors.Join(hard.Err(), t.message.Nak())
	}
	if n.Report != nil {
		n.Report(t.job, t.frame, err)
	}
	if t.tries >= t.job.Tries {
		return n.giveUp(hard, t.job, t.frame, t.message, &Failure{Node: n.Name, Tries: t.tries, Round: t.job.Round, Error: err.Error()})
	}
	return t.message.NakWithDelay(retryDelay)
}

// recorded ends the lease on a frame that is recorded. The queue is told at once, or, where the
// next record follows soon, with that.
func (c *commit) recorded(hard context.Context, t *task) error {
	t.release()
	if m, ok := t.message.(*ticket); ok && time.Duration(t.seconds*float64(time.Second)) < min(takeAhead, t.job.Lease/soon) {
		c.tellDone()
		c.done = m
		return nil
	}
	return c.node.call(hard, t.message.DoubleAck)
}

// soon is how many frames as long as the last one there must be in a lease for it to wait.
const soon = 8

// tellDone tells the queue of the frame of which it does not know yet.
func (c *commit) tellDone() {
	if c.done != nil {
		_ = c.done.Ack()
		c.done = nil
	}
}

// within returns a context for one frame of a job.
func (j *Job) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, j.Timeout, fmt.Errorf("took longer than %v", j.Timeout))
}
