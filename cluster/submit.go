package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Limits are limits of a server's storage. Zero fields mean the defaults.
type Limits struct {
	// Bytes is divided among the queue, the records, the files and the pictures. 0 means the server's limit minus
	// 1/serverShare of that limit. If the server does not state its limit, 0 means DefaultBytes. Without a limit the
	// disk could become full, which could stop the server for good.
	Bytes int64
	// Replicas is the number of servers of a NATS cluster that store each message. 0 means one.
	Replicas int
}

// DefaultBytes is the default of Limits.Bytes. It is an eighth less than the default limit of package server, which
// refuses stores whose limits together exceed its own.
const DefaultBytes = 7 << 30

// portion returns the limit of a store or of the queue, in bytes.
func (l *Limits) portion(name string) int64 {
	switch name {
	case blobStore:
		return l.Bytes / 2
	case pictureStore:
		return l.Bytes / 4
	case nodeStore:
		return min(l.Bytes/32, nodeBytes)
	}
	return l.Bytes / 32 // the queue, and seven stores of records
}

// nodeBytes limits the store of heartbeats, in bytes. It has room for about 10,000 nodes. The limit is low because all
// heartbeats are listed again and again.
const nodeBytes = 4 << 20

// nodeExpiry is how long a node counts as present after its latest heartbeat.
const nodeExpiry = 30 * time.Second

// codeNoReplicas is the NATS server's error code for several replicas on a server that is not part of a NATS cluster.
const codeNoReplicas = 10074

// codeInvalid is the NATS server's error code for a change of a stream that it does not allow.
const codeInvalid = 10052

// Prepare creates the queue and the stores. If they exist, it sets their limits. If l.Bytes is 0, stores that exist
// keep their limits. They only get more copies, if they have fewer than l.Replicas.
//
// It returns ErrReplicas if the server cannot store so many copies, and ErrOneCopy if the existing queue cannot get
// more copies.
func (c *Queue) Prepare(ctx context.Context, l Limits) error {
	if err := c.checkAccount(ctx); err != nil {
		return err
	}
	c.limits = l
	keepLimits := l.Bytes == 0
	most, err := c.serverLimit(ctx)
	switch {
	case err != nil:
		return err
	case keepLimits && most > 0:
		l.Bytes = most - most/serverShare
	case keepLimits:
		l.Bytes = DefaultBytes
	case most > 0 && l.Bytes > most:
		return &RoomError{Asked: l.Bytes, Limit: most - most/serverShare}
	}
	l.Replicas = max(1, l.Replicas)
	if l.Replicas > 1 { // the queue comes first, so that nothing else changes if it returns ErrOneCopy
		if err := c.prepareQueue(ctx, l, keepLimits); err != nil {
			return err
		}
	}
	var making sync.WaitGroup // concurrently, because each creation takes several writes to the server's disk
	errs := make([]error, 1+len(allStores))
	making.Go(func() { errs[0] = c.prepareQueue(ctx, l, keepLimits) })
	for i, name := range allStores {
		making.Go(func() { errs[1+i] = c.prepareStore(ctx, name, l, keepLimits) })
	}
	making.Wait()
	return cmp.Or(errs...)
}

// checkAccount returns ErrNoAccounts if the server has keys but no accounts. Servers of earlier versions had none.
func (c *Queue) checkAccount(ctx context.Context) error {
	if c.public == "" {
		return nil
	}
	return c.call(ctx, func(ctx context.Context) error {
		answer, err := c.nc.RequestWithContext(ctx, "$SYS.REQ.USER.INFO", nil)
		if err != nil {
			return fmt.Errorf("the server does not say what this key may do: %w", err)
		}
		var info struct {
			Data struct {
				Account string `json:"account"`
			} `json:"data"`
		}
		if err := json.Unmarshal(answer.Data, &info); err != nil {
			return fmt.Errorf("what this key may do: %w", err)
		}
		if info.Data.Account == globalAccount {
			return ErrNoAccounts
		}
		return nil
	})
}

// globalAccount is the account that a NATS server uses if its configuration names none.
const globalAccount = "$G"

// serverShare is a divisor: 1/serverShare of a server's limit is left for the overhead of the streams.
const serverShare = 8

// serverLimit returns how many bytes the server may store, or 0 if it does not state its limit.
func (c *Queue) serverLimit(ctx context.Context) (most int64, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		info, err := c.js.AccountInfo(ctx)
		if err == nil {
			most = max(0, info.Limits.MaxStore)
		}
		return err
	})
	return most, err
}

// Submit puts the frames of a job into the queue, except those that are drawn or failed. It continues a job that
// exists, and starts a cancelled job again. It returns the job as it is stored.
func (c *Queue) Submit(ctx context.Context, job Job) (Job, error) {
	if err := job.check(); err != nil {
		return job, err
	}
	old, err := c.Job(ctx, job.ID)
	switch {
	case err == nil:
		job.Created, job.Round = old.Created, old.Round
		if old.Finished != nil || old.Cancelled { // the job was cancelled, or a picture was lost after the job had finished
			job.Round++
			if err := c.forgetTries(ctx, job.ID); err != nil {
				return job, err
			}
		}
	case errors.Is(err, jetstream.ErrKeyNotFound):
		job.Created = time.Now().UTC()
	default:
		return job, err
	}
	if job.Shared != nil {
		return job, c.put(ctx, jobStore, job.ID, job)
	}
	if err != nil { // a new job is stored before its tasks, because Sweep removes tasks without a job
		draft := job
		draft.Draft = true
		if err := c.put(ctx, jobStore, job.ID, draft); err != nil {
			return job, err
		}
	}
	return job, c.enqueue(ctx, job)
}

// Record records a frame that the submitter itself has drawn or received.
func (c *Queue) Record(ctx context.Context, job Job, frame int, d *Done) error {
	return c.put(ctx, doneStore, frameKey(job.ID, frame), d)
}

// Fail records that a frame failed for good. It truncates the reason to maxReason bytes.
func (c *Queue) Fail(ctx context.Context, job Job, frame int, f *Failure) error {
	short := *f
	short.Error = truncate(f.Error)
	return c.put(ctx, failureStore, frameKey(job.ID, frame), short)
}

// ReplaceFailure records a frame as done that a node had given up and that the submitter has drawn.
func (c *Queue) ReplaceFailure(ctx context.Context, job Job, frame int, d *Done) error {
	if err := c.Record(ctx, job, frame, d); err != nil {
		return err
	}
	return c.remove(ctx, failureStore, frameKey(job.ID, frame))
}

// Retry puts the failed frames of a job into the queue again.
func (c *Queue) Retry(ctx context.Context, id string) error {
	job, err := c.Job(ctx, id)
	if err != nil {
		return err
	}
	if err := c.purge(ctx, failureStore, id+".>"); err != nil { // removes the failures and the counts of all tries
		return err
	}
	job.Round++
	if job.Shared != nil {
		return c.put(ctx, jobStore, id, job)
	}
	return c.enqueue(ctx, job)
}

// forgetTries removes the counts of attempts at the frames of a job.
func (c *Queue) forgetTries(ctx context.Context, id string) error {
	return errors.Join(c.purge(ctx, failureStore, id+".*.try"), c.purge(ctx, failureStore, id+".*.try.*"))
}

// Requeue removes the record of a frame whose picture was lost, and puts the frame into the queue again.
func (c *Queue) Requeue(ctx context.Context, job Job, frame int) error {
	if err := c.remove(ctx, doneStore, frameKey(job.ID, frame)); err != nil {
		return err
	}
	_, err := c.js.Publish(ctx, frameSubject(job.ID, frame), nil)
	if isQueued(err) {
		return nil
	}
	return err
}

// Cancel removes a job's frames from the queue. Frames that nodes are drawing may still be recorded. Existing records
// stay.
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

// enqueue stores a job, and queues its frames that are neither drawn nor failed.
func (c *Queue) enqueue(ctx context.Context, job Job) error {
	status, err := c.Status(ctx, job.ID)
	if err != nil {
		return err
	}
	status.Job = job
	if _, err := c.queueFrames(ctx, job, status.unsettled()); err != nil {
		return err
	}
	return c.put(ctx, jobStore, job.ID, job) // stored last, so that nodes see the job only when it is complete
}

// queueFrames queues the given frames, except those that are in the queue already. It returns the number of frames that
// it queued.
func (c *Queue) queueFrames(ctx context.Context, job Job, frames []int) (queued int, err error) {
	if _, err := c.js.CreateOrUpdateConsumer(ctx, frameStream, jetstream.ConsumerConfig{
		Durable: consumerName(job.ID), FilterSubject: frameStream + "." + job.ID + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: job.Lease, MaxDeliver: -1, MaxAckPending: -1,
		MaxRequestBatch: 1, MaxRequestExpires: longestRequest, // limits the tasks and the waiting time of a request
	}); err != nil {
		return 0, fmt.Errorf("job %s: %w", job.ID, err)
	}
	var sent []jetstream.PubAckFuture // tasks that the queue has not confirmed
	for len(frames) > 0 || len(sent) > 0 {
		if len(frames) > 0 && len(sent) < tasksAtOnce {
			ack, err := c.js.PublishMsgAsync(nats.NewMsg(frameSubject(job.ID, frames[0])))
			if err != nil {
				return queued, fmt.Errorf("job %s, frame %d: %w", job.ID, frames[0], err)
			}
			frames, sent = frames[1:], append(sent, ack)
			continue
		}
		select {
		case <-sent[0].Ok():
			queued++
		case err := <-sent[0].Err():
			if !isQueued(err) {
				return queued, fmt.Errorf("job %s: %w", job.ID, err)
			}
		case <-ctx.Done():
			return queued, ctx.Err()
		}
		sent = sent[1:]
	}
	return queued, nil
}

// tasksAtOnce limits the tasks that are sent before the server confirms them. It is less than maxUnacked: if the
// server's disk is slow and maxUnacked tasks are unconfirmed, the NATS library returns an error.
const tasksAtOnce = 1000

// longestRequest limits how long a node's request may wait for a task. Nodes of this program wait for fetchWait.
const longestRequest = time.Second

// isQueued reports whether err means that a task was refused because the queue has the task already. It reads the text
// of the error, because the server uses the same code for every full store.
func isQueued(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, "per subject")
}
