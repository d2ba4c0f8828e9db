// Package testheap makes memory cheap for tests that make many renderers, meshes or pictures. Most of the heap is in
// huge pages, and it is not returned to the system between tests.
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
	// ballast is the size of an allocation that is never touched. It takes address space but no memory. The garbage
	// collector counts it, so the next collection starts only after the heap has grown by Percent of at least this
	// size. Therefore tests run without collections in between, and use the same memory again.
	ballast = 32 << 20
	// Percent is the percentage of the garbage collector, see debug.SetGCPercent.
	Percent = 300
	// advised is the number of bytes of the heap that are requested in huge pages. It is about the size of the heap at the
	// first collection. Huge pages save 33 thousand page faults of small pages. More bytes cost time on a virtual machine
	// without free memory: with one gigabyte, each huge page took up to 20 ms of system time. That is more than the time
	// of the collections that would be saved.
	advised = 128 << 20
)

// Main runs the tests of a package with the heap of Prepare, and ends the process.
func Main(m *testing.M) {
	release := Prepare()
	code := m.Run()
	release()
	os.Exit(code)
}

// Prepare sets up the heap for packages whose TestMain cannot use Main. It requests huge pages behind the present end
// of the heap, where the heap grows next. The caller calls the function release after the tests.
func Prepare() (release func()) {
	if debug.SetGCPercent(Percent); race.Enabled {
		return func() {} // the race detector would touch all of its shadow memory for huge pages
	}
	// No collection may start between these two allocations. A collection could free used memory behind the first
	// allocation. The second allocation would then clear that memory, and so touch it before its pages are huge.
	debug.SetGCPercent(-1)
	kept := make([]byte, ballast)
	hugepages.Advise(make([]byte, advised))
	debug.SetGCPercent(Percent)
	runtime.GC()
	return func() { runtime.KeepAlive(kept) }
}
