package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Limits are how much a server keeps; zero fields are defaults.
type Limits struct {
	// Bytes are shared out among the queue, the records, files and pictures (7 GiB): a full
	// disk stops a server for good.
	Bytes    int64
	Replicas int // of everything, on servers that form a cluster (1)
}

// DefaultBytes is the sum of the limits of all stores where none is given. It is an eighth below
// the disk of a server of package server, which refuses stores whose limits exceed its disk.
const DefaultBytes = 7 << 30

// share returns the limit of a store or the queue.
func (l *Limits) share(name string) int64 {
	switch name {
	case blobStore:
		return l.Bytes / 2
	case pictureStore:
		return l.Bytes / 4
	}
	return l.Bytes / 32 // of the queue and the records: eight of them
}

// nodeMemory is how long a node is remembered after its last sign of life.
const nodeMemory = 30 * time.Second

// duplicateWindow is how long the server knows tasks that it was given, so that a
// submitter that tries again adds nothing.
const duplicateWindow = 2 * time.Hour

// Prepare makes the queue and the stores, where they are missing. Those that are there get
// the limits, unless these are the defaults.
func (c *Queue) Prepare(ctx context.Context, l Limits) error {
	keep := l.Bytes == 0
	if keep {
		l.Bytes = DefaultBytes
	}
	l.Replicas = max(1, l.Replicas)
	var making sync.WaitGroup // at once: each is several writes to the server's disk
	errs := make([]error, 1+len(allStores))
	making.Go(func() { errs[0] = c.prepareQueue(ctx, l, keep) })
	for i, name := range allStores {
		making.Go(func() { errs[1+i] = c.prepareStore(ctx, name, l, keep) })
	}
	making.Wait()
	return cmp.Or(errs...)
}

// prepareQueue makes the queue, or leaves the one that is there as it is.
func (c *Queue) prepareQueue(ctx context.Context, l Limits, keep bool) error {
	queue := jetstream.StreamConfig{
		Name: frameStream, Subjects: []string{frameStream + ".>"}, Retention: jetstream.WorkQueuePolicy,
		Duplicates: duplicateWindow, MaxBytes: l.share(frameStream), Replicas: l.Replicas, Discard: jetstream.DiscardNew,
		DenyDelete: true, MaxMsgSize: maxMessage(frameStream),
	}
	if err := c.prepareStream(ctx, queue, keep); err != nil {
		return fmt.Errorf("queue %s: %w", frameStream, err)
	}
	return nil
}

// prepareStream makes a stream. Of one that is there it keeps the limits of all messages together,
// but what one message may do it sets anew: an earlier version allowed more.
func (c *Queue) prepareStream(ctx context.Context, config jetstream.StreamConfig, keep bool) error {
	if keep {
		if s, err := c.js.Stream(ctx, config.Name); err == nil {
			old := s.CachedInfo().Config
			if !old.AllowRollup && old.DenyDelete && old.MaxMsgSize == config.MaxMsgSize {
				return nil
			}
			old.AllowRollup, old.DenyDelete, old.MaxMsgSize = false, true, config.MaxMsgSize
			config = old
		}
	}
	_, err := c.js.CreateOrUpdateStream(ctx, config)
	return err
}

// allStores are all but the queue.
var allStores = []string{jobStore, doneStore, failureStore, faultStore, blockedStore, nodeStore, blobStore, pictureStore, wantedStore}

// prepareStore makes a store, or leaves the one that is there as it is. It is what the NATS library
// makes, but allows no rollup: by that header of a message whoever may write one key removes all.
// Keys are purged by the submitter, so purges are allowed to those who may use the interface for them.
func (c *Queue) prepareStore(ctx context.Context, name string, l Limits, keep bool) error {
	config := jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxConsumers: -1,
		MaxBytes: l.share(name), MaxMsgSize: maxMessage(name), Replicas: l.Replicas, Discard: jetstream.DiscardNew,
		AllowDirect: true, DenyDelete: true, Duplicates: storeDuplicates,
	}
	if name == nodeStore {
		config.MaxAge, config.Duplicates = nodeMemory, nodeMemory
	}
	if err := c.prepareStream(ctx, config, keep); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}

// storeDuplicates is that of all stores which the NATS library makes.
const storeDuplicates = 2 * time.Minute

// Submit puts the frames of a job into the queue that are neither drawn nor failed. A
// job that is there already goes on, and one that was cancelled begins again.
func (c *Queue) Submit(ctx context.Context, job Job) (Job, error) {
	if err := job.check(); err != nil {
		return job, err
	}
	old, err := c.Job(ctx, job.ID)
	switch {
	case err == nil:
		job.Created, job.Round = old.Created, old.Round
		if old.Finished != nil { // a picture was lost since
			job.Round++
		}
		if old.Cancelled { // its tasks are gone, and the server may still know their names
			job.Round++
		}
	case errors.Is(err, jetstream.ErrKeyNotFound):
		job.Created = time.Now().UTC()
	default:
		return job, err
	}
	if job.Shared != nil {
		return job, c.put(ctx, jobStore, job.ID, job)
	}
	if err != nil { // it is new: Sweep must know whose tasks come
		draft := job
		draft.Draft = true
		if err := c.put(ctx, jobStore, job.ID, draft); err != nil {
			return job, err
		}
	}
	return job, c.enqueue(ctx, job)
}

// Record records a frame of a job that its submitter keeps itself.
func (c *Queue) Record(ctx context.Context, job Job, frame int, d *Done) error {
	return c.put(ctx, doneStore, frameKey(job.ID, frame), d)
}

// Fail records that a frame was given up, with the first words of the reason.
func (c *Queue) Fail(ctx context.Context, job Job, frame int, f *Failure) error {
	short := *f
	short.Error = cut(f.Error)
	return c.put(ctx, failureStore, frameKey(job.ID, frame), short)
}

// Redeem records a frame that was given up and that its submitter could draw.
func (c *Queue) Redeem(ctx context.Context, job Job, frame int, d *Done) error {
	if err := c.Record(ctx, job, frame, d); err != nil {
		return err
	}
	return c.remove(ctx, failureStore, frameKey(job.ID, frame))
}

// Retry asks for the failed frames of a job again.
func (c *Queue) Retry(ctx context.Context, id string) error {
	job, err := c.Job(ctx, id)
	if err != nil {
		return err
	}
	status, err := c.Status(ctx, id)
	if err != nil {
		return err
	}
	for frame := range status.Failed {
		if err := c.remove(ctx, failureStore, frameKey(id, frame)); err != nil {
			return err
		}
	}
	job.Round++
	if job.Shared != nil {
		return c.put(ctx, jobStore, id, job)
	}
	return c.enqueue(ctx, job)
}

// Again asks for one frame again, whose picture was lost after it was recorded.
func (c *Queue) Again(ctx context.Context, job Job, frame int) error {
	if err := c.remove(ctx, doneStore, frameKey(job.ID, frame)); err != nil {
		return err
	}
	_, err := c.js.Publish(ctx, frameSubject(job.ID, frame), nil)
	return err
}

// Cancel takes a job's frames out of the queue. Of those that are being drawn some may still be
// finished and recorded within a moment; what is recorded stays.
func (c *Queue) Cancel(ctx context.Context, id string) error {
	job, err := c.Job(ctx, id)
	if err != nil {
		return err
	}
	job.Cancelled = true
	if err := c.put(ctx, jobStore, id, job); err != nil {
		return err
	}
	s, err := c.js.Stream(ctx, frameStream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(frameStream+"."+id+".>"))
}

// enqueue records a job and publishes what is left of it.
func (c *Queue) enqueue(ctx context.Context, job Job) error {
	if _, err := c.js.CreateOrUpdateConsumer(ctx, frameStream, jetstream.ConsumerConfig{
		Durable: consumerName(job.ID), FilterSubject: frameStream + "." + job.ID + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: job.Lease, MaxDeliver: -1, MaxAckPending: -1,
	}); err != nil {
		return fmt.Errorf("job %s: %w", job.ID, err)
	}
	status, err := c.Status(ctx, job.ID)
	if err != nil {
		return err
	}
	var sent []jetstream.PubAckFuture
	for _, frame := range Order(job.Frames) {
		if _, failed := status.Failed[frame]; failed || status.Done[frame] != nil {
			continue
		}
		m := nats.NewMsg(frameSubject(job.ID, frame))
		m.Header.Set(nats.MsgIdHdr, fmt.Sprintf("%s.%d.%d", job.ID, job.Round, frame))
		ack, err := c.js.PublishMsgAsync(m, jetstream.WithStallWait(callTimeout))
		if err != nil {
			return fmt.Errorf("job %s, frame %d: %w", job.ID, frame, err)
		}
		sent = append(sent, ack)
	}
	for _, ack := range sent {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("job %s: %w", job.ID, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.put(ctx, jobStore, job.ID, job) // last: a job that nodes see is whole
}
