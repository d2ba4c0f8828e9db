package main

import (
	"runtime"
	"runtime/debug"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// Where memory runs out the system ends a process without a word, and where
// addresses run out (ulimit -v) the Go runtime ends it with the stacks of its
// goroutines. So both are counted before anything large is allocated.

// A room is the memory that this process may still take.
type room struct {
	memory  int64 // bytes that may become resident; 0 if that is not known
	limited bool  // whether addresses are limited
	space   int64 // bytes of addresses, if so
	thread  int64 // bytes of addresses that each further thread takes
}

// measure waits for the room that there is before anything is read, the first time.
func (a *app) measure() {
	a.measured.Do(func() {
		a.room = <-a.rooms
		a.room.limitHeap()
	})
}

// newRoom measures it. That takes up to a millisecond.
func newRoom() room {
	r := room{memory: availableMemory()}
	r.measureSpace()
	return r
}

func (r *room) measureSpace() {
	if r.space, r.limited = addressSpace(); r.limited {
		r.thread = threadSpace()
		threads, _ := field(system, "proc/self/status", "Threads:")
		r.space -= r.thread * max(int64(runtimeThreads+runtime.GOMAXPROCS(0))-threads, 0)
	}
}

const (
	// arenaBytes is the unit in which the Go runtime takes addresses. How much of the
	// last one is free is not known: where in the first one the heap begins is random.
	arenaBytes = 64 << 20
	// runtimeSpace is what the Go runtime is left to grow by for itself: garbage before
	// the next collection, stacks, tables of spans and arenas.
	runtimeSpace = 24 << 20
	// runtimeThreads is how many threads the runtime starts besides those that run the
	// program: for the main goroutine, signals, monitoring, the timer of the server of films
	// and a reserve.
	runtimeThreads = 8
)

// wholeArenas rounds up to arenas.
func wholeArenas(n int64) int64 { return (n + arenaBytes - 1) / arenaBytes * arenaBytes }

// spaceFor returns the addresses that the Go runtime takes for allocations. What does not
// fit the rest of the last arena needs new ones.
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

// lacks returns what would be short of allocations, or nil.
func (r *room) lacks(allocations ...int64) *recipe.Shortage {
	sum := int64(0)
	for _, n := range allocations {
		sum += n
	}
	if r.memory > 0 && sum > r.memory {
		return &recipe.Shortage{Of: "memory", Need: sum, Have: r.memory}
	}
	if need := spaceFor(append(allocations, runtimeSpace)...); r.limited && need > r.space {
		return &recipe.Shortage{Of: "address space", Need: need, Have: r.space}
	}
	return nil
}

// checkStart refuses to begin where the heap cannot grow by an arena.
func checkStart() error {
	var r room
	r.measureSpace()
	if s := r.lacks(); s != nil {
		return usagef("this program %s", s.Text())
	}
	return nil
}

// limitHeap makes the garbage collector work harder where addresses are limited: else
// the heap would grow beyond the limit by garbage alone.
func (r *room) limitHeap() {
	if r.limited {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + max(r.space-runtimeSpace, 0))
	}
}

// lacksToDraw returns the shortage if this number of workers drew, or nil.
func (r room) lacksToDraw(o render.Options, workers int) *recipe.Shortage {
	r.space -= r.thread * int64(workers)
	return r.lacks(budget.Drawing(o, workers)...)
}

// check refuses pictures that not even one worker can draw.
func (r *room) check(o render.Options) error {
	if s := r.lacksToDraw(o, 1); s != nil {
		return usagef("--size %dx%d with --samples %d %s%s", o.Width, o.Height, o.Samples, s.Text(), r.advice(o))
	}
	return nil
}

// wantedWorkers returns how many workers the options ask for.
func wantedWorkers(o render.Options) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Workers implements recipe.Memory: each may come to fill a whole frame.
func (r *room) Workers(o render.Options) int {
	low, high := 1, wantedWorkers(o)
	for low < high {
		if n := (low + high + 1) / 2; r.lacksToDraw(o, n) == nil {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// LimitMesh sets how much memory a reader may hold, so that one worker can still draw
// a picture with the options, and returns what would be short beyond that: nil where the
// user's own limit is lower.
func (r *room) LimitMesh(opts *scenes.ReadOptions, o render.Options) *recipe.Shortage {
	kept := append(budget.Drawing(o, 1), int64(wantedWorkers(o))*budget.ReaderBytes)
	var s *recipe.Shortage
	if r.memory > 0 {
		s = &recipe.Shortage{Of: "memory", Have: r.memory}
		for _, n := range kept {
			s.Have -= n
		}
	}
	if r.limited {
		// The last arena of what grows, and that of the mesh which it is copied into, may
		// be nearly empty.
		space := r.space - r.thread*int64(wantedWorkers(o)) - spaceFor(append(kept, runtimeSpace)...) - 2*arenaBytes
		if s == nil || space < s.Have {
			s = &recipe.Shortage{Of: "address space", Have: space}
		}
	}
	if s == nil || opts.MaxMemory > 0 && opts.MaxMemory < s.Have {
		return nil
	}
	opts.MaxMemory = max(s.Have, 1)
	return s
}

// Took implements recipe.Memory: it subtracts the memory of back faces that workers set aside, too.
func (r *room) Took(held int64, triangles int) {
	aside := int64(0)
	if held > 0 {
		aside = render.AsideBytes(triangles)
	}
	if r.memory > 0 && held > 0 {
		r.memory = max(r.memory-held-aside, 1)
	}
	r.measureSpace()
	r.space -= aside * int64(runtime.GOMAXPROCS(0))
}

// Lacks implements recipe.Memory.
func (r *room) Lacks(o render.Options, more ...int64) *recipe.Shortage {
	return r.lacks(append(budget.Drawing(o, 1), more...)...)
}

// Loaded implements recipe.Memory: what has grown leaves its first copy behind.
func (r *room) Loaded() {
	if r.limited {
		runtime.GC()
	}
}
