// Package testheap makes memory cheap for tests that make many renderers, meshes or pictures. Most of the heap is in
// huge pages, and it is not given back to the system between tests.
package testheap

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"lockstep/vp/hugepages"
	"lockstep/vp/isa/race"
)

const (
	// ballast is the size of an allocation that is never touched, so that it takes address space but no memory. The
	// collector counts it: the heap is collected only after it has grown by Percent of at least this size. So tests use
	// memory again without collections in between.
	ballast = 32 << 20
	// Percent is the goal of the garbage collector, as in debug.SetGCPercent.
	Percent = 300
	// advised is how many bytes of the heap are requested in huge pages: about the size at which the first collection
	// starts. This saves 33 thousand page faults of small pages. More costs time on a virtual machine without memory in
	// reserve: with one gigabyte, each huge page took up to 20 ms of system time, which is more time than the saved
	// collections would take.
	advised = 128 << 20
)

// Main runs the tests of a package with the heap of Prepare, and ends the process.
func Main(m *testing.M) {
	release := Prepare()
	code := m.Run()
	release()
	os.Exit(code)
}

// Prepare sets up the heap for packages whose TestMain does more than Main. It requests huge pages behind the present
// end of the heap, where the heap grows next. The caller calls release after the tests.
func Prepare() (release func()) {
	if debug.SetGCPercent(Percent); race.Enabled {
		return func() {} // the race detector shadows the heap, and huge pages would make it touch all of its shadow
	}
	// No collection may start between these two allocations. A collection could free used memory behind the first
	// allocation. This memory would be cleared for the second allocation, and so touched before its pages are huge.
	debug.SetGCPercent(-1)
	kept := make([]byte, ballast)
	hugepages.Advise(make([]byte, advised))
	debug.SetGCPercent(Percent)
	runtime.GC()
	return func() { runtime.KeepAlive(kept) }
}
