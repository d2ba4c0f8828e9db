package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// peakRSS returns the most memory, in bytes, that this process has had
// resident. The kernel's high-water mark of the address space comes first: the
// resource usage of a process begins with that of the one that started it.
func peakRSS() int64 {
	if f, err := os.Open("/proc/self/status"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kib int64
			if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
				if _, err := fmt.Sscanf(rest, "%d kB", &kib); err == nil {
					return kib << 10
				}
			}
		}
	}
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss << 10
}
