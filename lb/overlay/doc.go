// Package overlay shares unpredictable work among the peers of a network: along a tree, a tree with bridges, by random
// stealing, or through masters. The source is Vu, Derbel, Asim, Bendjoudi and Melab, "Overlay-Centric Load Balancing:
// Applications to UTS and B&B", IEEE CLUSTER 2012.
//
// A protocol is a state machine, [Peer]. It receives messages, looks at the peer's [Pool] of work, and sends messages
// through a [Transport]; it uses no clock, no goroutine and no network. Its driver calls
//
//	Start    once, before anything else
//	Receive  for every message that arrives
//	Worked   after every slice of work that the driver had the pool do
//
// one at a time, until Done. A slice is a number of steps of work between which a peer does not listen. Three
// sub-packages are drivers with transports: local starts a goroutine per peer, simulate counts virtual time, check
// delivers messages in difficult orders.
//
// # What a transport promises
//
// Messages from one peer to another arrive once each, after any delay, in the order in which they were sent; between
// different pairs of peers there is no order. A crash is announced to every peer by a message of kind [Down].
//
// # Termination
//
// No protocol may stop while work is left in a pool or on its way. The tree protocols without bridges detect this from
// their requests; most others count parcels sent and received. Both proofs are in detect.go.
package overlay
