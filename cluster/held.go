package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A node may take tasks and renew their leases forever, because it is faulty or on purpose, so that nobody else gets
// these tasks. The server cannot distinguish such a node from a slow one. But the process that follows the job knows
// which frames are missing. As a Keeper, it draws frames itself whose tasks were taken long ago.

const (
	// heldTimes is the limit for holding a task, in multiples of the usual time of a frame.
	heldTimes = 4
	// heldLeases is the same limit in leases, as long as no frame of the job has been drawn.
	heldLeases = 12
	// heldLooks limits the tasks that are examined in one comparison, because each takes a request. Tasks that were
	// taken first are examined first.
	heldLooks = 200
	// heldTurn is how long a Keeper draws held frames before records are read again.
	heldTurn = 10 * time.Second
)

// A delivery records that at this time all tasks up to this sequence number of the queue had been taken.
type delivery struct {
	sequence uint64
	at       time.Time
}

// drawHeld lets the Keeper draw frames whose tasks were taken long ago and are neither recorded nor returned. s holds
// the records.
func (f *followState) drawHeld(ctx context.Context, keeper Keeper, s *Status) error {
	looking, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	consumer, err := f.queue.js.Consumer(looking, frameStream, consumerName(f.id))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	info := consumer.CachedInfo()
	late, err := f.heldFrames(looking, info.AckFloor.Stream+1, f.noteDelivered(info.Delivered.Stream), s)
	if len(late) == 0 || !keeper.Held(len(late)) {
		return err
	}
	slices.Reverse(late) // in reverse order, because nodes that get the tasks after all start with the first
	for began := time.Now(); len(late) > 0 && time.Since(began) < heldTurn; late = late[1:] {
		if err := f.drawOne(ctx, keeper, late[0]); err != nil {
			return err
		}
	}
	return nil
}

// noteDelivered records that all tasks up to a sequence number have been taken. It returns the sequence number up to
// which tasks were taken more than holdTime ago, or 0 if there are none.
func (f *followState) noteDelivered(sequence uint64) (late uint64) {
	now := time.Now()
	switch last := len(f.deliveries) - 1; {
	case last >= 0 && sequence < f.deliveries[last].sequence: // the queue was replaced by a new one
		f.deliveries = []delivery{{sequence, now}}
	case last < 0 || sequence > f.deliveries[last].sequence:
		f.deliveries = append(f.deliveries, delivery{sequence, now})
	}
	hold := f.holdTime()
	for _, d := range f.deliveries {
		if now.Sub(d.at) > hold {
			late = d.sequence
		}
	}
	return late
}

// drawOne lets the Keeper draw a frame, unless it has been recorded by now, and removes the task of the frame.
func (f *followState) drawOne(ctx context.Context, keeper Keeper, frame int) error {
	if d, err := f.queue.Recorded(ctx, f.job, frame); err == nil && d != nil {
		return nil
	}
	drawn, err := keeper.Draw(frame)
	if err != nil {
		return &followerError{err}
	}
	if !drawn {
		return nil
	}
	f.handled[frame] = true
	queue, err := f.queue.stream(ctx, frameStream)
	if err != nil {
		return err
	}
	return queue.Purge(ctx, jetstream.WithPurgeSubject(frameSubject(f.id, frame)))
}

// holdTime returns how long a task may be held. It depends on the times that nodes report for their frames. Nodes may
// report anything, so the median of these times is used, but at most the time since following began.
func (f *followState) holdTime() time.Duration {
	if len(f.done) == 0 {
		return heldLeases * f.job.Lease
	}
	var seconds []float64
	for _, d := range f.done {
		seconds = append(seconds, d.Seconds)
	}
	slices.Sort(seconds)
	usual := min(seconds[len(seconds)/2], time.Since(f.began).Seconds())
	return max(leasesUntilLost*f.job.Lease, time.Duration(heldTimes*usual*float64(time.Second)))
}

// heldFrames returns, in order, frames that are not settled and whose tasks are in the queue with sequence numbers
// between from and to. If there is an error, it also returns the frames that it has found before.
func (f *followState) heldFrames(ctx context.Context, from, to uint64, s *Status) (frames []int, err error) {
	queue, err := f.queue.stream(ctx, frameStream)
	if err != nil {
		return nil, err
	}
	for range heldLooks {
		if from > to {
			break
		}
		m, err := queue.GetMsg(ctx, from, jetstream.WithGetMsgSubject(frameStream+"."+f.id+".*"))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return frames, err
		}
		if frame, ok := frameOf(m.Subject); ok && m.Sequence <= to && s.Done[frame] == nil && s.Failed[frame] == nil {
			frames = append(frames, frame)
		}
		from = m.Sequence + 1
	}
	return frames, nil
}
