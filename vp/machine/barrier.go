package machine

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errBroken is the value with which wait panics at a broken barrier.
var errBroken = errors.New("machine: barrier broken")

// A barrier lets a fixed number of goroutines wait for each other between phases, any number of times. Waiters spin
// briefly and then sleep. A phase allocates nothing.
//
// It is a central sense-reversing barrier (Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization on
// Shared-Memory Multiprocessors", TOCS 1991, section 3.1). In such a barrier the waiters wait until a shared variable,
// the sense, changes. Here the number of the phase is the sense, so goroutines need no sense variable of their own.
type barrier struct {
	parties int32
	spin    time.Duration

	_       [falseSharing]byte
	arrived atomic.Int32
	_       [falseSharing]byte
	phase   atomic.Uint32
	broken  atomic.Bool
	_       [falseSharing]byte

	mu   sync.Mutex
	next sync.Cond // signalled when the phase has changed
}

func (b *barrier) init(parties int, spin time.Duration) {
	if parties <= 0 {
		panic("machine: a barrier needs at least one party")
	}
	b.parties, b.spin = int32(parties), spin
	b.next.L = &b.mu
}

// wait returns when all parties have called it for this phase. Writes of a party before its call are visible to all
// parties afterwards. It panics if the barrier is broken.
func (b *barrier) wait() {
	phase := b.phase.Load()
	if b.broken.Load() {
		panic(errBroken)
	}
	if b.arrived.Add(1) == b.parties {
		b.arrived.Store(0)
		b.advance()
		return
	}
	if !spinUntil(&b.phase, phase, b.spin) {
		b.mu.Lock()
		for b.phase.Load() == phase {
			b.next.Wait()
		}
		b.mu.Unlock()
	}
	if b.broken.Load() {
		panic(errBroken)
	}
}

// advance starts the next phase and wakes the sleepers. It holds the lock while it changes the phase. Otherwise a
// waiter could read the old phase, miss the wake-up, and then fall asleep.
func (b *barrier) advance() {
	b.mu.Lock()
	b.phase.Add(1)
	b.mu.Unlock()
	b.next.Broadcast()
}

// breakUp makes every present and future wait panic with errBroken.
func (b *barrier) breakUp() {
	b.broken.Store(true)
	b.advance()
}

// reset repairs a broken barrier that has no waiters.
func (b *barrier) reset() {
	b.arrived.Store(0)
	b.broken.Store(false)
}
