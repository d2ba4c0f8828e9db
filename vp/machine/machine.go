package machine

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a [Machine]. The zero value is the default.
type Options struct {
	// Workers is the number of workers. 0 means one for every core that this process may use. Their number is the size
	// of its affinity mask, or GOMAXPROCS if GOMAXPROCS is smaller. GOMAXPROCS follows a container's quota.
	Workers int
	// NoPin leaves the placement of the workers to the operating system. Set it if several busy machines or processes
	// share the same cores.
	NoPin bool
}

// Machine is a fixed team of workers that run one function together, again and again. Start and end of a function cost
// about a microsecond.
//
// Worker 0 is the goroutine that calls [Machine.Run]; every other worker is a goroutine of the machine. While a
// function runs, each worker is locked to a thread and the thread is pinned to its own core. README.md beside this
// file has the protocol and its measurements.
//
// Several goroutines may use one machine: their Runs take turns. The function of a Run may run functions on other
// machines. If it calls [Machine.Run], [Machine.For] or [Machine.Close] of the same machine on its own goroutine, that
// call panics, since it would wait for itself. A goroutine that the function starts takes its turn like any other, so
// the function must not wait for it.
//
// The machine stays usable after such a panic, and after a function that panics or calls runtime.Goexit.
type Machine struct {
	runMu  sync.Mutex // held by the running Run, and by Close
	closed bool       // guarded by runMu

	team           []worker // worker i of the machine is team[i-1]
	ended          sync.WaitGroup
	workers        int
	spin           time.Duration
	cores          []int    // core of every worker; nil if no worker is pinned
	callerAffinity affinity // affinity of the caller while it is worker 0
	pinsCaller     bool     // the caller is pinned in every Run; guarded by runMu
	barrier        barrier
	marker         marker

	pinned   atomic.Int32
	pinError atomic.Pointer[error]

	fn      func(worker int) // set before the gates are opened
	failure atomic.Pointer[PanicError]

	_       [falseSharing]byte
	pending atomic.Int32 // number of workers that have not finished the current function
	_       [falseSharing]byte
	done    gate // opened by the last worker that finishes
}

// falseSharing is the distance in bytes between words that different cores write: two cache lines of 64 bytes. x86
// prefetches lines in pairs, and some arm64 processors have lines of 128 bytes.
const falseSharing = 128

type worker struct {
	start gate
	stop  bool // set before the gate is opened for the last time
	_     [falseSharing]byte
}

// PanicError is the value with which [Machine.Run] panics after a worker has panicked.
type PanicError struct {
	Worker int    // the worker that panicked
	Value  any    // the value of its panic
	Stack  []byte // its stack at that time
}

// Error returns one line that names the worker and the value.
func (e *PanicError) Error() string {
	return fmt.Sprintf("machine: worker %d panicked: %v", e.Worker, e.Value)
}

// Unwrap returns the panic's value if it is an error, otherwise nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// String returns the message and the worker's stack.
func (e *PanicError) String() string {
	return e.Error() + "\n\n" + string(e.Stack)
}

// MaxWorkers is the largest number of workers: 64 times the number of cores of the largest computers. So many
// goroutines and threads still fit into the memory of small computers.
const MaxWorkers = 1 << 16

// New starts a machine. It panics unless opts.Workers is between 0 and MaxWorkers. The caller owns the machine and ends
// its goroutines with [Machine.Close].
func New(opts Options) *Machine {
	if opts.Workers < 0 || opts.Workers > MaxWorkers {
		panic(fmt.Sprintf("machine: New: %d workers, expected 0 to %d", opts.Workers, MaxWorkers))
	}
	cores := allowedCores()
	parallel := min(len(cores), runtime.GOMAXPROCS(0))
	m := &Machine{workers: opts.Workers, marker: newMarker()}
	if m.workers == 0 {
		m.workers = parallel
	}
	if m.workers <= parallel {
		m.spin = spinFor
	}
	// Two workers pinned to one core would wait for each other while another core may be free. So with more workers
	// than cores, the operating system places them.
	if !opts.NoPin && m.workers <= len(cores) {
		m.cores = cores[:m.workers]
	}
	m.start()
	return m
}

// start starts the goroutines of the machine's workers, except worker 0. It returns when all of them are waiting for a
// function.
func (m *Machine) start() {
	m.barrier.init(m.workers, m.spin)
	m.done.init()
	m.team = make([]worker, m.workers-1)
	m.tryPinCaller()
	var ready sync.WaitGroup
	for i := range m.team {
		m.team[i].start.init()
		ready.Add(1)
		m.ended.Add(1)
		go m.serve(i+1, ready.Done)
	}
	ready.Wait()
}

// tryPinCaller finds out whether worker 0 can be pinned, and counts it as pinned if it can.
func (m *Machine) tryPinCaller() {
	if m.cores == nil {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := m.callerAffinity.pin(m.cores[0]); err != nil {
		m.notePinError(0, err)
		return
	}
	m.pinsCaller = true
	m.pinned.Add(1)
	m.unpinCaller()
}

func (m *Machine) unpinCaller() {
	if err := m.callerAffinity.restore(); err != nil {
		m.stopPinningCaller(err)
	}
}

// stopPinningCaller stops pinning worker 0, for example because the process has been moved to other cores.
func (m *Machine) stopPinningCaller(err error) {
	m.pinsCaller = false
	m.pinned.Add(-1)
	m.notePinError(0, err)
}

func (m *Machine) notePinError(worker int, err error) {
	err = fmt.Errorf("machine: cannot pin worker %d to core %d: %w", worker, m.cores[worker], err)
	m.pinError.CompareAndSwap(nil, &err)
}

// Workers returns the number of workers, at least 1.
func (m *Machine) Workers() int { return m.workers }

// Pinned returns the number of workers that are pinned to a core of their own. It is 0 if NoPin is set or there are
// more workers than cores. The system may refuse to pin some workers.
func (m *Machine) Pinned() int { return int(m.pinned.Load()) }

// PinError returns why the system first refused to pin a worker, or nil. It wraps errors.ErrUnsupported if the system
// does not support pinning. The machine works in spite of the error.
func (m *Machine) PinError() error {
	if err := m.pinError.Load(); err != nil {
		return *err
	}
	return nil
}

// Run calls fn(worker) once on every worker, at the same time if there are enough cores, and returns when all calls
// have returned. Writes of the caller before Run are visible to fn, and writes of fn are visible after Run. Run
// allocates nothing.
//
// If fn panics, Run waits for the other workers and then panics with the first panic as a *[PanicError]. If fn calls
// runtime.Goexit on the caller's goroutine, that goroutine ends after the other workers have ended; on another worker
// it counts as a panic. The machine stays usable in both cases. Run panics if the machine is closed, if fn is nil, and
// inside the function of a Run on the same machine.
func (m *Machine) Run(fn func(worker int)) { m.run("Run", fn) }

func (m *Machine) run(method string, fn func(worker int)) {
	if fn == nil {
		panic("machine: " + method + " without a function")
	}
	m.enter(method)
	defer m.runMu.Unlock()
	if m.closed {
		panic("machine: " + method + " on a closed Machine")
	}
	if m.failure.Load() != nil { // forget a panic of the previous Run
		m.failure.Store(nil)
		m.barrier.reset()
	}
	m.runTeam(fn)
	if failure := m.failure.Load(); failure != nil {
		panic(failure)
	}
}

func (m *Machine) runTeam(fn func(worker int)) {
	m.fn = fn
	m.done.reset()
	m.pending.Store(int32(m.workers))
	for i := range m.team {
		m.team[i].start.open()
	}
	defer m.join() // deferred in case fn calls Goexit
	m.callPinned(fn)
}

// join waits for the other workers, after the caller has done its share.
func (m *Machine) join() {
	if m.pending.Add(-1) != 0 {
		m.done.wait(m.spin)
	}
	m.fn = nil
}

// callPinned runs the caller's share on the core of worker 0. With one worker, this is the core on which the caller
// already runs, because a move to another core would take 100 microseconds.
func (m *Machine) callPinned(fn func(worker int)) {
	if m.pinsCaller {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if m.workers == 1 {
			m.cores[0] = currentCore()
		}
		if err := m.callerAffinity.pin(m.cores[0]); err != nil {
			m.stopPinningCaller(err)
		} else {
			defer m.unpinCaller()
		}
	}
	m.call(0, fn)
}

// call runs fn, and records a panic or a Goexit of fn as a failure.
func (m *Machine) call(worker int, fn func(worker int)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		if value == nil {
			value = "runtime.Goexit called in the function of Run"
		}
		m.fail(worker, value)
	}()
	callMarked(m.marker, worker, fn)
	returned = true
}

// fail records the first panic, and frees the workers that wait at the barrier for the worker that panicked.
func (m *Machine) fail(worker int, value any) {
	if value == errBroken && m.failure.Load() != nil {
		return // it follows from another worker's panic, which is already recorded
	}
	failure := &PanicError{Worker: worker, Value: value, Stack: debug.Stack()}
	m.failure.CompareAndSwap(nil, failure)
	m.barrier.breakUp()
}

// The method For calls do(worker, i) once for every i from 0 to n-1, on all workers, and returns when all calls have
// returned. A worker takes up to batch consecutive indices at a time, first from its own range and then from the ranges
// of others. So the calls are not in the order of the indices. If n is at most batch, the caller makes all calls
// itself, also inside the function of a Run. The method panics in the same cases as [Machine.Run].
func (m *Machine) For(n, batch int, do func(worker, i int)) {
	if do == nil {
		panic("machine: For without a function")
	}
	all := func(worker int) {
		for i := range n {
			do(worker, i)
		}
	}
	switch {
	case n <= batch:
		all(0)
		return
	case m.workers == 1:
		m.run("For", all)
		return
	}
	var left Ranges
	left.Reset(m.workers, n)
	m.run("For", func(worker int) {
		for {
			lo, hi, ok := left.NextBatch(worker, batch)
			if !ok {
				return
			}
			for i := lo; i < hi; i++ {
				do(worker, i)
			}
		}
	})
}

// Sync is a barrier inside the function of a Run: it returns when all workers have called it. Every worker must call it
// equally often. If another worker panics, Sync does not return. It then ends the call of the Run's function on its own
// worker. Sync panics outside of a Run.
func (m *Machine) Sync() {
	if m.fn == nil {
		panic("machine: Sync outside the function of a Run")
	}
	m.barrier.wait()
}

// Close ends the machine's goroutines, waits for them and restores the affinity of their threads. It waits for a Run in
// progress and may be called again. It panics inside the function of a Run on the same machine.
func (m *Machine) Close() {
	m.enter("Close")
	defer m.runMu.Unlock()
	if m.closed {
		return
	}
	m.closed = true
	for i := range m.team {
		m.team[i].stop = true
		m.team[i].start.open()
	}
	m.ended.Wait()
}
