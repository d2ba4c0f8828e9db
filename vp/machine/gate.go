package machine

import (
	"sync/atomic"
	"time"
)

// gate lets one goroutine wait for one event. The waiter spins for a while, then sleeps. Method open wakes it only if
// it sleeps. Each call of open is paired with one call of wait. The waiter resets the gate before the next call of open
// can come.
type gate struct {
	state atomic.Uint32
	wake  chan struct{}
	_     [falseSharing]byte
}

const (
	gateClosed uint32 = iota
	gateOpen
	gateAsleep // closed, and the waiter sleeps on wake
)

func (g *gate) init() { g.wake = make(chan struct{}, 1) }

func (g *gate) reset() { g.state.Store(gateClosed) }

func (g *gate) open() {
	if g.state.Swap(gateOpen) == gateAsleep {
		g.wake <- struct{}{}
	}
}

// wait returns when the gate is open. It spins for at most the given time before it sleeps.
func (g *gate) wait(spin time.Duration) {
	if spinUntil(&g.state, gateClosed, spin) {
		return
	}
	if g.state.CompareAndSwap(gateClosed, gateAsleep) {
		<-g.wake
	}
}

// spinFor is how long a waiter spins before it sleeps. It must be longer than it takes to wake a sleeper: about 100
// microseconds in a virtual machine whose core has gone to sleep as well (BenchmarkDispatch/idle).
//
// Otherwise one sleep causes the next. The worker that wakes the sleeper reaches the next barrier. It stops spinning
// before the sleeper arrives there, and falls asleep itself. If spinFor was 50 microseconds, BenchmarkSync took 80
// microseconds per phase instead of 0.1.
const spinFor = 200 * time.Microsecond

// spinUntil spins until word differs from value, and reports whether it did so within the given time.
func spinUntil(word *atomic.Uint32, value uint32, spin time.Duration) bool {
	if word.Load() != value {
		return true
	}
	if spin <= 0 {
		return false
	}
	const looksPerClock = 64 // one reading of the clock takes as long as some tens of readings of `word`
	for start := time.Now(); ; {
		for range looksPerClock {
			if word.Load() != value {
				return true
			}
		}
		if time.Since(start) >= spin {
			return false
		}
	}
}
