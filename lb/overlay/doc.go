// Package overlay shares unpredictable work among the peers of a network: along a tree, a tree with bridges, by random
// stealing, or through masters. The source is Vu, Derbel, Asim, Bendjoudi and Melab, "Overlay-Centric Load Balancing:
// Applications to UTS and B&B", IEEE CLUSTER 2012.
//
// A protocol is a state machine, [Peer]. It receives messages, looks at the peer's [Pool] of work, and sends messages
// through a [Transport]. It uses no clock, no goroutine and no network. A program that runs peers, their driver, calls
// the methods
//
//	Start    once, before anything else
//	Receive  for every message that arrives
//	Worked   after every slice of work that the driver had the pool do
//
// one at a time, until Done. A slice is a number of steps of work during which a peer does not listen. Three
// sub-packages are drivers with transports. Package local starts a goroutine per peer, simulate counts virtual time,
// and check delivers messages in difficult orders.
//
// # What a transport promises
//
// Messages from one peer to another arrive once each, after any delay, in the order in which they were sent. Between
// different pairs of peers there is no order. A message of kind [Down] tells every peer about a crash.
//
// # Termination
//
// No protocol may stop while a pool has work or work is on its way. The tree protocols without bridges detect the end
// by their requests. Most others count parcels sent and received. Both proofs are in detect.go.
package overlay
