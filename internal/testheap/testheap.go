// Package testheap makes memory cheap for the tests of packages that make many renderers, meshes or pictures: most of it
// comes in huge pages, and it is not given back between tests.
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
	// ballast stays allocated and is never touched, so it takes addresses and no memory. The collector counts it: the
	// heap is collected when it has grown by Percent of it, and what that leaves is kept for the next test.
	ballast = 32 << 20
	// Percent is the goal of the garbage collector.
	Percent = 300
	// advised is how much of the heap comes in huge pages: about as much as it grows to before the first collection. In
	// small pages that is 33 thousand page faults. More is dear where a virtual machine has no memory behind its own: a
	// heap of one gigabyte took up to 20 ms of system time for each of its huge pages, and collections of a small one take
	// less.
	advised = 128 << 20
)

// Main runs the tests of a package with such a heap, and ends the process.
func Main(m *testing.M) {
	release := Prepare()
	code := m.Run()
	release()
	os.Exit(code)
}

// Prepare is Main for packages whose TestMain does more. It asks the system for huge pages behind the present end of the
// heap, where it grows next. The caller calls release after the tests.
func Prepare() (release func()) {
	if debug.SetGCPercent(Percent); race.Enabled {
		return func() {} // the detector would touch memory of its own for all of it
	}
	// No collection may begin between the two: if it leaves used memory behind the first, all of the second is cleared,
	// and that touches it in pages that are not large yet.
	debug.SetGCPercent(-1)
	kept := make([]byte, ballast)
	hugepages.Advise(make([]byte, advised))
	debug.SetGCPercent(Percent)
	runtime.GC()
	return func() { runtime.KeepAlive(kept) }
}
