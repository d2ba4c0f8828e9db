package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A node may take tasks and renew their leases for ever, by a fault or on purpose, and nobody else gets them. The server
// cannot tell such a node from a slow one. Whoever follows the job knows which frames it waits for, and a Keeper draws
// those itself that were taken long ago.

const (
	// heldTimes is how many times as long as a frame usually takes a task may be held.
	heldTimes = 4
	// heldLeases is how many leases a task may be held before any frame of the job is drawn.
	heldLeases = 12
	// heldLooks limits the tasks that are looked at in one comparison, one request each. They are those taken first.
	heldLooks = 200
	// heldTurn is how long a Keeper draws such frames before records are read again.
	heldTurn = 10 * time.Second
)

// A delivery says that the tasks up to this sequence number of the queue had been taken at this time.
type delivery struct {
	sequence uint64
	at       time.Time
}

// drawHeld lets the Keeper draw frames whose tasks were taken long ago and are neither recorded nor given back. s is
// what is recorded.
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
	late, err := f.heldFrames(looking, info.AckFloor.Stream+1, f.takenLongAgo(info.Delivered.Stream), s)
	if len(late) == 0 || !keeper.Held(len(late)) {
		return err
	}
	slices.Reverse(late) // nodes that get the tasks after all begin with the first
	for began := time.Now(); len(late) > 0 && time.Since(began) < heldTurn; late = late[1:] {
		if err := f.drawOne(ctx, keeper, late[0]); err != nil {
			return err
		}
	}
	return nil
}

// takenLongAgo notes that the tasks up to a sequence number have been taken, and returns up to which they were taken
// longer than holdTime ago; 0: none was.
func (f *followState) takenLongAgo(sequence uint64) (late uint64) {
	now := time.Now()
	switch last := len(f.deliveries) - 1; {
	case last >= 0 && sequence < f.deliveries[last].sequence: // another queue
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

// drawOne lets the Keeper draw a frame unless it is recorded by now, and removes its task.
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

// holdTime returns how long a task may be held. Nodes say how long their frames took, and may say anything: the median
// counts, and at most the time since following began.
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

// heldFrames returns the frames that are not settled and whose tasks are in the queue, with sequence numbers from one to
// another, in order. With an error it returns those that it has found until then.
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
