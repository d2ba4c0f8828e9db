package cluster

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WithoutHeartbeats returns options of a node that does not renew its leases.
func WithoutHeartbeats(name string) WorkOptions { return WorkOptions{Name: name, noHeartbeat: true} }

// Impatient returns options of a node that leaves a frame to other nodes if it cannot save the picture at once.
func Impatient(name string) WorkOptions { return WorkOptions{Name: name, savePatience: 1} }

// Put writes a value.
func (c *Cluster) Put(ctx context.Context, store, key string, value any) error {
	return c.put(ctx, store, key, value)
}

// PutBytes writes the bytes of a value.
func (c *Cluster) PutBytes(ctx context.Context, store, key string, b []byte) error {
	return c.write(ctx, store, key, b)
}

// Purge removes the values whose keys match filter.
func (c *Cluster) Purge(ctx context.Context, store, filter string) error {
	return c.purge(ctx, store, filter)
}

// ChunkKey returns the key of chunk i of a part.
func ChunkKey(p Part, i int64) string { return chunkKey(p.key(), i) }

// ChunkBytes returns the size of the chunks of a part.
func (p Part) ChunkBytes() int64 { return p.chunkBytes() }

// Call exports the method call to tests.
func (c *Cluster) Call(ctx context.Context, f func(context.Context) error) error {
	return c.call(ctx, f)
}

// CallTries is how often a call is attempted.
const CallTries = callTries

// Connected reports whether the connection is up.
func (c *Cluster) Connected() bool { return c.nc.IsConnected() }

// Settling reports whether a node would wait before it fetches frames.
func (c *Cluster) Settling() bool { return c.state.connectedFor() < settleTime }

// RestartedLately exports restartedLately to tests.
func RestartedLately(name string, now time.Time) bool { return restartedLately(name, now) }

// Ping waits for an answer of the server.
func (c *Cluster) Ping() error { return c.nc.Flush() }

// Keys lists the keys of a store.
func (c *Cluster) Keys(ctx context.Context, store, filter string) ([]string, error) {
	return c.keys(ctx, store, filter)
}

// Limits of transfers.
const (
	ChunkBytes   = chunkBytes
	ChunksAtOnce = chunksAtOnce
)

// TasksInQueue returns how many tasks of a job the stream holds. It does not ask the consumer, whose counts lag
// behind the stream.
func (c *Cluster) TasksInQueue(ctx context.Context, id string) (n uint64, err error) {
	stream, err := c.js.Stream(ctx, frameStream)
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(frameStream+"."+id+".>"))
	if err != nil {
		return 0, err
	}
	for _, tasks := range info.State.Subjects {
		n += tasks
	}
	return n, nil
}

// Heartbeats returns a channel that receives each renewal of a lease.
func (c *Cluster) Heartbeats() (<-chan struct{}, error) {
	beats := make(chan struct{}, 100)
	_, err := c.nc.Subscribe("$JS.ACK."+frameStream+".>", func(m *nats.Msg) {
		if string(m.Data) == "+WPI" {
			beats <- struct{}{}
		}
	})
	if err != nil {
		return nil, err
	}
	return beats, c.nc.Flush()
}

// Acknowledged returns a channel that receives the reply subject of each task that is acknowledged as done.
func (c *Cluster) Acknowledged() (<-chan string, error) {
	acks := make(chan string, 1000)
	_, err := c.nc.Subscribe("$JS.ACK."+frameStream+".>", func(m *nats.Msg) {
		if string(m.Data) == "+ACK" {
			acks <- m.Subject
		}
	})
	if err != nil {
		return nil, err
	}
	return acks, c.nc.Flush()
}

// Times of a node.
const (
	LongestWait = reconnectWait * 3 / 2 // longest time between two attempts to connect
	CancelTime  = cancelTime
	TakeAhead   = takeAhead
)

// CountReturned returns a function that counts the tasks that were returned to the queue since its last call.
func (c *Cluster) CountReturned() (count func() (int, error), err error) {
	sub, err := c.nc.SubscribeSync("$JS.ACK." + frameStream + ".>")
	if err != nil {
		return nil, err
	}
	return func() (n int, err error) {
		if err := c.nc.Flush(); err != nil {
			return 0, err
		}
		for left, _, err := sub.Pending(); left > 0 || err != nil; left-- {
			if err != nil {
				return n, err
			}
			m, err := sub.NextMsg(time.Second) // the message has arrived already
			if err != nil {
				return n, err
			}
			if strings.HasPrefix(string(m.Data), "-NAK") {
				n++
			}
		}
		return n, nil
	}, c.nc.Flush()
}

// SetCallTimeout replaces callTimeout for calls of JetStream.
func (c *Cluster) SetCallTimeout(after time.Duration) (err error) {
	c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(after))
	return err
}

// Take takes a frame of a job from the queue and does not acknowledge it. giveBack returns it to the queue.
func (c *Cluster) Take(job Job) (giveBack func() error, err error) {
	d, err := c.newRequester(&job)
	if err != nil {
		return nil, err
	}
	var m *lease
	for tries := 0; m == nil && err == nil; tries++ { // a busy server may answer too late
		if m, err = d.fetch(); tries == callTries {
			err = errors.New("there is no frame")
		}
	}
	giveBack = func() error { return errors.Join(m.send("-NAK"), c.nc.Flush()) }
	return giveBack, errors.Join(err, d.subscription.Unsubscribe())
}

// TakeTooLate requests a frame of a job, and closes the requester after the answer has arrived but before it was read.
func (c *Cluster) TakeTooLate(job Job) error {
	d, err := c.newRequester(&job)
	if err != nil {
		return err
	}
	d.latest = request{time.Now(), d.state.lossCount()}
	if err := c.nc.PublishRequest(d.subject, d.inbox, []byte(`{"batch":1}`)); err != nil {
		return err
	}
	for len(d.answers) == 0 {
		time.Sleep(time.Millisecond)
	}
	d.close()
	return c.nc.Flush()
}

// ParseAnswer reads an answer of the queue without a task.
func ParseAnswer(code, why string) error {
	_, err := new(requester).parseAnswer(&nats.Msg{Header: nats.Header{"Status": {code}, "Description": {why}}})
	return err
}

// Hold takes all frames of a job from the queue, and renews their leases until ctx ends.
func (c *Cluster) Hold(ctx context.Context, job Job) error {
	d, err := c.newRequester(&job)
	if err != nil {
		return err
	}
	held := map[string]*lease{}                       // key: subject, because a busy machine may get a task twice
	for tries := 0; len(held) < job.Frames; tries++ { // a busy server may answer too late
		m, err := d.fetch()
		if err == nil && m == nil && tries == callTries*job.Frames {
			err = errors.New("there is no frame")
		}
		if err != nil {
			return err
		}
		if m != nil {
			held[m.msg.Subject] = m
		}
	}
	go func() {
		for sleep(ctx, job.Lease/10) == nil {
			for _, m := range held {
				_ = m.InProgress()
			}
		}
	}()
	return nil
}

// ForgetLeases makes the queue forget which frames of a job it gave out.
func (c *Cluster) ForgetLeases(ctx context.Context, job Job) error {
	queue, err := c.js.Consumer(ctx, frameStream, consumerName(job.ID))
	if err != nil {
		return err
	}
	config := queue.CachedInfo().Config
	if err := c.js.DeleteConsumer(ctx, frameStream, consumerName(job.ID)); err != nil {
		return err
	}
	_, err = c.js.CreateConsumer(ctx, frameStream, config)
	return err
}

// RequestLimits returns how many tasks of a job a node may ask for at once, and how long it may wait for them.
func (c *Cluster) RequestLimits(ctx context.Context, job Job) (tasks int, wait time.Duration, err error) {
	queue, err := c.js.Consumer(ctx, frameStream, consumerName(job.ID))
	if err != nil {
		return 0, 0, err
	}
	config := queue.CachedInfo().Config
	return config.MaxRequestBatch, config.MaxRequestExpires, nil
}

// RecordLookups returns a channel that receives each lookup of a frame's record.
func (c *Cluster) RecordLookups(job Job, frame int) (<-chan struct{}, error) {
	looks := make(chan struct{}, 100)
	_, err := c.nc.Subscribe("$JS.API.DIRECT.GET.KV_"+doneStore+".$KV."+doneStore+"."+frameKey(job.ID, frame), func(*nats.Msg) {
		looks <- struct{}{}
	})
	if err != nil {
		return nil, err
	}
	return looks, c.nc.Flush()
}

// Publish publishes a message with headers, as any program with a node's key may.
func (c *Cluster) Publish(ctx context.Context, subject string, headers map[string]string, body []byte) error {
	m := nats.NewMsg(subject)
	for k, v := range headers {
		m.Header.Set(k, v)
	}
	m.Data = body
	_, err := c.js.PublishMsg(ctx, m)
	return err
}

// StreamConfigs returns the configurations of all streams.
func (c *Cluster) StreamConfigs(ctx context.Context) (all []jetstream.StreamConfig, err error) {
	streams := c.js.ListStreams(ctx)
	for info := range streams.Info() {
		all = append(all, info.Config)
	}
	return all, streams.Err()
}

// MakeStoreWithRollups creates a store with the defaults of the NATS library. Nodes can then delete all values by a
// roll-up.
func (c *Cluster) MakeStoreWithRollups(ctx context.Context, name string) error {
	_, err := c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, MaxBytes: 1 << 20})
	return err
}

// MakeSyncedQueue creates the queue as earlier versions did, which wrote each task to the disk before they answered.
func (c *Cluster) MakeSyncedQueue(ctx context.Context) error {
	_, err := c.js.CreateStream(ctx, jetstream.StreamConfig{Name: frameStream, Subjects: []string{frameStream + ".>"}, Retention: jetstream.WorkQueuePolicy})
	return err
}

// UnansweredTasks returns the number of tasks that were sent and that the queue has not confirmed yet.
func (c *Cluster) UnansweredTasks() int { return c.js.PublishAsyncPending() }

// TasksAtOnce limits UnansweredTasks.
const TasksAtOnce = tasksAtOnce

// MaxReason limits the text of an error in a record.
const MaxReason = maxReason

// PurgeTasks removes tasks of a job, as an administrator may. If frame is -1, it removes all.
func (c *Cluster) PurgeTasks(ctx context.Context, id string, frame int) error {
	s, err := c.stream(ctx, frameStream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(frameStream+"."+id+"."+frameFilter(frame)))
}

// PurgeRecords removes records of a job, see PurgeTasks.
func (c *Cluster) PurgeRecords(ctx context.Context, id string, frame int) error {
	return c.purge(ctx, doneStore, id+"."+frameFilter(frame))
}

// PurgeStream removes all messages of a stream.
func (c *Cluster) PurgeStream(ctx context.Context, name string) error {
	s, err := c.stream(ctx, name)
	if err != nil {
		return err
	}
	return s.Purge(ctx)
}

// DeleteStream deletes a stream.
func (c *Cluster) DeleteStream(ctx context.Context, name string) error {
	return c.js.DeleteStream(ctx, name)
}

func frameFilter(frame int) string {
	if frame < 0 {
		return "*"
	}
	return strconv.Itoa(frame)
}

// Recover compares the queue of a job with its records, as Follow does when no record has arrived for a while.
func (c *Cluster) Recover(ctx context.Context, id string, to Follower) error {
	return c.Recovery(id, to)(ctx)
}

// Recovery returns a function that works like Recover, and that remembers earlier comparisons.
func (c *Cluster) Recovery(id string, to Follower) func(context.Context) error {
	f := newFollowState(c.Queue, id, to)
	return func(ctx context.Context) error {
		f.noteProgress()
		f.quietSince, f.compareAt = time.Now().Add(-time.Hour), time.Time{}
		return f.requeueLost(ctx)
	}
}

// DecodeRecord decodes a record of a frame, and reports whether the record is malformed.
func DecodeRecord(b []byte) bool { return errors.Is(decode(doneStore, b, new(Done)), errMalformed) }

// failingStreams is a JetStream that does not answer requests about one stream.
type failingStreams struct {
	jetstream.JetStream
	stream string
	err    error
}

func (f failingStreams) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if name == f.stream {
		return nil, f.err
	}
	return f.JetStream.Stream(ctx, name)
}

// FailStream makes requests about a stream fail until restore is called.
func (c *Cluster) FailStream(name string, err error) (restore func()) {
	js := c.js
	c.js = failingStreams{js, name, err}
	return func() { c.js = js }
}
