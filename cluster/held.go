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
	heldLooks = 1000
	// heldTurn is how long a Keeper draws such frames before records are read again.
	heldTurn = 10 * time.Second
)

// drawHeld lets the Keeper draw frames whose tasks were taken long ago and are neither recorded nor given back. s is
// what is recorded. calls bounds requests, and ctx drawing.
func (f *followState) drawHeld(ctx, calls context.Context, keeper Keeper, s *Status) error {
	held, err := f.heldFrames(calls, s)
	if err != nil {
		return err
	}
	since := map[int]time.Time{}
	var late []int
	for _, frame := range held {
		if since[frame] = time.Now(); !f.heldSince[frame].IsZero() {
			since[frame] = f.heldSince[frame]
		}
		if time.Since(since[frame]) > f.holdTime() {
			late = append(late, frame)
		}
	}
	f.heldSince = since
	if len(late) == 0 || !keeper.Held(len(late)) {
		return nil
	}
	slices.Reverse(late) // nodes that get the tasks after all begin with the first
	for began := time.Now(); len(late) > 0 && time.Since(began) < heldTurn; late = late[1:] {
		if err := f.drawOne(ctx, keeper, late[0]); err != nil {
			return err
		}
	}
	return nil
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

// heldFrames returns the frames that are not settled and whose tasks a node has taken, in the order of the queue. A task
// that is given out again counts, too.
func (f *followState) heldFrames(ctx context.Context, s *Status) (frames []int, err error) {
	consumer, err := f.queue.js.Consumer(ctx, frameStream, consumerName(f.id))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	queue, err := f.queue.stream(ctx, frameStream)
	if err != nil {
		return nil, err
	}
	info := consumer.CachedInfo()
	if info.NumAckPending == 0 {
		return nil, nil
	}
	next := info.AckFloor.Stream + 1
	for range heldLooks {
		m, err := queue.GetMsg(ctx, next, jetstream.WithGetMsgSubject(frameStream+"."+f.id+".*"))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		if m.Sequence > info.Delivered.Stream {
			break
		}
		if frame, ok := frameOf(m.Subject); ok && s.Done[frame] == nil && s.Failed[frame] == nil {
			frames = append(frames, frame)
		}
		next = m.Sequence + 1
	}
	return frames, nil
}
