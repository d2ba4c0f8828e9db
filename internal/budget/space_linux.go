package budget

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes of address space this process may still map. The limit comes from ulimit -v, or
// from ulimit -d for writable memory. The number is negative if more is mapped already than the limit allows. limited
// is false without a limit.
func addressSpace() (left int64, limited bool) {
	for _, l := range []struct {
		resource int
		used     string
	}{{unix.RLIMIT_AS, "VmSize:"}, {unix.RLIMIT_DATA, "VmData:"}} {
		var limit unix.Rlimit
		if err := unix.Getrlimit(l.resource, &limit); err != nil || limit.Cur > math.MaxInt64 {
			continue
		}
		if kib, ok := readField(system, "proc/self/status", l.used); ok {
			if n := int64(limit.Cur) - kib<<10; !limited || n < left {
				left, limited = n, true
			}
		}
	}
	return left, limited
}

// threadSpace returns how many bytes of address space each further thread needs. A thread that Go creates needs almost
// none. A thread of the C library needs a stack and a heap.
func threadSpace() int64 {
	if !linkedWithC {
		return 0
	}
	const heap, stack = 64 << 20, 8 << 20
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil || limit.Cur > 1<<30 {
		return heap + stack
	}
	return heap + int64(limit.Cur)
}
