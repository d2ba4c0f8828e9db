package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The queue is a cache. What has to be drawn is known without it: all frames of a job, except those that are recorded
// or failed. If tasks or records are lost for any reason, following the job finds them by comparing the queue with the
// records, and queues these frames again.

// A Keeper is a Follower that lets its job go on after tasks or records were lost. Only the job's submitter may be a
// Keeper.
type Keeper interface {
	Follower
	// Queued receives the number of frames that were in neither the queue nor the records, and are in the queue again.
	Queued(frames int)
	// Held receives the number of frames whose tasks nodes took long ago and have not drawn. If it returns true, Draw
	// is called for these frames.
	Held(frames int) (draw bool)
	// Draw draws and records a frame. It returns false if somebody else has recorded it meanwhile.
	Draw(frame int) (drawn bool, err error)
}

const (
	// quietTime is how long no record must arrive before the queue is compared with the records.
	quietTime = 2 * time.Second
	// comparePause is the least time between two comparisons. Because each comparison lists the whole queue of the job,
	// the pause is compareShare times as long as the last comparison took. But it is at most comparePauseMost, because
	// the machine itself may be slow.
	comparePause     = time.Second
	compareShare     = 10
	comparePauseMost = 10 * time.Second
)

// requeueLost queues frames again that are in neither the queue nor the records, if no record has arrived for a while. It
// reads the queue before the records: a record is written before its task is acknowledged, so a frame that is finished
// meanwhile is seen in at least one of the two.
func (f *followState) requeueLost(ctx context.Context) error {
	keeper, ok := f.follower.(Keeper)
	if f.noteProgress() || !ok || time.Since(f.quietSince) < quietTime || time.Now().Before(f.compareAt) {
		return nil
	}
	calls, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	s, err := f.compare(calls, keeper)
	f.compareAt = time.Now().Add(min(max(comparePause, compareShare*time.Since(began)), comparePauseMost))
	if s == nil || err != nil {
		return err
	}
	return f.drawHeld(ctx, keeper, s)
}

// compare queues frames again that are in neither the queue nor the records. It returns the records, or nil if nothing
// can be compared now.
func (f *followState) compare(ctx context.Context, keeper Keeper) (*Status, error) {
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
	if err := f.restore(ctx, s); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(s.unsettled(), func(frame int) bool { _, waits := queued[strconv.Itoa(frame)]; return waits })
	if losses == f.losses { // otherwise the server may have failed, which loses tasks of a queue that is not synced
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

// drawRepeatedlyLost lets the Keeper draw frames that were queued again several times, because somebody may remove their
// records as fast as they are written.
func (f *followState) drawRepeatedlyLost(missing []int) error {
	often := slices.DeleteFunc(slices.Clone(missing), func(frame int) bool { return f.requeues[frame] < maxRequeues })
	return f.reportMalformed(often)
}

// noteRequeued counts frames that are in the queue again, unless the connection was lost since the last comparison.
// losses is how often it had been lost when this comparison began.
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

// noteProgress reports whether frames were settled since the last call. If so, it sets quietSince to the present time.
func (f *followState) noteProgress() bool {
	settled := len(f.done) + len(f.failed)
	if settled == f.settledBefore && !f.quietSince.IsZero() {
		return false
	}
	f.settledBefore, f.quietSince = settled, time.Now()
	return true
}

// restore writes records again that were there before and are gone.
func (f *followState) restore(ctx context.Context, s *Status) error {
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
