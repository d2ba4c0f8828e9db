package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes this process may still map, if that is
// limited (ulimit -v). It is negative where more is mapped than a limit that
// came later allows.
func addressSpace() (left int64, limited bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	kib, ok := field("/proc/self/status", "VmSize:")
	return int64(limit.Cur) - kib<<10, ok
}
