package cluster

// Silent returns options of a node that sends no heartbeats, so that its leases end
// while it draws.
func Silent(name string) WorkOptions { return WorkOptions{Name: name, noHeartbeat: true} }
