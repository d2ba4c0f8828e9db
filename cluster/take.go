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
	job     Job
	frame   int
	message receipt
	since   time.Time // it was asked for
	again   bool      // it was another node's, or this one's, before
	tries   int       // this one included
	seconds float64   // that it took to draw
	drawn   bool      // what follows is no fault of the frame's
	release func()    // ends the renewal of its lease
}

// giveBack lets another node have a task that was not begun.
func (t *task) giveBack() error {
	t.release()
	return t.message.Nak()
}

// takeAhead bounds the time of frames during which a node takes the next one from the queue.
// That takes a millisecond or two where all cores draw. With longer frames little is to be
// gained, and a slow node would hold, at the end of a film, what another one could begin. With a
// single try none is taken ahead: it would have had that when the node ends.
const takeAhead = 250 * time.Millisecond

// taken is a task, or none, or why there is none.
type taken struct {
	task *task
	err  error
}

// take takes a task from the queue, once after, unless nil, is closed, and renews its lease from then on. The
// channel holds it, or no task if there is none for fetchWait.
func (n *node) take(queue *desk, job Job, after <-chan struct{}) <-chan taken {
	result := make(chan taken, 1)
	go func() {
		if after != nil {
			<-after
		}
		t, err := n.fetch(queue, job)
		result <- taken{t, err}
	}()
	return result
}

func (n *node) fetch(queue *desk, job Job) (*task, error) {
	m, err := queue.fetch()
	if m == nil || err != nil {
		return nil, err
	}
	frame, ok := frameOf(m.m.Subject)
	meta, err := m.m.Metadata()
	if !ok || frame >= job.Frames || err != nil {
		return nil, m.TermWithReason("no frame of this job")
	}
	return &task{job: job, frame: frame, message: m, since: m.asked.at, again: meta.NumDelivered > 1, tries: 1, release: n.holdLease(m, job.Lease)}, nil
}

// task draws a frame, unless that is done or was tried often enough, and begins its commit.
func (n *node) task(hard context.Context, t *task) error {
	if n.suspect(t) {
		if draw, err := n.check(hard, t); !draw {
			t.release()
			return err
		}
	}
	return n.drawTask(hard, t)
}

// doubtful is how many frames a node looks up before it draws them, after it got a connection, and
// after each that was done. A server that was killed has forgotten which frames it gave out in the last
// moments: it gives out all of these anew, one after the other, as if it were the first time.
const doubtful = 8

// suspect reports whether a frame may have been recorded before this node draws it.
func (n *node) suspect(t *task) bool {
	if lost := n.losses.count(); lost != n.lost {
		n.lost, n.doubts = lost, doubtful
	}
	m, ok := t.message.(*ticket)
	return t.again || n.doubts > 0 || ok && !m.ours()
}

// drawTask draws a frame and begins its commit.
func (n *node) drawTask(hard context.Context, t *task) error {
	ctx, done := t.job.within(hard)
	began := time.Now()
	n.busy.begin()
	picture, err := n.frames.Draw(ctx, t.frame)
	n.busy.end()
	err = blame(ctx, err)
	done()
	if err != nil {
		return n.finish(hard, t, err)
	}
	n.usual = time.Since(began)
	t.seconds = n.usual.Seconds()
	return n.commits.begin(hard, t, picture)
}

// check finds out what became of a task that a node may have had before. It returns whether its frame
// is to be drawn.
func (n *node) check(ctx context.Context, t *task) (draw bool, err error) {
	n.commits.waitFor(t.frame)
	looked := time.Now()
	if draw, err := n.unrecorded(ctx, t); !draw {
		return false, err
	}
	if t.again {
		// It may end this node: no other frame's commit shall be lost with it.
		n.commits.under.Wait()
		if draw, err := n.tryAgain(ctx, t); !draw {
			return false, err
		}
	}
	if time.Since(looked) > t.job.Lease/2 { // the answer was long on its way, or the server away
		return n.unrecorded(ctx, t)
	}
	return true, nil
}

// tryAgain counts a try of a frame, and gives it up where there were too many.
func (n *node) tryAgain(ctx context.Context, t *task) (draw bool, err error) {
	if t.tries, err = n.countTry(ctx, t); err != nil {
		return false, err
	}
	if t.tries <= t.job.Tries {
		return true, nil
	}
	return false, n.giveUp(ctx, t.job, t.frame, t.message, &Failure{Node: n.Name, Tries: t.tries - 1, Round: t.job.Round,
		Error: "every node that drew it ended or hung"})
}

// unrecorded returns whether there is no record of a frame. Where there is one, its node ended, or lost
// the server, before it said so.
func (n *node) unrecorded(ctx context.Context, t *task) (bool, error) {
	known, err := n.Recorded(ctx, t.job, t.frame)
	switch {
	case err != nil:
		return false, err
	case known != nil:
		n.doubts = doubtful
		return false, n.call(ctx, t.message.DoubleAck)
	}
	n.doubts = max(0, n.doubts-1)
	return true, nil
}

// countTry counts a try of a frame and returns how many there were. The queue's own count
// would do if nodes began every frame that they take: beside a frame that ends its nodes, the
// one that they had taken ahead would be given up as well. First tries need no record.
func (n *node) countTry(ctx context.Context, t *task) (tries int, err error) {
	key := fmt.Sprintf("%s.try.%d", frameKey(t.job.ID, t.frame), t.job.Round)
	tries = 1
	if err := n.get(ctx, failureStore, key, &tries); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, err
	}
	tries++
	return tries, n.put(ctx, failureStore, key, tries)
}

// retryDelay is before a frame that failed is drawn again, perhaps by another node.
const retryDelay = 200 * time.Millisecond
