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

// A commit saves a picture and records its frame, while the node draws the next frame. Recording a frame and
// acknowledging it each cost a write to the server's disk. Together they take about as long as drawing a short frame.
// Only one commit runs at a time. If a node is killed, its running commit is lost and the frame is drawn again.
type commit struct {
	node    *node
	running sync.WaitGroup
	// frame is the frame of the running commit. If none is running, it is the frame of the latest commit.
	frame int
	// picture is a copy, because Draw reuses its slice.
	picture []byte
	// err is the error of the latest commit. Method wait returns it once and clears it.
	err error
	// saved is closed when the picture of the running commit is saved. A task is fetched ahead only after that. The
	// request for the task is then sent together with the record of the frame.
	saved chan struct{}
	// pendingAck is the lease of a recorded frame that is not acknowledged yet, or nil. The acknowledgement is sent
	// together with the next record. If the acknowledgement is lost, the queue gives out the frame again. The node that
	// gets the frame finds its record.
	pendingAck *lease
}

// wait waits for the running commit and returns its error. A second call returns nil.
func (c *commit) wait() error {
	c.running.Wait()
	err := c.err
	c.err = nil
	return err
}

// waitFor waits for the running commit if that commit is of the given frame.
func (c *commit) waitFor(frame int) {
	if c.frame == frame {
		c.running.Wait()
	}
}

// finish waits for the running commit and sends the pending acknowledgement. It is called before the node pauses.
func (c *commit) finish(ctx context.Context) error {
	err := c.wait()
	if c.pendingAck != nil {
		c.sendAck()
		// The node must not wait long for a server that cannot be reached.
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		err = errors.Join(err, c.node.nc.FlushWithContext(ctx))
	}
	return err
}

// begin waits for the previous commit, starts a new one with a copy of the picture, and returns the error of the
// previous one. abort is the context of Work.
func (c *commit) begin(abort context.Context, t *task, picture []byte) error {
	err := c.wait()
	c.picture = append(c.picture[:0], picture...)
	frames := c.node.frames
	t.drawn, c.frame = true, t.frame
	saved := make(chan struct{})
	c.saved = saved
	c.running.Go(func() {
		c.err = c.node.endTask(abort, t, c.node.commitPicture(abort, frames, t, c.picture, saved))
	})
	return err
}

// commitPicture saves a picture, closes the channel `saved`, and records the frame, unless another node has recorded
// it. It repeats each step until the step succeeds or abort ends. The frame has been drawn, so it did not cause these
// errors. If saving on this machine fails for savePatience, commitPicture gives up and returns a *saveError.
func (n *node) commitPicture(abort context.Context, frames Frames, t *task, picture []byte, saved chan<- struct{}) error {
	announceSaved := sync.OnceFunc(func() { close(saved) })
	defer announceSaved()
	var d *Done // nil until the picture is saved
	began, reported := time.Now(), false
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := n.awaitServer(abort)
		if err == nil && d == nil {
			if d, err = n.saveInTime(abort, frames, t, picture); d == nil && err == nil {
				return nil // the job is over
			}
		}
		if err == nil {
			announceSaved()
			n.commits.sendAck()
			err = n.record(abort, t.job, t.frame, d)
		}
		var notSaved *saveError
		switch {
		case err == nil || abort.Err() != nil:
			return err
		case errors.As(err, &notSaved) && time.Since(began) > n.savePatience:
			return err
		case !reported && n.Report != nil && n.nc.IsConnected(): // a lost connection has been reported already
			reported = true
			n.Report(t.job, -1, fmt.Errorf("frame %d is drawn and cannot be kept, and saving it is tried again: %w", t.frame, err))
		}
		if err := sleep(abort, pause); err != nil {
			return err
		}
	}
}

// Pauses of a node between attempts to save a picture. They double from the shortest to the longest.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 2 * time.Second
	// savePatience is how long a node tries to save a picture. After that it returns the frame to the queue, because
	// other nodes may be able to save the picture. It then takes no frame for savePause.
	savePatience = 15 * time.Second
	savePause    = 5 * time.Second
)

// A saveError is an error of Frames.Save, such as a full disk or a missing permission.
type saveError struct{ error }

// Unwrap returns the wrapped error.
func (e *saveError) Unwrap() error { return e.error }

// saveInTime calls save, and limits its time to Job.Timeout.
func (n *node) saveInTime(abort context.Context, frames Frames, t *task, picture []byte) (*Done, error) {
	ctx, done := t.job.withTimeout(abort)
	defer done()
	d, err := n.save(ctx, frames, t, picture)
	return d, causeOf(ctx, err)
}

// save saves a picture and returns the record for its frame. It does not save the picture if another node has recorded
// the frame. It returns nil if the job has ended or was cancelled.
func (n *node) save(ctx context.Context, frames Frames, t *task, picture []byte) (*Done, error) {
	certain := !t.redelivered && time.Since(t.requestedAt) <= t.job.Lease
	if !certain || time.Since(t.requestedAt) > cancelTime {
		if over, err := n.isOver(ctx, t.job.ID); over || err != nil {
			return nil, err
		}
	}
	var recorded *Done
	stored := false
	var err error
	if !certain { // the lease may have expired, and another node may have drawn the frame
		if recorded, err = n.Recorded(ctx, t.job, t.frame); err != nil {
			return nil, err
		}
	}
	if recorded == nil {
		if stored, err = n.saveOrUpload(ctx, frames, t, picture); err != nil {
			return nil, err
		}
	}
	d := &Done{Hash: Hash(picture), Node: n.Name, Seconds: t.seconds, Bytes: len(picture), Stored: stored}
	if file, ok := frames.(FileStater); ok && recorded == nil && !stored {
		d.FileState = file.FileState()
	}
	return d, nil
}

// cancelTime is the drawing time from which save checks whether the job has been cancelled. For faster frames the check
// would cost too much. Another film may write into the same files after a cancellation. If save overwrites a picture of
// that film, the other film notices at its end, when it compares all pictures with its records, and draws the frame
// again.
const cancelTime = 100 * time.Millisecond

// isOver reports whether pictures of a job need not be saved: it was cancelled, has ended or was deleted from the
// server.
func (n *node) isOver(ctx context.Context, id string) (bool, error) {
	job, err := n.Job(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return true, nil
	}
	return job.Cancelled || job.Finished != nil, err
}

// awaitServer waits for a connection without a time limit. A picture that was drawn while the server was away must be
// saved when the server is back.
func (n *node) awaitServer(ctx context.Context) error {
	for !n.nc.IsConnected() && !n.nc.IsClosed() {
		if err := sleep(ctx, reconnectWait/4); err != nil {
			return err
		}
	}
	return nil
}

// saveOrUpload saves a picture in the submitter's folder. If this machine has no access to the folder, it uploads the
// picture to the server and returns stored as true.
func (n *node) saveOrUpload(ctx context.Context, frames Frames, t *task, picture []byte) (stored bool, err error) {
	saved, err := frames.Save(ctx, t.frame, picture)
	if err != nil {
		return false, &saveError{err}
	}
	if saved {
		return false, nil
	}
	return true, n.putPicture(ctx, t.job, t.frame, picture)
}

// causeOf returns context.Cause(ctx) if err is not nil and ctx has ended. Otherwise it returns err.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// endTask ends the lease on a frame and tells the queue the result. A nil err means that the frame is recorded.
func (n *node) endTask(abort context.Context, t *task, err error) error {
	if err == nil {
		return n.commits.acknowledge(abort, t)
	}
	t.stopRenewal()
	if abort.Err() != nil { // this node is leaving, so another node may get the frame at once
		return errors.Join(abort.Err(), t.ack.Nak())
	}
	if t.drawn || errors.Is(err, ErrStale) {
		// The attempt does not count, because the frame did not cause the error.
		_, countErr := n.countTry(abort, t, -1)
		return errors.Join(err, countErr, t.ack.NakWithDelay(retryDelay))
	}
	if n.Report != nil {
		n.Report(t.job, t.frame, err)
	}
	recurring := recurs(err)
	if recurring || t.tries >= t.job.Tries {
		return n.giveUp(abort, t.job, t.frame, t.ack, &Failure{Node: n.Name, Tries: t.tries, Round: t.job.Round, Error: err.Error(), Recurs: recurring})
	}
	return t.ack.NakWithDelay(retryDelay)
}

// acknowledge ends the lease on a recorded frame. If the next record is expected soon, it stores the acknowledgement in
// pendingAck, to be sent together with that record.
func (c *commit) acknowledge(abort context.Context, t *task) error {
	t.stopRenewal()
	if m, ok := t.ack.(*lease); ok && time.Duration(t.seconds*float64(time.Second)) < min(takeAhead, t.job.Lease/framesPerLease) {
		c.sendAck()
		c.pendingAck = m
		return nil
	}
	return c.node.call(abort, t.ack.DoubleAck)
}

// framesPerLease limits the delay of acknowledgements. A frame's acknowledgement is delayed only if its drawing time is
// at most 1/framesPerLease of a lease.
const framesPerLease = 8

// sendAck sends the pending acknowledgement, if there is one.
func (c *commit) sendAck() {
	if c.pendingAck != nil {
		_ = c.pendingAck.Ack()
		c.pendingAck = nil
	}
}

// withTimeout returns a context for drawing one frame of the job.
func (j *Job) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, j.Timeout, fmt.Errorf("took longer than %v", j.Timeout))
}

// giveUp records a frame as failed and removes it from the queue.
func (n *node) giveUp(ctx context.Context, job Job, frame int, ack acknowledger, f *Failure) error {
	f.Error = truncate(f.Error)
	n.signer.sign(job.ID, frame, f)
	if err := n.Fail(ctx, job, frame, f); err != nil {
		return err
	}
	return ack.TermWithReason("given up")
}

// renewalsPerLease is the number of renewals within the duration of a lease. A renewal counts only if it is sent in the
// first half of the lease, see lease.isHeld. With 4 renewals, each renewal may be late by a quarter of the lease. With
// 3 renewals, each could be late by only a sixth of the lease. That was too little on busy machines.
const renewalsPerLease = 4

// renewLease renews the lease on a frame until release is called.
func (n *node) renewLease(ack acknowledger, duration time.Duration) (release func()) {
	if n.noHeartbeat {
		return func() {}
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		t := time.NewTicker(duration / renewalsPerLease)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				_ = ack.InProgress() // ignore the error: if the connection is lost, other calls handle that
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

// record records a frame. If another node has recorded it with a different hash, it stores a Fault.
func (n *node) record(ctx context.Context, job Job, frame int, d *Done) error {
	n.signer.sign(job.ID, frame, d)
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	err = n.withStore(ctx, doneStore, func(ctx context.Context, kv jetstream.KeyValue) error {
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
	return n.put(ctx, faultStore, frameKey(job.ID, frame)+"."+n.Name, Fault{Frame: frame, Done: *d})
}
