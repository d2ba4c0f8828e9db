package budget

import "golang.org/x/sys/unix"

// PeakRSS returns the most memory, in bytes, that this process has had
// resident. The kernel's high-water mark of the address space comes first: the
// resource usage of a process begins with that of the one that started it.
func PeakRSS() int64 {
	if kib, ok := field(system, "proc/self/status", "VmHWM:"); ok {
		return kib << 10
	}
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return int64(usage.Maxrss) << 10
}
