package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The records alone say which frames must be drawn: all frames of the job that are neither recorded as drawn nor as
// failed. The queue may lose a task, and the store a record. Follow compares the queue with the records, and queues the
// missing frames again.

// A Keeper is a Follower that lets Follow replace lost tasks and records. Only the job's submitter may be one.
type Keeper interface {
	Follower
	// Queued receives the number of frames that are queued again, because neither the queue nor the records had them.
	Queued(frames int)
	// Held receives the number of held frames. Nodes took these frames long ago and have not drawn them. If Held
	// returns true, Draw is called for each of these frames.
	Held(frames int) (draw bool)
	// Draw draws and records a frame. It returns false if another process recorded the frame meanwhile.
	Draw(frame int) (drawn bool, err error)
}

const (
	// quietTime is how long no record must have arrived before the queue is compared with the records.
	quietTime = 2 * time.Second
	// A comparison lists the job's whole queue, which may take long. So the pause after a comparison is compareShare
	// times the comparison's duration, but at least comparePause and at most comparePauseMost.
	comparePause     = time.Second
	compareShare     = 10
	comparePauseMost = 10 * time.Second
)

// requeueLost calls requeueMissing if no record has arrived for quietTime. It then lets the Keeper draw held frames.
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

// requeueMissing queues the frames again that neither the queue nor the records have. It returns the records, or nil if
// nothing can be compared now.
//
// It reads the queue before the records. A node writes the record before it acknowledges the task. So a frame that is
// finished between the two readings cannot be missing from both.
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
	// After a lost connection, a restarted server may have lost the tasks, because it does not sync its queue.
	if losses == f.losses {
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

// drawRepeatedlyLost lets the Keeper draw frames that were queued again maxRequeues times. A faulty node may be
// removing the records of these frames as fast as they are written.
func (f *followState) drawRepeatedlyLost(missing []int) error {
	often := slices.DeleteFunc(slices.Clone(missing), func(frame int) bool { return f.requeues[frame] < maxRequeues })
	return f.reportMalformed(often)
}

// noteRequeued counts how many times each of the frames was queued again. It counts nothing if the connection was lost
// since the previous comparison. losses is how many times the connection had been lost when this comparison began.
func (f *followState) noteRequeued(frames []int, losses int) {
	if losses == f.losses {
		for _, frame := range frames {
			f.requeues[frame]++
		}
	}
	f.losses = losses
}

// maxRequeues is how many times a frame is queued again before the Keeper draws it.
const maxRequeues = 2

// noteProgress reports whether frames were drawn or failed since the last call. If so, it sets quietSince to now. The
// first call returns true.
func (f *followState) noteProgress() bool {
	settled := len(f.done) + len(f.failed)
	if settled == f.settledBefore && !f.quietSince.IsZero() {
		return false
	}
	f.settledBefore, f.quietSince = settled, time.Now()
	return true
}

// restoreRecords writes records that f has read before but that the store lacks now.
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
