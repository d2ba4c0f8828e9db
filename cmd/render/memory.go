package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"lockstep/render"
)

// checkMemory refuses pictures that cannot fit into memory: where memory runs
// out, the system ends the process without a word, and where addresses run out,
// the Go runtime ends it with many.
func checkMemory(o render.Options) error {
	if available := availableMemory(); available > 0 {
		if need := leastMemory(o); need > available {
			return tooLarge(o, "memory", need, available)
		}
	}
	if available, limited := addressSpace(); limited {
		if need := addressesNeeded(o); need > available {
			return tooLarge(o, "address space", need, max(available, 0))
		}
	}
	return nil
}

func tooLarge(o render.Options, what string, need, available int64) error {
	const gib = 1 << 30
	return usagef("--size %dx%d with --samples %d needs at least %.1f GiB of %s, and %.1f GiB are available",
		o.Width, o.Height, o.Samples, float64(need)/gib, what, float64(available)/gib)
}

// pictureMemory returns the bytes of the finished picture and of its depths.
func pictureMemory(o render.Options) int64 {
	perPixel := int64(4)
	if o.Depth {
		perPixel += 4 + 2
	}
	return perPixel * int64(o.Width) * int64(o.Height)
}

// frameMemory returns the bytes of one worker's keys.
func frameMemory(o render.Options) int64 {
	return 8 * int64(o.Samples) * int64(o.Width) * int64(o.Height)
}

// leastMemory returns how many bytes a picture makes resident at least: its
// pixels and one worker's keys. What further workers need depends on what they
// draw.
func leastMemory(o render.Options) int64 { return pictureMemory(o) + frameMemory(o) }

// arena is the unit in bytes in which the Go runtime takes addresses.
const arena = 64 << 20

// addressesNeeded returns how many bytes of addresses a picture takes: every
// worker has a frame, used or not, rounded up to arenas, as are the pixels; one
// more arena is for blocks of triangles and the encoder.
func addressesNeeded(o render.Options) int64 {
	workers := int64(o.Workers)
	if workers == 0 {
		workers = int64(runtime.GOMAXPROCS(0))
	}
	frame, err := o.FrameBytes()
	if err != nil {
		return 0 // New says what is wrong
	}
	return workers*arenas(frame) + arenas(pictureMemory(o)) + arena
}

// arenas rounds what is larger than an arena up to whole ones; less shares one
// with others.
func arenas(n int64) int64 {
	if n < arena {
		return n
	}
	return (n + arena - 1) / arena * arena
}

// availableMemory returns how many bytes this process may still make resident:
// what the kernel estimates, within what its container has left. It returns 0
// where that is not known.
func availableMemory() int64 {
	available := int64(0)
	if kib, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		available = kib << 10
	}
	if left, ok := cgroupLeft("/sys/fs/cgroup"); ok && (available == 0 || left < available) {
		available = max(left, 1)
	}
	return available
}

// cgroupLeft returns how many bytes the control group in folder dir may still
// take, if it has a limit. Files that the kernel keeps in memory are charged to
// the group but given up when it needs more.
func cgroupLeft(dir string) (left int64, limited bool) {
	limit, ok := number(filepath.Join(dir, "memory.max"))
	if !ok {
		return 0, false
	}
	used, _ := number(filepath.Join(dir, "memory.current"))
	for _, name := range []string{"active_file", "inactive_file"} {
		cached, _ := field(filepath.Join(dir, "memory.stat"), name)
		used -= cached
	}
	return limit - max(used, 0), true
}

// number reads a file that holds one number.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field reads the number that follows name in a file with a name a line.
func field(path, name string) (n int64, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name); found {
			if k, _ := fmt.Sscan(rest, &n); k == 1 {
				return n, true
			}
		}
	}
	return 0, false
}
