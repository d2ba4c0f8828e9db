package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"lockstep/render"
)

// checkMemory refuses pictures that cannot fit into memory: where memory runs
// out, the system ends the process without a word.
func checkMemory(o render.Options) error {
	available := availableMemory()
	// The pixels and one worker's keys; what further workers need depends on
	// what they draw.
	perPixel := int64(4 + 8*o.Samples)
	if o.Depth {
		perPixel += 4 + 2
	}
	need := perPixel * int64(o.Width) * int64(o.Height)
	if available > 0 && need > available {
		return usagef("--size %dx%d with --samples %d needs at least %.1f GiB of memory, and %.1f GiB are available",
			o.Width, o.Height, o.Samples, float64(need)/(1<<30), float64(available)/(1<<30))
	}
	return nil
}

// availableMemory returns how many bytes this process may still take: what the
// kernel estimates, within the limit of its container. It returns 0 where that
// is not known.
func availableMemory() int64 {
	available := int64(0)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kib int64
			if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
				available = kib << 10
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && (available == 0 || limit < available) {
			available = limit
		}
	}
	return available
}
