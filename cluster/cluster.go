package cluster

import (
	"context"
)

// A Cluster is a connection to a server, and the three subjects that there are with it. Its methods may be called
// concurrently.
type Cluster struct {
	*conn
	*Queue
	*Blobs
	*Participants
}

// newCluster returns the subjects of a connection.
func newCluster(c *conn) *Cluster {
	all := &Cluster{conn: c, Queue: &Queue{c}, Blobs: &Blobs{conn: c}}
	all.Participants = &Participants{all}
	return all
}

// Close ends the connection.
func (c *Cluster) Close() {
	c.Blobs.close()
	c.nc.Close()
}

// Dial connects to a server, which it waits for until ctx ends. A connection that is
// lost later is made again for as long as it takes.
func Dial(ctx context.Context, a Address) (*Cluster, error) {
	c, err := dial(ctx, a)
	if err != nil {
		return nil, err
	}
	return newCluster(c), nil
}
