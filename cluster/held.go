package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A faulty or malicious node may take tasks and renew their leases forever, so that no other node gets them. The server
// cannot tell it from a slow node. But the process that follows the job knows which frames are missing. A frame whose
// task was taken long ago and not returned is called held. If the Follower is a Keeper, it draws held frames itself.

const (
	// heldFrameTimes is how long a node may hold a task, in multiples of the usual drawing time of a frame.
	heldFrameTimes = 4
	// heldLeases is how long a node may hold a task, in leases, before the first frame of the job is drawn.
	heldLeases = 12
	// maxHeldLookups limits the tasks that heldFrames looks up in one comparison, because each takes a request to the
	// server. heldFrames begins with the tasks that were taken first.
	maxHeldLookups = 200
	// heldDrawTime is how long a Keeper draws held frames before the records are read again.
	heldDrawTime = 10 * time.Second
)

// A delivery says that at the time `at`, nodes had taken all tasks up to a sequence number of the queue.
type delivery struct {
	sequence uint64
	at       time.Time
}

// drawHeld lets the Keeper draw held frames. The task of a held frame was taken long ago and not returned, and the
// records in s do not contain the frame.
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
	// the Keeper begins with the last frame, because a node that comes back would continue with the first
	slices.Reverse(late)
	for began := time.Now(); len(late) > 0 && time.Since(began) < heldDrawTime; late = late[1:] {
		if err := f.drawOne(ctx, keeper, late[0]); err != nil {
			return err
		}
	}
	return nil
}

// noteDelivered notes that all tasks up to a sequence number have been taken. It returns the sequence number of the
// last task that was taken more than holdTime ago, or 0.
func (f *followState) noteDelivered(sequence uint64) (late uint64) {
	now := time.Now()
	switch last := len(f.deliveries) - 1; {
	case last >= 0 && sequence < f.deliveries[last].sequence: // a new queue has replaced the old one
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

// drawOne lets the Keeper draw a frame and removes its task. It does nothing if the frame has been recorded by now.
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

// holdTime returns how long a node may hold a task: heldFrameTimes times the median drawing time that nodes report, but
// at least leasesUntilLost leases. A node may report a false time, so the median is limited to the time since Follow
// began.
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
	return max(leasesUntilLost*f.job.Lease, time.Duration(heldFrameTimes*usual*float64(time.Second)))
}

// heldFrames returns the frames of the tasks whose sequence numbers are in the range `from` to `to`, except frames that
// were drawn or failed. The result is in the order of the queue. On an error it also returns the frames that it has
// found.
func (f *followState) heldFrames(ctx context.Context, from, to uint64, s *Status) (frames []int, err error) {
	queue, err := f.queue.stream(ctx, frameStream)
	if err != nil {
		return nil, err
	}
	for range maxHeldLookups {
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
