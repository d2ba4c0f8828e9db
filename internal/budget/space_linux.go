package budget

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes of address space this process may still map, if that is limited (by ulimit -v, or
// by ulimit -d for writable memory). The number is negative if the limit is below what is mapped already.
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

// threadSpace returns how many bytes of address space a thread takes. A thread of Go takes almost none. A thread of the
// C library takes a stack and a heap.
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
