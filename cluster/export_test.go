package cluster

import "context"

// Silent returns options of a node that sends no heartbeats, so that its leases end
// while it draws.
func Silent(name string) WorkOptions { return WorkOptions{Name: name, noHeartbeat: true} }

// Put writes a value.
func (c *Cluster) Put(ctx context.Context, store, key string, value any) error {
	return c.put(ctx, store, key, value)
}
