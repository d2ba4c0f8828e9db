package machine

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// A marker is an argument of the frame below the function of a Run. It tells in a
// goroutine's stack which machines the goroutine works for. Arrays of more than one
// element are passed in memory by every convention for calls, so that a traceback shows
// them as they are, while what it shows of registers may be old.
type marker [2]uintptr

// markerSign is the first element of every marker, so that a traceback is searched for
// markers and not for names of functions, which tools change.
const markerSign = 0x4c6f636b // "Lock", in 32 bits

// markers counts the machines of this process, so that each has a marker of its own.
var markers atomic.Uint32

func newMarker() marker { return marker{markerSign, uintptr(markers.Add(1))} }

// text is the marker as a traceback shows it.
func (m marker) text() string {
	return "{0x" + strconv.FormatUint(uint64(m[0]), 16) + ", 0x" + strconv.FormatUint(uint64(m[1]), 16) + "}"
}

// callMarked calls fn(worker). It is a frame of its own, and keeps its marker.
//
//go:noinline
func callMarked(_ marker, worker int, fn func(worker int)) {
	fn(worker)
}

// Inside reports whether it is called by a function that a Run of this machine has called,
// on the same goroutine. It is for errors of misuse: while the machine is busy it takes
// microseconds, and where it is true some hundred.
func (m *Machine) Inside() bool {
	if !m.turn.TryLock() {
		return m.nested()
	}
	m.turn.Unlock()
	return false
}

// nested looks for the machine's marker in the stack of the calling goroutine. The number
// of the goroutine that called Run would say the same, but to ask for it costs as much as
// a whole stack, in every Run.
func (m *Machine) nested() bool {
	if !worksForAny() {
		return false // the usual caller that waits for its turn
	}
	// A traceback has 100 frames at most: the first 50 and the last 50. So the marker is
	// missed only if Run and the call that is nested in it are both deeper than that.
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	return strings.Contains(string(stack), m.marker.text())
}

// worksForAny reports whether the calling goroutine is a worker of any machine. It is a
// hundred times as fast as a traceback.
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

// markedEntry is where callMarked begins.
var markedEntry = func() (entry uintptr) {
	callMarked(marker{}, 0, func(int) {
		if pc, _, _, ok := runtime.Caller(1); ok {
			entry = runtime.FuncForPC(pc).Entry()
		}
	})
	return entry
}()

// enter takes the machine for the caller, after those who came before. It panics where
// the caller would wait for itself.
func (m *Machine) enter(method string) {
	if m.turn.TryLock() {
		return
	}
	if m.nested() {
		panic("machine: " + method + " inside the function of a Run on the same machine, which would never end")
	}
	m.turn.Lock()
}
