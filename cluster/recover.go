package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The queue is not needed to know which frames must be drawn: all frames of the job that are neither recorded nor
// failed. Tasks or records may be lost for any reason. Follow detects losses by comparing the queue with the records,
// and queues the missing frames again.

// A Keeper is a Follower with which Follow replaces lost tasks and records. Only the job's submitter may be a Keeper.
type Keeper interface {
	Follower
	// Queued receives the number of frames that were missing in both the queue and the records, and were queued again.
	Queued(frames int)
	// Held receives the number of held frames: nodes took their tasks long ago and have not drawn them. If Held returns
	// true, Draw is called for these frames.
	Held(frames int) (draw bool)
	// Draw draws and records a frame. It returns false if another process recorded the frame meanwhile.
	Draw(frame int) (drawn bool, err error)
}

const (
	// quietTime is the time without a new record after which the queue is compared with the records.
	quietTime = 2 * time.Second
	// The pause between two comparisons is compareShare times the duration of the last comparison, because each
	// comparison lists the whole queue of the job. The pause is at least comparePause and at most comparePauseMost.
	comparePause     = time.Second
	compareShare     = 10
	comparePauseMost = 10 * time.Second
)

// requeueLost calls requeueMissing if no record has arrived for quietTime. Then it lets the Keeper draw held frames.
func (f *followState) requeueLost(ctx context.Context) error {
	keeper, ok := f.follower.(Keeper)
	if f.noteProgress() || !ok || time.Since(f.quietSince) < quietTime || time.Now().Before(f.compareAt) {
		return nil
	}
	calls, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	s, err := f.requeueMissing(calls, keeper)
	f.compareAt = time.Now().Add(min(max(comparePause, compareShare*time.Since(began)), comparePauseMost))
	if s == nil || err != nil {
		return err
	}
	return f.drawHeld(ctx, keeper, s)
}

// requeueMissing queues all frames again that are in neither the queue nor the records. It returns the records, or nil
// if nothing can be compared now. It reads the queue before the records, because a node writes the record before it
// acknowledges the task. So a frame that is finished between the two readings cannot be missing from both.
func (f *followState) requeueMissing(ctx context.Context, keeper Keeper) (*Status, error) {
	losses := f.queue.state.lossCount()
	queued, _, err := f.queue.subjects(ctx, frameStream, frameStream+"."+f.id+".", "*")
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, f.queue.Prepare(ctx, f.queue.limits) // the next comparison queues the frames
	}
	if err != nil {
		return nil, err
	}
	s, err := f.queue.Status(ctx, f.id)
	if err != nil || s.Job.Cancelled || s.Job.Draft {
		return nil, err
	}
	if s.Job.ID == "" { // the record of the job is lost
		if err := f.queue.put(ctx, jobStore, f.id, f.job); err != nil {
			return nil, err
		}
		s.Job = f.job
	}
	if err := f.restoreRecords(ctx, s); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(s.unsettled(), func(frame int) bool { _, waits := queued[strconv.Itoa(frame)]; return waits })
	if losses == f.losses { // after a loss, a server that does not sync its queue may have lost tasks
		if err := f.drawRepeatedlyLost(missing); err != nil {
			return nil, err
		}
	}
	n, err := f.queue.queueFrames(ctx, s.Job, missing)
	if err != nil {
		return s, err
	}
	f.noteRequeued(missing, losses)
	if n > 0 {
		keeper.Queued(n)
	}
	return s, nil
}

// drawRepeatedlyLost lets the Keeper draw frames that were queued again maxRequeues times. Such losses may be the work
// of a node that removes records as fast as they are written.
func (f *followState) drawRepeatedlyLost(missing []int) error {
	often := slices.DeleteFunc(slices.Clone(missing), func(frame int) bool { return f.requeues[frame] < maxRequeues })
	return f.reportMalformed(often)
}

// noteRequeued counts how often each of the frames was queued again. It counts nothing if the connection was lost since
// the last comparison. losses is the number of lost connections when this comparison began.
func (f *followState) noteRequeued(frames []int, losses int) {
	if losses == f.losses {
		for _, frame := range frames {
			f.requeues[frame]++
		}
	}
	f.losses = losses
}

// maxRequeues is how often a frame may be queued again before the Keeper draws it.
const maxRequeues = 2

// noteProgress reports whether frames were done or failed since the last call. If so, it sets quietSince to the present
// time.
func (f *followState) noteProgress() bool {
	settled := len(f.done) + len(f.failed)
	if settled == f.settledBefore && !f.quietSince.IsZero() {
		return false
	}
	f.settledBefore, f.quietSince = settled, time.Now()
	return true
}

// restoreRecords writes records again that f has read before but that are missing from the store now.
func (f *followState) restoreRecords(ctx context.Context, s *Status) error {
	for frame, d := range f.done {
		if s.Done[frame] != nil || slices.Contains(s.Malformed, frame) {
			continue
		}
		if err := f.queue.Record(ctx, s.Job, frame, d); err != nil {
			return err
		}
		s.Done[frame] = d
	}
	return nil
}
