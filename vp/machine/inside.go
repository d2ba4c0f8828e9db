package machine

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// A marker identifies a machine in stack traces. It is an argument of callMarked, which calls the function of a Run. So
// the stack trace of a goroutine shows for which machines the goroutine works. It is an array of two elements, because
// every calling convention passes such arrays in memory. A traceback shows memory as it is, but the values that it
// shows for registers may be old.
type marker [2]uintptr

// markerSign is the first element of every marker. A search for markers does not depend on names of functions, which
// tools may change.
const markerSign = 0x4c6f636b // "Lock", in 32 bits

// markers counts the machines of this process, which gives each one a different marker.
var markers atomic.Uint32

func newMarker() marker { return marker{markerSign, uintptr(markers.Add(1))} }

// text returns the marker as a traceback shows it.
func (m marker) text() string {
	return "{0x" + strconv.FormatUint(uint64(m[0]), 16) + ", 0x" + strconv.FormatUint(uint64(m[1]), 16) + "}"
}

// callMarked calls fn(worker). It is never inlined, so its frame with the marker appears in tracebacks.
//
//go:noinline
func callMarked(_ marker, worker int, fn func(worker int)) {
	fn(worker)
}

// Inside reports whether the calling goroutine is inside a function of a Run of this machine. Callers use it to report
// misuse as an error. While the machine is busy a call takes microseconds, and some hundred microseconds if the result
// is true.
func (m *Machine) Inside() bool {
	if !m.runMu.TryLock() {
		return m.nested()
	}
	m.runMu.Unlock()
	return false
}

// nested reports whether the stack of the calling goroutine has the machine's marker. Comparing the numbers of
// goroutines would be simpler. But then every Run would have to find out the number of its goroutine, which takes as
// long as a stack trace.
func (m *Machine) nested() bool {
	if !worksForAny() {
		return false // usually the caller is another goroutine that waits for its turn
	}
	// A traceback has at most 100 frames: the first 50 and the last 50. A marker that is more than 50 frames away from
	// both ends is missed.
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	return strings.Contains(string(stack), m.marker.text())
}

// worksForAny reports whether the calling goroutine is a worker of any machine. It is a hundred times as fast as
// nested.
func worksForAny() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if f := runtime.FuncForPC(pc - 1); f != nil && f.Entry() == markedEntry {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// markedEntry is the address at which callMarked begins.
var markedEntry = func() (entry uintptr) {
	callMarked(marker{}, 0, func(int) {
		if pc, _, _, ok := runtime.Caller(1); ok {
			entry = runtime.FuncForPC(pc).Entry()
		}
	})
	return entry
}()

// enter locks the machine for the caller, and waits while other callers use it. It panics if the caller would wait for
// itself.
func (m *Machine) enter(method string) {
	if m.runMu.TryLock() {
		return
	}
	if m.nested() {
		panic("machine: " + method + " inside the function of a Run on the same machine, which would never end")
	}
	m.runMu.Lock()
}
