package main

import (
	"path/filepath"
	"testing"

	"lockstep/render"
)

func TestCheckMemory(t *testing.T) {
	if err := checkMemory(render.Options{Width: 64, Height: 64, Samples: 16, Depth: true}); err != nil {
		t.Error(err)
	}
	if availableMemory() == 0 {
		t.Skip("this system does not tell")
	}
	// Thirteen terabytes.
	if err := checkMemory(render.Options{Width: 1 << 20, Height: 1 << 20, Samples: 1}); codeOf(err) != exitUsage {
		t.Errorf("a picture larger than memory: %v", err)
	}
}

func TestMemoryOfPictures(t *testing.T) {
	// Frames are whole tiles, and rows are kept from lying a page apart.
	const mega = 1000 * 1000
	for _, c := range []struct {
		options         render.Options
		least, addressy int64
	}{
		{render.Options{Width: 1000, Height: 1000, Samples: 1, Workers: 2}, 12 * mega, 2*8*1152*1008 + 4*mega + arena},
		{render.Options{Width: 1000, Height: 1000, Samples: 4, Workers: 1, Depth: true}, 42 * mega, 8*2176*2000 + 10*mega + arena},
		// 80 MB a frame are two arenas.
		{render.Options{Width: 10000, Height: 1000, Samples: 1, Workers: 3}, 120 * mega, 3*2*arena + 40*mega + arena},
	} {
		if got := leastMemory(c.options); got != c.least {
			t.Errorf("%+v: %d bytes, want %d", c.options, got, c.least)
		}
		if got := addressesNeeded(c.options); got != c.addressy {
			t.Errorf("%+v: %d bytes of addresses, want %d", c.options, got, c.addressy)
		}
	}
}

// Where addresses run out the Go runtime ends the process with the stacks of its
// goroutines and leaves the temporary file; it may not come to that.
func TestAddressSpaceLimit(t *testing.T) {
	dir, mesh := cubeFile(t)
	for _, c := range []struct {
		kib, size string
		want      exitCode
	}{
		{"4000000", "16000", exitUsage}, // 4.1 GB of keys
		{"4000000", "300", exitDone},
	} {
		r := limited(t, dir, "ulimit -v "+c.kib, "-s", c.size, "--workers", "2", "-o", "o.png", mesh)
		r.want(t, c.want)
		if c.want == exitUsage {
			r.want(t, exitUsage, "GiB of address space")
			wantFiles(t, dir)
		}
	}
}

// What a group may still take is its limit less what it uses, but for cached
// files.
func TestCgroupLeft(t *testing.T) {
	for _, c := range []struct {
		most, current, stat string
		left                int64
		limited             bool
	}{
		{"max\n", "5000\n", "", 0, false},
		{"", "", "", 0, false},
		{"9000\n", "", "", 9000, true},
		{"9000\n", "5000\n", "", 4000, true},
		{"9000\n", "5000\n", "anon 3000\ninactive_file 1000\nactive_file 500\nslab 7\n", 5500, true},
		{"9000\n", "9500\n", "", -500, true},
		{"9000\n", "100\n", "inactive_file 200\n", 9000, true},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"memory.max": c.most, "memory.current": c.current, "memory.stat": c.stat} {
			if text != "" {
				write(t, filepath.Join(dir, name), text)
			}
		}
		if left, limited := cgroupLeft(dir); left != c.left || limited != c.limited {
			t.Errorf("%+v: %d, %t", c, left, limited)
		}
	}
}
