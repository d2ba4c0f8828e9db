package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A commit is a picture on its way into its folder and the records. A node draws the next
// frame meanwhile: a record and an acknowledgement are one write to the server's disk each,
// together as long as a short frame takes. There is one at a time, because what is on its way
// when a node is killed is drawn again.
type commit struct {
	node    *node
	under   sync.WaitGroup
	frame   int    // that is under way, or was last
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

// waitFor waits for a frame that is under way.
func (c *commit) waitFor(frame int) {
	if c.frame == frame {
		c.under.Wait()
	}
}

// end waits for the last commit before a pause, and tells the queue of it.
func (c *commit) end(ctx context.Context) error {
	err := c.wait()
	if c.done != nil {
		c.tellDone()
		ctx, cancel := context.WithTimeout(ctx, answerTime) // a server that is away is not told
		defer cancel()
		err = errors.Join(err, c.node.nc.FlushWithContext(ctx))
	}
	return err
}

// begin waits for the commit before, whose error it returns, and begins one. It copies the
// picture. hard is that of Work.
func (c *commit) begin(hard context.Context, t *task, picture []byte) error {
	err := c.wait()
	c.picture = append(c.picture[:0], picture...)
	frames := c.node.frames
	t.drawn, c.frame = true, t.frame
	kept := make(chan struct{})
	c.kept = kept
	c.under.Go(func() {
		c.err = c.node.finish(hard, t, c.node.commit(hard, frames, t, c.picture, kept))
	})
	return err
}

// commit keeps a picture and records it, unless another node recorded the frame meanwhile.
// It closes kept between the two. To be kept a picture has the time of a frame. That in which the server
// is away is no fault of the frame's.
func (n *node) commit(hard context.Context, frames Frames, t *task, picture []byte, kept chan<- struct{}) error {
	keeping := sync.OnceFunc(func() { close(kept) })
	defer keeping()
	if err := n.awaitServer(hard); err != nil {
		return err
	}
	ctx, done := t.job.within(hard)
	d, err := n.secure(ctx, frames, t, picture)
	err = blame(ctx, err)
	done()
	if d == nil || err != nil {
		return err
	}
	if err := n.awaitServer(hard); err != nil {
		return err
	}
	keeping()
	n.commits.tellDone()
	return n.record(hard, t.job, t.frame, d)
}

// secure keeps a picture unless its frame is recorded, and returns what to record, nil if nobody wants it.
func (n *node) secure(ctx context.Context, frames Frames, t *task, picture []byte) (*Done, error) {
	sure := !t.again && time.Since(t.since) <= t.job.Lease
	if !sure || time.Since(t.since) > cancelTime {
		if over, err := n.isOver(ctx, t.job.ID); over || err != nil {
			return nil, err
		}
	}
	var known *Done
	stored := false
	var err error
	if !sure { // another node may have drawn it
		if known, err = n.Recorded(ctx, t.job, t.frame); err != nil {
			return nil, err
		}
	}
	if known == nil {
		if stored, err = n.keep(ctx, frames, t, picture); err != nil {
			return nil, err
		}
	}
	d := &Done{Hash: Hash(picture), Node: n.Name, Seconds: t.seconds, Bytes: len(picture), Stored: stored}
	if file, ok := frames.(Filer); ok && known == nil && !stored {
		d.File = file.File()
	}
	return d, nil
}

// cancelTime is how long a frame may take until its job is looked at before its picture is kept: the
// job may have been cancelled meanwhile, and another film draw into the same files. What a shorter frame
// overwrites is drawn again when the other film's pictures are compared at its end.
const cancelTime = 100 * time.Millisecond

// isOver reports whether a job was cancelled, has ended or was removed from the server, so that its pictures need not be kept.
func (n *node) isOver(ctx context.Context, id string) (bool, error) {
	job, err := n.Job(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return true, nil
	}
	return job.Cancelled || job.Finished != nil, err
}

// awaitServer waits for a connection, without a limit. Calls give up sooner, but a picture that was
// drawn while the server was away must be kept until it is back.
func (n *node) awaitServer(ctx context.Context) error {
	for !n.nc.IsConnected() && !n.nc.IsClosed() {
		if err := sleep(ctx, reconnectWait/4); err != nil {
			return err
		}
	}
	return nil
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
	recurring := !t.drawn && recurs(err)
	if recurring || t.tries >= t.job.Tries {
		return n.giveUp(hard, t.job, t.frame, t.message, &Failure{Node: n.Name, Tries: t.tries, Round: t.job.Round, Error: err.Error(), Recurs: recurring})
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

// giveUp records that a frame failed and takes it out of the queue.
func (n *node) giveUp(ctx context.Context, job Job, frame int, m receipt, f *Failure) error {
	if err := n.Fail(ctx, job, frame, f); err != nil {
		return err
	}
	return m.TermWithReason("given up")
}

// holdLease renews the lease on a frame until release is called.
func (n *node) holdLease(m receipt, lease time.Duration) (release func()) {
	if n.noHeartbeat {
		return func() {}
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		t := time.NewTicker(lease / 3)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				_ = m.InProgress() // a lost connection is met by what follows
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

// record records a picture unless another node was first, whose hash must be the same.
func (n *node) record(ctx context.Context, job Job, frame int, d *Done) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	err = n.with(ctx, doneStore, func(ctx context.Context, kv jetstream.KeyValue) error {
		_, err := kv.Create(ctx, frameKey(job.ID, frame), b)
		return err
	})
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	first, err := n.Recorded(ctx, job, frame)
	if err != nil || first == nil || first.Hash == d.Hash {
		return err
	}
	return n.put(ctx, faultStore, frameKey(job.ID, frame)+"."+n.Name, Fault{Frame: frame, Hash: d.Hash, Node: n.Name})
}
