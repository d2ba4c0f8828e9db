package cluster

import (
	"context"

	"github.com/nats-io/nats.go"
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
