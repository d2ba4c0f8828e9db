// Package testheap saves time in tests that make many renderers, meshes or pictures. It puts most of the heap into huge
// pages, and does not return it to the system between tests.
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
	// ballast is the size of an allocation that is never touched. The allocation takes address space but no memory. The
	// garbage collector counts it as part of the heap. So the next collection starts only when the heap has grown by at
	// least Percent percent of ballast. Most tests end before that.
	ballast = 32 << 20
	// Percent is the percentage of the garbage collector, see debug.SetGCPercent.
	Percent = 300
	// advised is the number of bytes of the heap for which huge pages are requested. It is about the size of the heap
	// at the first collection. Huge pages save 33 thousand page faults. With more huge pages, tests would be slower: a
	// virtual machine without free memory took up to 20 ms for each huge page.
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
		return func() {} // under the race detector, huge pages would also fill all shadow memory
	}
	// No collection may start between these two allocations. It could free used memory behind the first one. Then the
	// second allocation would clear that memory, which touches its pages before they are huge.
	debug.SetGCPercent(-1)
	kept := make([]byte, ballast)
	hugepages.Advise(make([]byte, advised))
	debug.SetGCPercent(Percent)
	runtime.GC()
	return func() { runtime.KeepAlive(kept) }
}
