package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A task is a frame that a node took from the queue.
type task struct {
	job   Job
	frame int
	ack   acknowledger
	// requestedAt is when the node requested the lease.
	requestedAt time.Time
	// redelivered is set if the queue gave out the frame before, to this node or another.
	redelivered bool
	// tries counts the attempts to draw the frame, including this one.
	tries   int
	seconds float64 // drawing time
	// drawn is set when the picture exists. An error after that concerns saving and is not a failure of the frame.
	drawn       bool
	stopRenewal func()
}

// giveBack returns the task to the queue. The node has not started it.
func (t *task) giveBack() error {
	t.stopRenewal()
	return t.ack.Nak()
}

// takeAhead is the drawing time below which a node fetches its next task before the current frame is done. Fetching a
// task takes one or two milliseconds while all cores draw, so slower frames would gain little. At the end of a film, a
// slow node would also hold a task that another node could start.
//
// In jobs that allow only one try, no task is fetched ahead. Otherwise a node that is killed would use up the only try
// of a frame that it has not started.
const takeAhead = 250 * time.Millisecond

// A fetchResult is the result of startFetch. Both fields are nil if the queue was empty.
type fetchResult struct {
	task *task
	err  error
}

// startFetch fetches a task in the background, and starts to renew its lease. If the channel `after` is not nil,
// startFetch first waits until it is closed. The result has no task if the queue was empty for fetchWait.
func (n *node) startFetch(requester *requester, job Job, after <-chan struct{}) <-chan fetchResult {
	result := make(chan fetchResult, 1)
	go func() {
		if after != nil {
			<-after
		}
		t, err := n.fetchTask(requester, job)
		result <- fetchResult{t, err}
	}()
	return result
}

func (n *node) fetchTask(requester *requester, job Job) (*task, error) {
	m, err := requester.fetch()
	if m == nil || err != nil {
		return nil, err
	}
	frame, ok := frameOf(m.msg.Subject)
	meta, err := m.msg.Metadata()
	if !ok || frame >= job.Frames || err != nil {
		return nil, m.TermWithReason("no frame of this job")
	}
	return &task{job: job, frame: frame, ack: m, requestedAt: m.request.sentAt, redelivered: meta.NumDelivered > 1, tries: 1, stopRenewal: n.renewLease(m, job.Lease)}, nil
}

// process draws a frame and starts its commit. It skips a frame that is already recorded or has been tried too many
// times.
func (n *node) process(abort context.Context, t *task) error {
	if n.needsRecheck(t) {
		if draw, err := n.recheck(abort, t); !draw {
			t.stopRenewal()
			return err
		}
	}
	if t.job.Tries == 1 && !t.redelivered {
		if draw, err := n.countFirstTry(abort, t); !draw {
			t.stopRenewal()
			return err
		}
	}
	return n.drawTask(abort, t)
}

// countFirstTry counts the first attempt at a frame. It returns false if the frame has been recorded meanwhile.
func (n *node) countFirstTry(abort context.Context, t *task) (draw bool, err error) {
	began := time.Now()
	if err := n.putTry(abort, t, 1); err != nil {
		return false, err
	}
	if time.Since(began) > t.job.Lease/2 {
		return n.isStillUnrecorded(abort, t)
	}
	return true, nil
}

// isStillUnrecorded calls ackIfRecorded until the server answers. The attempt has been counted, so giving up without an
// answer would use up a try without drawing the frame.
func (n *node) isStillUnrecorded(abort context.Context, t *task) (draw bool, err error) {
	err = n.untilAnswered(abort, func() (err error) {
		draw, err = n.ackIfRecorded(abort, t)
		return err
	})
	return draw, err
}

// tryKey returns the store's key under which a node counts its attempts at a frame. The server maps it to a different
// key for each account.
func tryKey(t *task) string { return frameKey(t.job.ID, t.frame) + ".try" }

// recheckFrames is how many frames a node looks up in the records before it draws them. The count starts again when the
// node has connected, and when it has found a record. The reason is that a killed server has forgotten which frames it
// gave out last. It gives these frames out again one after the other, as if for the first time.
const recheckFrames = 8

// needsRecheck reports whether a frame may already be recorded.
func (n *node) needsRecheck(t *task) bool {
	if lost := n.state.lossCount(); lost != n.lossesSeen {
		n.lossesSeen, n.rechecks = lost, recheckFrames
	}
	m, ok := t.ack.(*lease)
	return t.redelivered || n.rechecks > 0 || ok && !m.isHeld()
}

// drawTask draws a frame and starts its commit.
func (n *node) drawTask(abort context.Context, t *task) error {
	ctx, done := t.job.withTimeout(abort)
	began := time.Now()
	n.busy.begin()
	picture, err := n.frames.Draw(ctx, t.frame)
	n.busy.end()
	err = causeOf(ctx, err)
	done()
	if err != nil {
		ended := n.endTask(abort, t, err)
		if errors.Is(err, ErrStale) {
			n.close()
		}
		return ended
	}
	n.lastDrawTime = time.Since(began)
	t.seconds = n.lastDrawTime.Seconds()
	return n.commits.begin(abort, t, picture)
}

// recheck looks up whether a frame that may have been given out before is still to be drawn. If it is, and the frame
// was redelivered, recheck counts the attempt.
func (n *node) recheck(ctx context.Context, t *task) (draw bool, err error) {
	n.commits.waitFor(t.frame)
	looked := time.Now()
	if draw, err := n.ackIfRecorded(ctx, t); !draw {
		return false, err
	}
	if t.redelivered {
		// Drawing the frame may crash this node, so the commit of the previous frame is finished first.
		n.commits.running.Wait()
		if draw, err := n.takeTry(ctx, t); !draw {
			return false, err
		}
	}
	if time.Since(looked) > t.job.Lease/2 { // the lookup took long, perhaps because the server could not be reached
		return n.isStillUnrecorded(ctx, t)
	}
	return true, nil
}

// takeTry counts an attempt at a frame. If there were too many, it records the frame as failed and returns false.
func (n *node) takeTry(ctx context.Context, t *task) (draw bool, err error) {
	if t.tries, err = n.countTry(ctx, t, 1); err != nil {
		return false, err
	}
	if t.tries <= t.job.Tries {
		return true, nil
	}
	if draw, err := n.awaitRecord(ctx, t); !draw {
		return false, err
	}
	return false, n.giveUp(ctx, t.job, t.frame, t.ack, &Failure{Node: n.Name, Tries: t.tries - 1, Round: t.job.Round,
		Error: "every node that drew it ended or hung"})
}

// awaitRecord waits for a record of a frame that is about to be recorded as failed, because a node that was cut off
// from the server may still have the picture. It returns draw as false if a record has arrived.
func (n *node) awaitRecord(ctx context.Context, t *task) (draw bool, err error) {
	for end := time.Now().Add(leasesUntilLost * t.job.Lease); ; {
		if draw, err := n.ackIfRecorded(ctx, t); !draw || time.Now().After(end) {
			return draw, err
		}
		if err := sleep(ctx, t.job.Lease/2); err != nil {
			return false, err
		}
	}
}

// leasesUntilLost is how long, in leases, a node that has the picture of a frame may be cut off from the server. After
// that, the attempt counts as failed. With the default lease this is 20 seconds. Restoring a connection that was cut
// silently takes that long.
const leasesUntilLost = 4

// ackIfRecorded returns draw as true if a frame has no record. If there is a record, the node that wrote it ended or
// lost the server before it acknowledged the task. In that case ackIfRecorded acknowledges the task and returns draw as
// false.
func (n *node) ackIfRecorded(ctx context.Context, t *task) (draw bool, err error) {
	recorded, err := n.Recorded(ctx, t.job, t.frame)
	switch {
	case err != nil:
		return false, err
	case recorded != nil:
		n.rechecks = recheckFrames
		return false, n.call(ctx, t.ack.DoubleAck)
	}
	n.rechecks = max(0, n.rechecks-1)
	return true, nil
}

// An attempts record counts how many times the nodes of one key have tried to draw a frame. The server keeps one record
// for each frame and key. A write for each frame would be expensive, so the record includes the very first attempt only
// in jobs that allow one try.
type attempts struct {
	Count int `json:"count"`
	// Signature is made with the node's key. It is empty if the node has none.
	Signature
}

func (a *attempts) signedFields() string { return fmt.Sprintf("attempts %d", a.Count) }
func (a *attempts) node() string         { return "" }

// countTry adds `change` to the number of attempts that is recorded for this node's key. It returns the number of
// attempts of all nodes at the frame. All attempts of another key together count as at most one attempt. So no node can
// use up all tries of a frame.
//
// The queue's own count of deliveries would be too high. If a frame crashes a node, the tasks that the node had fetched
// ahead were delivered, but never started.
func (n *node) countTry(ctx context.Context, t *task, change int) (tries int, err error) {
	key := tryKey(t)
	keys, err := n.keys(ctx, failureStore, key+".>")
	if err != nil {
		return 0, err
	}
	var own *attempts
	others := 0
	for _, k := range append(keys, key) {
		var a attempts
		err := n.get(ctx, failureStore, k, &a)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, errMalformed):
		case err != nil:
			return 0, err
		case n.isOwnRecord(t, &a):
			if own == nil || own.Count < a.Count { // another node may have stored a copy of an earlier record
				own = &a
			}
		default:
			others += max(-1, min(1, a.Count))
		}
	}
	if own == nil {
		own = new(attempts)
	}
	own.Count += change
	first := 1
	// own.Count includes the first attempt, unless the node lost the server before it could count it
	if t.job.Tries == 1 {
		first = 0
	}
	return max(1, first+own.Count+others), n.putTry(ctx, t, own.Count)
}

// isOwnRecord reports whether a node with this node's key wrote the record. Without a check of the signature, another
// node could write a record with the name of this key and so use up the tries.
func (n *node) isOwnRecord(t *task, a *attempts) bool {
	return a.Key == n.signer.public && (a.Key == "" || isSigned(t.job.ID, t.frame, a))
}

// putTry writes the attempts of this node. It waits until the server answers, because the server may have stored the
// attempt without answering. Such an attempt would count although the frame was not drawn.
func (n *node) putTry(abort context.Context, t *task, count int) error {
	a := &attempts{Count: count}
	n.signer.sign(t.job.ID, t.frame, a)
	return n.untilAnswered(abort, func() error { return n.put(abort, failureStore, tryKey(t), a) })
}

// untilAnswered calls f until the server answers. f must be safe to repeat.
func (n *node) untilAnswered(abort context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || abort.Err() != nil || !isUnanswered(err) {
			return err
		}
		if err := sleep(abort, reconnectWait); err != nil {
			return err
		}
		if err := n.awaitServer(abort); err != nil {
			return err
		}
	}
}

// retryDelay is how long the queue waits before it gives out a failed frame again.
const retryDelay = 200 * time.Millisecond
