package cluster

import (
	"context"
)

// A Cluster is a connection to a server, with the operations on its queue, its stored files and its nodes. Its methods
// may be called concurrently.
type Cluster struct {
	*conn
	*Queue
	*Blobs
	*Participants
}

// newCluster returns a Cluster that uses the connection c.
func newCluster(c *conn) *Cluster {
	all := &Cluster{conn: c, Queue: &Queue{conn: c}, Blobs: &Blobs{conn: c}}
	all.Participants = &Participants{all}
	return all
}

// Close closes all connections to the server.
func (c *Cluster) Close() {
	c.Blobs.close()
	c.nc.Close()
}

// Dial connects to a server. It waits for the server until ctx ends. A connection that is lost later is restored
// automatically, without a time limit.
func Dial(ctx context.Context, a Address) (*Cluster, error) {
	c, err := dial(ctx, a)
	if err != nil {
		return nil, err
	}
	return newCluster(c), nil
}
