// Package local runs the protocols of overlay in this process: each peer is a goroutine with a mailbox, and there may
// be one or many per core. It is the only part of lb that starts goroutines. All of them end before Run returns.
package local

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lockstep/lb/overlay"
)

// DefaultSlice is the number of steps of work between two checks of the mailbox if Run gets a slice of 0.
const DefaultSlice = 1024

// Run runs the peers of an overlay, each on its own pool. At the start the pool of the peer net.Holder() has all work.
// slice is the number of steps of work that a peer does before it looks into its mailbox; 0 means DefaultSlice. Run
// returns the counters of each peer.
//
// If ctx ends first, Run returns the cause. The pools may then still have work, or work may be lost.
func Run(ctx context.Context, net *overlay.Overlay, pools []overlay.Pool, slice int) ([]overlay.Counters, error) {
	if ctx == nil || net == nil || len(pools) != net.Peers() || slices.Contains(pools, nil) {
		return nil, errors.New("expected a context, an overlay, and a pool for each of its peers")
	}
	if slice <= 0 {
		slice = DefaultSlice
	}
	boxes := make(mailboxes, net.Peers())
	for i := range boxes {
		boxes[i].mail.L = &boxes[i].lock
	}
	peers := make([]*overlay.Peer, net.Peers())
	for i := range peers {
		var err error
		if peers[i], err = net.Peer(i, pools[i], boxes); err != nil {
			return nil, err
		}
	}
	var cancelled atomic.Bool
	release := context.AfterFunc(ctx, func() {
		cancelled.Store(true)
		for i := range boxes {
			boxes[i].wake()
		}
	})
	defer release()
	var group sync.WaitGroup
	for i, p := range peers {
		group.Go(func() { drive(p, pools[i], &boxes[i], slice, &cancelled) })
	}
	group.Wait()
	if cancelled.Load() {
		return nil, context.Cause(ctx)
	}
	counters := make([]overlay.Counters, len(peers))
	for i, p := range peers {
		counters[i] = p.Counters()
	}
	return counters, nil
}

// drive runs peer p until it is done or the run is cancelled.
func drive(p *overlay.Peer, pool overlay.Pool, box *mailbox, slice int, cancelled *atomic.Bool) {
	p.Start()
	var mail []overlay.Message
	for !p.Done() && !cancelled.Load() {
		mail = box.fetch(mail[:0], !p.Busy(), cancelled)
		for _, m := range mail {
			p.Receive(m)
		}
		clear(mail)
		if p.Busy() && !p.Done() {
			pool.Work(slice)
			p.Worked()
		}
	}
}

// A mailbox is an unbounded queue. A sender never waits, so peers cannot deadlock by waiting for each other.
type mailbox struct {
	waiting atomic.Int32 // number of messages in the queue, read without the lock
	lock    sync.Mutex
	mail    sync.Cond
	queue   []overlay.Message
	_       [64]byte // keeps two mailboxes out of one cache line
}

type mailboxes []mailbox

// Send implements overlay.Transport.
func (b mailboxes) Send(m overlay.Message) {
	box := &b[m.To]
	box.lock.Lock()
	box.queue = append(box.queue, m)
	box.waiting.Store(int32(len(box.queue)))
	box.lock.Unlock()
	box.mail.Signal()
}

// wake wakes the owner of the mailbox, so that it looks at its messages and at the flag cancelled.
func (b *mailbox) wake() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.mail.Signal()
}

// fetch empties the mailbox and returns mail with the messages appended. If wait is true, fetch waits until there is a
// message or the run is cancelled.
func (b *mailbox) fetch(mail []overlay.Message, wait bool, cancelled *atomic.Bool) []overlay.Message {
	if b.waiting.Load() == 0 && !wait {
		return mail
	}
	if wait {
		// Yield to a peer with work. Otherwise this peer would ask again in vain.
		runtime.Gosched()
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	for wait && len(b.queue) == 0 && !cancelled.Load() {
		b.mail.Wait()
	}
	mail = append(mail, b.queue...)
	clear(b.queue)
	b.queue = b.queue[:0]
	b.waiting.Store(0)
	return mail
}
