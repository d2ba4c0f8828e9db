package budget

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"

	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
)

// If memory runs out, the system kills a process without a message. If address space runs out (ulimit -v), the Go
// runtime crashes and prints the stacks of all goroutines. Therefore the programs check before large allocations
// whether both suffice.

// An Account is the memory that this process may still allocate. It implements recipe.Memory. The zero value has no
// limit.
type Account struct {
	Memory  int64 // memory in bytes that this process may still use; 0 means unknown
	Limited bool  // set if the address space is limited
	Space   int64 // bytes of address space left, if Limited
	thread  int64 // bytes of address space for each further thread
}

// New returns the account of this process. It takes up to a millisecond.
func New() Account {
	r := Account{Memory: availableMemory()}
	r.measureSpace()
	return r
}

func (r *Account) measureSpace() {
	if r.Space, r.Limited = addressSpace(); r.Limited {
		r.thread = threadSpace()
		threads, _ := readField(system, "proc/self/status", "Threads:")
		r.Space -= r.thread * max(int64(runtimeThreads+runtime.GOMAXPROCS(0))-threads, 0)
	}
}

const (
	// ArenaBytes is the amount by which the Go runtime enlarges its heap. How much of the last arena is free is
	// unknown, because the heap begins at a random offset in the first arena.
	ArenaBytes = 64 << 20
	// runtimeSpace is the address space in bytes for the Go runtime itself: garbage before the next collection, stacks,
	// and the tables of its allocator.
	runtimeSpace = 24 << 20
	// runtimeThreads is the number of threads of the runtime in addition to the workers' threads. It counts the main
	// goroutine, signals, monitoring, timers of a NATS server, and a reserve.
	runtimeThreads = 8
)

// wholeArenas rounds n up to a multiple of ArenaBytes.
func wholeArenas(n int64) int64 { return (n + ArenaBytes - 1) / ArenaBytes * ArenaBytes }

// spaceFor returns how many bytes of address space the Go runtime reserves for these allocations, made in this order.
// An allocation that does not fit into the rest of the last arena needs new arenas.
func spaceFor(allocations ...int64) (space int64) {
	rest := int64(0)
	for _, n := range allocations {
		if n > rest {
			more := wholeArenas(n)
			space, rest = space+more, rest+more
		}
		rest -= n
	}
	return space
}

// ShortageOf returns what is missing, memory or address space, for all these allocations together. It returns nil if
// both suffice.
func (r *Account) ShortageOf(allocations ...int64) *Shortage {
	sum := int64(0)
	for _, n := range allocations {
		sum += n
	}
	if r.Memory > 0 && sum > r.Memory {
		return &Shortage{Resource: "memory", Need: sum, Have: r.Memory}
	}
	if need := spaceFor(append(allocations, runtimeSpace)...); r.Limited && need > r.Space {
		return &Shortage{Resource: "address space", Need: need, Have: r.Space}
	}
	return nil
}

// CheckStart returns an error if there is too little address space for the runtime itself.
func CheckStart() error {
	var r Account
	r.measureSpace()
	if s := r.ShortageOf(); s != nil {
		return fmt.Errorf("this program %s", s.Text())
	}
	return nil
}

// LimitHeap sets a memory limit for the garbage collector. Without it, garbage alone could exceed the limit of a
// control group or of the address space.
func (r *Account) LimitHeap() {
	left := int64(math.MaxInt64)
	if r.Memory > 0 {
		left = r.Memory - r.Memory/outsideHeap
	}
	if r.Limited {
		left = min(left, max(r.Space-runtimeSpace, 0))
	}
	if left < math.MaxInt64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		limit := int64(m.Sys-m.HeapReleased) + left
		debug.SetMemoryLimit(min(limit, debug.SetMemoryLimit(-1))) // GOMEMLIMIT may have set a lower limit
	}
}

// outsideHeap determines the part of the memory that the heap must not use: 1/outsideHeap. This part is for the
// program's file, for tables of the system's kernel, and for what the heap uses beyond its limit.
const outsideHeap = 8

// DrawShortage returns what is missing, memory or address space, if this number of workers draws a picture. It returns
// nil if both suffice.
func (r Account) DrawShortage(o render.Options, workers int) *Shortage {
	r.Space -= r.thread * int64(workers)
	return r.ShortageOf(DrawingBytes(o, workers)...)
}

// WantedWorkers returns the number of workers that the options request.
func WantedWorkers(o render.Options) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Workers implements recipe.Memory. It assumes that each worker fills a whole frame.
func (r *Account) Workers(o render.Options) int {
	low, high := 1, WantedWorkers(o)
	for low < high {
		if n := (low + high + 1) / 2; r.DrawShortage(o, n) == nil {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// allocationsBesideMesh returns the sizes in bytes of the allocations for which LimitMesh leaves memory.
func allocationsBesideMesh(o render.Options) []int64 {
	return append(DrawingBytes(o, 1), int64(WantedWorkers(o))*ReaderBytes)
}

// reservedSpace returns how many bytes of address space LimitMesh leaves for purposes other than the mesh. The result
// includes two arenas that may be almost unused. One is the last arena of a growing buffer. The other is the last
// arena of the mesh to which the buffer is copied.
func (r *Account) reservedSpace(o render.Options) int64 {
	return r.thread*int64(WantedWorkers(o)) + spaceFor(append(allocationsBesideMesh(o), runtimeSpace)...) + 2*ArenaBytes
}

// LimitMesh limits the memory for reading a mesh. The rest of the memory suffices for one worker to draw a picture
// with the options o. LimitMesh returns the shortage to report if a mesh exceeds the limit. The result is nil if the
// user's own limit is lower or if no limit is known.
func (r *Account) LimitMesh(opts *scenes.ReadOptions, o render.Options) *Shortage {
	var s *Shortage
	if r.Memory > 0 {
		s = &Shortage{Resource: "memory", Have: r.Memory}
		for _, n := range allocationsBesideMesh(o) {
			s.Have -= n
		}
	}
	if r.Limited {
		space := r.Space - r.reservedSpace(o)
		if s == nil || space < s.Have {
			s = &Shortage{Resource: "address space", Have: space}
		}
	}
	if s == nil || opts.MaxMemory > 0 && opts.MaxMemory < s.Have {
		return nil
	}
	opts.MaxMemory = max(s.Have, 1)
	return s
}

// Part returns an account with the fraction part/whole of the memory that is left. Use Part for reading a mesh if the
// result of the command, such as a prepared file, needs the rest of the memory. The address space that LimitMesh
// reserves is not divided, because it does not depend on the mesh.
func (r Account) Part(part, whole int64, o render.Options) Account {
	if r.Memory > 0 {
		r.Memory = max(r.Memory/whole*part, 1)
	}
	if aside := r.reservedSpace(o); r.Limited && r.Space > aside {
		r.Space = aside + (r.Space-aside)/whole*part
	}
	return r
}

// Took implements recipe.Memory. Some polygons are drawn after the others: small back faces, and polygons that are
// predicted to be hidden. Took also subtracts the memory for these polygons.
func (r *Account) Took(held int64, triangles int) {
	aside := int64(0)
	if held > 0 {
		aside = footprint.Deferred(triangles)
	}
	if r.Memory > 0 && held > 0 {
		r.Memory = max(r.Memory-held-aside, 1)
	}
	r.measureSpace()
	r.Space -= aside * int64(runtime.GOMAXPROCS(0))
}

// Lacks implements recipe.Memory.
func (r *Account) Lacks(o render.Options, more ...int64) *Shortage {
	return r.ShortageOf(append(DrawingBytes(o, 1), more...)...)
}

// Loaded implements recipe.Memory. It collects the garbage that growing buffers have left.
func (r *Account) Loaded() {
	if r.Limited {
		runtime.GC()
	}
}

// Share returns an account with 1/n of the memory and of the address space.
func (r Account) Share(n int) Account {
	r.Memory /= int64(max(n, 1))
	r.Space /= int64(max(n, 1))
	return r
}
