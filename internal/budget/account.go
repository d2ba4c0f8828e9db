package budget

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"lockstep/render"
	"lockstep/scenes"
)

// Where memory runs out the system ends a process without a word, and where
// addresses run out (ulimit -v) the Go runtime ends it with the stacks of its
// goroutines. So both are counted before anything large is allocated.

// An Account is the memory that this process may still take. It implements recipe.Memory. The zero value knows no
// limit.
type Account struct {
	Memory  int64 // bytes that may become resident; 0 if that is not known
	Limited bool  // whether addresses are limited
	Space   int64 // bytes of addresses, if so
	thread  int64 // bytes of addresses that each further thread takes
}

// New measures the account of this process. That takes up to a millisecond.
func New() Account {
	r := Account{Memory: availableMemory()}
	r.measureSpace()
	return r
}

func (r *Account) measureSpace() {
	if r.Space, r.Limited = addressSpace(); r.Limited {
		r.thread = threadSpace()
		threads, _ := field(system, "proc/self/status", "Threads:")
		r.Space -= r.thread * max(int64(runtimeThreads+runtime.GOMAXPROCS(0))-threads, 0)
	}
}

const (
	// ArenaBytes is the unit in which the Go runtime takes addresses. How much of the
	// last one is free is not known: where in the first one the heap begins is random.
	ArenaBytes = 64 << 20
	// runtimeSpace is what the Go runtime is left to grow by for itself: garbage before
	// the next collection, stacks, tables of spans and arenas.
	runtimeSpace = 24 << 20
	// runtimeThreads is how many threads the runtime starts besides those that run the
	// program: for the main goroutine, signals, monitoring, the timer of the server of films
	// and a reserve.
	runtimeThreads = 8
)

// wholeArenas rounds up to arenas.
func wholeArenas(n int64) int64 { return (n + ArenaBytes - 1) / ArenaBytes * ArenaBytes }

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

// LacksAll returns what would be short of allocations, or nil.
func (r *Account) LacksAll(allocations ...int64) *Shortage {
	sum := int64(0)
	for _, n := range allocations {
		sum += n
	}
	if r.Memory > 0 && sum > r.Memory {
		return &Shortage{Of: "memory", Need: sum, Have: r.Memory}
	}
	if need := spaceFor(append(allocations, runtimeSpace)...); r.Limited && need > r.Space {
		return &Shortage{Of: "address space", Need: need, Have: r.Space}
	}
	return nil
}

// CheckStart refuses to begin where the heap cannot grow by an arena.
func CheckStart() error {
	var r Account
	r.measureSpace()
	if s := r.LacksAll(); s != nil {
		return fmt.Errorf("this program %s", s.Text())
	}
	return nil
}

// LimitHeap makes the garbage collector work harder where addresses are limited: else
// the heap would grow beyond the limit by garbage alone.
func (r *Account) LimitHeap() {
	if r.Limited {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + max(r.Space-runtimeSpace, 0))
	}
}

// LacksToDraw returns the shortage if this number of workers drew, or nil.
func (r Account) LacksToDraw(o render.Options, workers int) *Shortage {
	r.Space -= r.thread * int64(workers)
	return r.LacksAll(Drawing(o, workers)...)
}

// WantedWorkers returns how many workers the options ask for.
func WantedWorkers(o render.Options) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Workers implements recipe.Memory: each may come to fill a whole frame.
func (r *Account) Workers(o render.Options) int {
	low, high := 1, WantedWorkers(o)
	for low < high {
		if n := (low + high + 1) / 2; r.LacksToDraw(o, n) == nil {
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
func (r *Account) LimitMesh(opts *scenes.ReadOptions, o render.Options) *Shortage {
	kept := append(Drawing(o, 1), int64(WantedWorkers(o))*ReaderBytes)
	var s *Shortage
	if r.Memory > 0 {
		s = &Shortage{Of: "memory", Have: r.Memory}
		for _, n := range kept {
			s.Have -= n
		}
	}
	if r.Limited {
		// The last arena of what grows, and that of the mesh which it is copied into, may
		// be nearly empty.
		space := r.Space - r.thread*int64(WantedWorkers(o)) - spaceFor(append(kept, runtimeSpace)...) - 2*ArenaBytes
		if s == nil || space < s.Have {
			s = &Shortage{Of: "address space", Have: space}
		}
	}
	if s == nil || opts.MaxMemory > 0 && opts.MaxMemory < s.Have {
		return nil
	}
	opts.MaxMemory = max(s.Have, 1)
	return s
}

// Took implements recipe.Memory: it subtracts the memory of back faces that workers set aside, too.
func (r *Account) Took(held int64, triangles int) {
	aside := int64(0)
	if held > 0 {
		aside = render.AsideBytes(triangles)
	}
	if r.Memory > 0 && held > 0 {
		r.Memory = max(r.Memory-held-aside, 1)
	}
	r.measureSpace()
	r.Space -= aside * int64(runtime.GOMAXPROCS(0))
}

// Lacks implements recipe.Memory.
func (r *Account) Lacks(o render.Options, more ...int64) *Shortage {
	return r.LacksAll(append(Drawing(o, 1), more...)...)
}

// Loaded implements recipe.Memory: what has grown leaves its first copy behind.
func (r *Account) Loaded() {
	if r.Limited {
		runtime.GC()
	}
}

// Among returns what each of n has that share the account.
func (r Account) Among(n int) Account {
	r.Memory /= int64(max(n, 1))
	r.Space /= int64(max(n, 1))
	return r
}
