package cluster

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Follower receives the results of a job's frames. If a method returns an error, Follow ends with it.
type Follower interface {
	Done(frame int, d *Done) error
	Failed(frame int, f *Failure) error
	// Fault receives the record of a picture that differs from the one that was recorded first. If f.Node is empty, the
	// frame's own record cannot be decoded. Settle resolves both kinds of fault.
	Fault(f *Fault) error
}

// pollInterval is how long Follow waits for new records before it reads all records again. A restarted server sends
// nothing to followers that connected before the restart.
const pollInterval = time.Second

// Follow reports each frame of a job once, beginning with those that are already recorded. It returns when no frame is
// left or the job was cancelled.
func (c *Queue) Follow(ctx context.Context, id string, to Follower) error {
	f := newFollowState(c, id, to)
	for {
		left, err := f.poll(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var failed *followerError
		if errors.As(err, &failed) {
			return failed.err
		}
		if err == nil && left == 0 {
			return nil
		}
		if err == nil {
			err = f.watch(ctx)
			if errors.As(err, &failed) {
				return failed.err
			}
			if err == nil {
				err = f.requeueLost(ctx)
			}
		}
		if err != nil { // the server may be restarting
			if err := sleep(ctx, reconnectWait); err != nil {
				return err
			}
		}
	}
}

func newFollowState(c *Queue, id string, to Follower) *followState {
	return &followState{queue: c, id: id, follower: to, done: map[int]*Done{}, failed: map[int]bool{}, handled: map[int]bool{}, requeues: map[int]int{},
		faults: map[string]bool{}, faultsOf: map[int]int{}, began: time.Now()}
}

// A followerError wraps an error of the Follower. Other errors are errors of the connection.
type followerError struct{ err error }

func (e *followerError) Error() string { return e.err.Error() }

// A followState holds what has been reported to a Follower so far.
type followState struct {
	queue    *Queue
	id       string
	follower Follower
	frames   int
	// job is the job as it was read last.
	job    Job
	done   map[int]*Done
	failed map[int]bool
	// handled holds the frames that the Follower has drawn itself as a Keeper, see reportMalformed and drawOne.
	handled map[int]bool
	// requeues counts how many times each frame was queued again, because neither the queue nor the records had the
	// frame. It does not count a frame that may be missing because of a lost connection.
	requeues map[int]int
	// losses is the number of lost connections when the queue was last compared with the records.
	losses int
	// faults holds the keys of the faults that were read. faultsOf holds the number of these faults for each frame.
	faults   map[string]bool
	faultsOf map[int]int
	// settledBefore is the number of frames that had been drawn or had failed when quietSince was set.
	settledBefore int
	// quietSince is the time since which no frame was drawn and none failed.
	quietSince time.Time
	// compareAt is the earliest time for the next comparison of the queue with the records.
	compareAt time.Time
	// deliveries records how many of the queue's tasks nodes had taken at certain times, see drawHeld.
	deliveries []delivery
	began      time.Time
}

// poll reads all records and reports the new ones. It returns the number of frames that are left.
func (f *followState) poll(ctx context.Context) (left int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := f.queue.Status(ctx, f.id)
	if err != nil {
		return 0, err
	}
	if s.Job.ID != "" {
		f.job = s.Job
	}
	f.frames = f.job.Frames
	for frame := range f.failed { // without a record of its failure, the frame is in the queue again
		if s.Failed[frame] == nil {
			delete(f.failed, frame)
		}
	}
	for frame, d := range s.Done {
		if err := f.reportDone(frame, d); err != nil {
			return 0, err
		}
	}
	if err := f.reportFailures(s.Failed); err != nil {
		return 0, err
	}
	if err := f.reportMalformed(s.Malformed); err != nil {
		return 0, err
	}
	if err := f.reportFaults(ctx); err != nil {
		return 0, err
	}
	if s.Job.Cancelled {
		return 0, nil
	}
	return f.left(), nil
}

// reportMalformed reports frames whose records cannot be decoded. If the Follower is a Keeper, the Keeper draws these
// frames itself. So a node that keeps writing invalid records cannot prevent the film from ending.
func (f *followState) reportMalformed(frames []int) error {
	_, keeps := f.follower.(Keeper)
	for _, frame := range frames {
		if f.handled[frame] || f.done[frame] != nil {
			continue
		}
		if err := f.follower.Fault(&Fault{Frame: frame}); err != nil {
			return &followerError{err}
		}
		f.handled[frame] = keeps
	}
	return nil
}

func (f *followState) reportFaults(ctx context.Context) error {
	keys, err := f.queue.keys(ctx, faultStore, f.id+".>")
	if err != nil {
		return err
	}
	for _, k := range keys {
		if f.faults[k] {
			continue
		}
		f.faults[k] = true
		frame, ok := f.frameOfFault(k)
		if f.faultsOf[frame]++; !ok || f.faultsOf[frame] > faultsPerFrame {
			continue
		}
		var x Fault
		err := f.queue.get(ctx, faultStore, k, &x)
		if errors.Is(err, errMalformed) || err == nil && x.Frame != frame {
			// The node that wrote the malformed fault is faulty. Nothing is lost, because all pictures are compared
			// with their records at the end.
			continue
		}
		if err != nil {
			delete(f.faults, k)
			return err
		}
		if err := f.follower.Fault(&x); err != nil {
			return &followerError{err}
		}
	}
	return nil
}

// frameOfFault returns the frame number in the key of a fault. ok is false if the number is invalid, because nodes
// write these keys.
func (f *followState) frameOfFault(key string) (frame int, ok bool) {
	number, _, _ := strings.Cut(strings.TrimPrefix(key, f.id+"."), ".")
	frame, ok = frameOf("." + number)
	return frame, ok && frame < f.frames
}

// faultsPerFrame is the number of faults that are read for each frame. After the first fault the submitter draws the
// frame itself, so further faults are not needed.
const faultsPerFrame = 3

func (f *followState) reportDone(frame int, d *Done) error {
	if f.done[frame] != nil {
		return nil
	}
	f.done[frame] = d
	if err := f.follower.Done(frame, d); err != nil {
		return &followerError{err}
	}
	return nil
}

// reportFailures reports failures in drawing order. The first frames in this order are spread over the film, so their
// failures say most about the whole film.
func (f *followState) reportFailures(failed map[int]*Failure) error {
	if len(failed) == 0 {
		return nil
	}
	for _, frame := range Order(f.frames) {
		if x := failed[frame]; x != nil {
			if err := f.reportFailure(frame, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *followState) reportFailure(frame int, x *Failure) error {
	if f.failed[frame] || f.done[frame] != nil {
		return nil
	}
	f.failed[frame] = true
	if err := f.follower.Failed(frame, x); err != nil {
		return &followerError{err}
	}
	return nil
}

// openRecords creates a consumer of all records of the job's frames. The caller must call end.
func (f *followState) openRecords(ctx context.Context) (records jetstream.Consumer, end func(), err error) {
	stream := "KV_" + doneStore
	err = f.queue.call(ctx, func(ctx context.Context) (err error) {
		records, err = f.queue.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
			FilterSubject: "$KV." + doneStore + "." + f.id + ".*", DeliverPolicy: jetstream.DeliverAllPolicy,
			AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: recordsExpiry,
		})
		return err
	})
	return records, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reconnectWait)
		defer cancel()
		// An error is ignored: the server deletes the consumer after recordsExpiry in any case.
		_ = f.queue.js.DeleteConsumer(ctx, stream, records.CachedInfo().Name)
	}, err
}

// watch reports new records. It returns when no record arrives for pollInterval, when no frame was drawn or failed for
// quietTime, or when no frame is left.
func (f *followState) watch(ctx context.Context) error {
	records, end, err := f.openRecords(ctx)
	if err != nil {
		return err
	}
	defer end()
	began := time.Now()
	rate := arrivalRate{before: len(f.done), last: began}
	for f.left() > 0 && ctx.Err() == nil {
		if f.noteProgress(); time.Since(began) > quietTime && time.Since(f.quietSince) > quietTime {
			return nil // no message that still arrives reports a new frame
		}
		for count := recordsBatch; count == recordsBatch; {
			if count, err = f.readBatch(records.FetchNoWait(recordsBatch)); err != nil {
				return err
			}
		}
		rest, known := rate.remaining(time.Now(), len(f.done), f.left())
		switch {
		case f.left() <= 0:
		case known && rest > 2*recordsPause && time.Since(rate.last) > pollInterval:
			return nil
		case known && rest > 2*recordsPause:
			if err := sleep(ctx, recordsPause); err != nil {
				return err
			}
		default:
			want := 1
			if known {
				want = min(recordsBatch, f.left())
			}
			if count, err := f.readBatch(records.Fetch(want, jetstream.FetchMaxWait(pollInterval))); err != nil || count == 0 {
				return err
			}
		}
	}
	return nil
}

// Records are fetched in batches. Receiving each record as it arrives would wake this process and the server for every
// frame, while all cores are drawing. Records are received one by one only at both ends of a film: the first two
// records, and those that arrive within 2·recordsPause of the end.
const (
	recordsPause = 100 * time.Millisecond
	recordsBatch = 500
	// recordsExpiry is how long the server keeps the consumer after the last request.
	recordsExpiry = 5 * time.Minute
)

// An arrivalRate estimates when the last record will arrive.
type arrivalRate struct {
	// before is the number of frames that were recorded before measuring began.
	before int
	// seen is the number of records that had arrived since measuring began when method remaining was last called.
	seen int
	// first is when measuring began: when the first new record arrived. It is zero before that.
	first time.Time
	// last is when the latest record arrived.
	last time.Time
}

// remaining estimates how long it takes until the records of the `left` remaining frames have arrived. known is false
// until two records have arrived.
func (p *arrivalRate) remaining(now time.Time, done, left int) (wait time.Duration, known bool) {
	if done-p.before > p.seen {
		p.last = now
	}
	p.seen = done - p.before
	switch {
	case p.seen == 0:
		return 0, false
	case p.first.IsZero():
		p.first, p.before, p.seen = now, done, 0
		return 0, false
	}
	return now.Sub(p.first) / time.Duration(p.seen) * time.Duration(left), true
}

// left returns the number of frames that were reported neither as drawn nor as failed. A reported frame is not left
// even if its record was removed later. Otherwise a node that removes records could prevent a film from ending.
func (f *followState) left() int {
	settled := len(f.done)
	for frame := range f.failed {
		if f.done[frame] == nil {
			settled++
		}
	}
	for frame, handled := range f.handled {
		if handled && f.done[frame] == nil && !f.failed[frame] {
			settled++
		}
	}
	return f.frames - settled
}

// readBatch reports the records of a batch. It returns how many messages the batch had.
func (f *followState) readBatch(batch jetstream.MessageBatch, err error) (count int, _ error) {
	if err != nil {
		return 0, err
	}
	for m := range batch.Messages() {
		count++
		if err := f.readRecord(m); err != nil {
			return count, err
		}
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
		return count, err
	}
	return count, nil
}

// readRecord reports one record.
func (f *followState) readRecord(m jetstream.Msg) error {
	if m.Headers().Get("KV-Operation") != "" { // the record was deleted
		return nil
	}
	frame, ok := frameOf(m.Subject())
	if !ok || frame >= f.frames {
		return nil
	}
	var d Done
	if decode(doneStore, m.Data(), &d) != nil {
		return errUnread
	}
	return f.reportDone(frame, &d)
}
