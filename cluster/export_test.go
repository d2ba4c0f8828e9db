package cluster

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Silent returns options of a node that sends no heartbeats, so that its leases end
// while it draws.
func Silent(name string) WorkOptions { return WorkOptions{Name: name, noHeartbeat: true} }

// Put writes a value.
func (c *Cluster) Put(ctx context.Context, store, key string, value any) error {
	return c.put(ctx, store, key, value)
}

// Call makes a call that may be made twice.
func (c *Cluster) Call(ctx context.Context, f func(context.Context) error) error {
	return c.call(ctx, f)
}

// CallTries bounds the times that one call meets a connection that is lost.
const CallTries = callTries

// Connected reports whether there is a connection.
func (c *Cluster) Connected() bool { return c.nc.IsConnected() }

// Settling reports whether nodes take no frame yet.
func (c *Cluster) Settling() bool { return c.state.connectedFor() < settleTime }

// StartedAgain reports whether a server was started again a moment ago.
func StartedAgain(name string, now time.Time) bool { return restartedLately(name, now) }

// Ping waits for an answer of the server.
func (c *Cluster) Ping() error { return c.nc.Flush() }

// Keys lists the keys of a store.
func (c *Cluster) Keys(ctx context.Context, store, filter string) ([]string, error) {
	return c.keys(ctx, store, filter)
}

// Of a transfer.
const (
	ChunkBytes   = chunkBytes
	ChunksAtOnce = chunksAtOnce
)

// Waiting returns how many tasks of a job are in the queue.
func (c *Cluster) Waiting(ctx context.Context, id string) (uint64, error) {
	queue, err := c.js.Consumer(ctx, frameStream, consumerName(id))
	if err != nil {
		return 0, err
	}
	info, err := queue.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.NumPending, nil
}

// Heartbeats returns what hears each renewal of a lease.
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

// Acknowledged returns what hears each frame that is told to be done, by its receipt's subject.
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
	LongestWait = reconnectWait * 3 / 2 // between two tries to connect
	CancelTime  = cancelTime
)

// Refused returns a function that counts the frames given back to the queue since its last call.
func (c *Cluster) Refused() (count func() (int, error), err error) {
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
			m, err := sub.NextMsg(time.Second) // is there
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

// Impatient lets calls end after a time, instead of callTimeout.
func (c *Cluster) Impatient(after time.Duration) (err error) {
	c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(after))
	return err
}

// Take takes a frame of a job from the queue, and never says what became of it.
func (c *Cluster) Take(job Job) error {
	d, err := c.newRequester(&job)
	if err != nil {
		return err
	}
	m, err := d.fetch()
	if err == nil && m == nil {
		err = errors.New("there is no frame")
	}
	return errors.Join(err, d.subscription.Unsubscribe())
}

// TakeTooLate asks for a frame of a job, and ends before it looks at the answer, which has come.
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

// Forget has the queue forget which frames of a job it gave out.
func (c *Cluster) Forget(ctx context.Context, job Job) error {
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

// LookedUp returns what hears each look whether a frame is recorded.
func (c *Cluster) LookedUp(job Job, frame int) (<-chan struct{}, error) {
	looks := make(chan struct{}, 100)
	_, err := c.nc.Subscribe("$JS.API.DIRECT.GET.KV_"+doneStore+".$KV."+doneStore+"."+frameKey(job.ID, frame), func(*nats.Msg) {
		looks <- struct{}{}
	})
	if err != nil {
		return nil, err
	}
	return looks, c.nc.Flush()
}

// Publish sends a message to a stream with headers, as a node of any program may.
func (c *Cluster) Publish(ctx context.Context, subject string, headers map[string]string, body []byte) error {
	m := nats.NewMsg(subject)
	for k, v := range headers {
		m.Header.Set(k, v)
	}
	m.Data = body
	_, err := c.js.PublishMsg(ctx, m)
	return err
}

// StreamConfigs returns how the streams of the stores and the queue are made.
func (c *Cluster) StreamConfigs(ctx context.Context) (all []jetstream.StreamConfig, err error) {
	streams := c.js.ListStreams(ctx)
	for info := range streams.Info() {
		all = append(all, info.Config)
	}
	return all, streams.Err()
}

// MakeAsBefore makes a store as the NATS library does, in which nodes may roll everything up.
func (c *Cluster) MakeAsBefore(ctx context.Context, name string) error {
	_, err := c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, MaxBytes: 1 << 20})
	return err
}

// MaxReason bounds the error of a record.
const MaxReason = maxReason
