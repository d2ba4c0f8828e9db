package budget

import "golang.org/x/sys/unix"

// PeakRSS returns the maximum resident memory of this process so far, in bytes. It prefers the kernel's VmHWM to the
// resource usage, because a process inherits the resource usage from its parent.
func PeakRSS() int64 {
	if kib, ok := readField(system, "proc/self/status", "VmHWM:"); ok {
		return kib << 10
	}
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return int64(usage.Maxrss) << 10
}
