package budget

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
)

func TestMemoryOfPictures(t *testing.T) {
	const mega = 1000 * 1000
	frame := func(o render.Options) int64 { // bytes of a frame, with two huge pages
		bytes, err := footprint.Frame(o)
		if err != nil {
			t.Fatal(err)
		}
		return bytes + 4<<20
	}
	for _, c := range []struct {
		options render.Options
		picture int64
	}{
		{render.Options{Width: 1000, Height: 1000, Samples: 1}, 4 * mega},
		{render.Options{Width: 1000, Height: 1000, Samples: 4, Depth: true}, 10 * mega},
	} {
		each := frame(c.options)
		if got, want := DrawingBytes(c.options, 2), []int64{CommonBytes, c.picture, WorkerBytes, each, WorkerBytes, each}; !slices.Equal(got, want) {
			t.Errorf("%+v: %d, want %d", c.options, got, want)
		}
	}
}

// TestAccount checks which resource is missing for some allocations. An allocation that is larger than the rest of
// the last arena needs new arenas.
func TestAccount(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		account     Account
		allocations []int64
		of          string // name of the missing resource
	}{
		{Account{}, []int64{1 << 60}, ""}, // unknown memory, unlimited address space
		{Account{Memory: 100 * mib}, []int64{60 * mib, 40 * mib}, ""},
		{Account{Memory: 100 * mib}, []int64{60 * mib, 40*mib + 1}, "memory"},
		{Account{Memory: 1 << 40, Limited: true, Space: 64 * mib}, nil, ""},
		{Account{Memory: 1 << 40, Limited: true, Space: 64*mib - 1}, nil, "address space"},
		{Account{Limited: true, Space: 64 * mib}, []int64{20 * mib, 20 * mib}, ""},
		{Account{Limited: true, Space: 64 * mib}, []int64{20 * mib, 20*mib + 1}, "address space"},
		{Account{Limited: true, Space: 128 * mib}, []int64{20 * mib, 20*mib + 1}, ""},
		// the first allocation needs one arena, and the second needs two
		{Account{Limited: true, Space: 128 * mib}, []int64{40 * mib, 65 * mib}, "address space"},
		{Account{Limited: true, Space: 192 * mib}, []int64{40 * mib, 65 * mib}, ""},
		{Account{Limited: true, Space: -1}, nil, "address space"},
	} {
		got := ""
		if s := c.account.ShortageOf(c.allocations...); s != nil {
			got = s.Resource
		}
		if got != c.of {
			t.Errorf("%+v, %d: lacks %q, want %q", c.account, c.allocations, got, c.of)
		}
	}
}

// TestWorkersOfAccount checks that there are fewer workers if the memory is not enough for all frames.
func TestWorkersOfAccount(t *testing.T) {
	o := render.Options{Width: 4000, Height: 4000, Samples: 1, Workers: 32}
	least := DrawingBytes(o, 1)
	one := least[2] + least[3]
	for want, memory := range map[int]int64{1: 1, 2: least[0] + least[1] + 2*one, 3: least[0] + least[1] + 4*one - 1, 32: 1 << 40} {
		if got := (&Account{Memory: memory}).Workers(o); got != want {
			t.Errorf("%d bytes: %d workers, want %d", memory, got, want)
		}
	}
	o.Workers = 0
	if got := (&Account{}).Workers(o); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers without a limit", got)
	}
	var opts scenes.ReadOptions
	if s := (&Account{}).LimitMesh(&opts, o); s != nil || opts.MaxMemory != 0 {
		t.Errorf("meshes are limited to %d bytes by nothing", opts.MaxMemory)
	}
	if s := (&Account{Memory: 1 << 30}).LimitMesh(&opts, o); s == nil || opts.MaxMemory >= 1<<30-one || opts.MaxMemory < 1<<29 {
		t.Errorf("meshes are limited to %d of 2^30 bytes", opts.MaxMemory)
	}
}

// TestCgroupLeft checks that a group may use its limit minus its usage without cached files, and that the minimum over
// all enclosing groups counts.
func TestCgroupLeft(t *testing.T) {
	const v2 = "36 25 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	const v1 = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
	const inside = "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	type files map[string]string
	for name, c := range map[string]struct {
		mounts, own string
		files       files
		left        int64
		limited     bool
	}{
		"no groups":  {"", "", nil, 0, false},
		"no limit":   {v2, "0::/\n", files{"memory.max": "max\n", "memory.current": "5000\n"}, 0, false},
		"one limit":  {v2, "0::/\n", files{"memory.max": "9000\n", "memory.current": "5000\n"}, 4000, true},
		"used up":    {v2, "0::/\n", files{"memory.max": "9000\n", "memory.current": "9500\n"}, -500, true},
		"cached":     {v2, "0::/\n", files{"memory.max": "9000\n", "memory.current": "5000\n", "memory.stat": "anon 3000\ninactive_file 1000\nactive_file 500\nslab 7\n"}, 5500, true},
		"all cached": {v2, "0::/\n", files{"memory.max": "9000\n", "memory.current": "100\n", "memory.stat": "inactive_file 200\n"}, 9000, true},
		"nested, the inner one is tighter": {v2, "0::/a/b\n", files{"a/memory.max": "9000\n", "a/memory.current": "1000\n",
			"a/b/memory.max": "4000\n", "a/b/memory.current": "500\n"}, 3500, true},
		"nested, the outer one is tighter": {v2, "0::/a/b\n", files{"a/memory.max": "9000\n", "a/memory.current": "8000\n",
			"a/b/memory.max": "4000\n", "a/b/memory.current": "500\n"}, 1000, true},
		"nested, only the outer one has a limit": {v2, "0::/a/b/c\n", files{"a/memory.max": "9000\n", "a/b/memory.max": "max\n"}, 9000, true},
		"version 1, no limit":                    {v1, "4:memory:/\n", files{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0, false},
		"version 1, nested": {v1, "5:cpu,cpuacct:/x\n4:memory:/a/b\n0::/\n", files{
			"memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/a/memory.limit_in_bytes": "8000\n", "memory/a/memory.usage_in_bytes": "7000\n",
			"memory/a/memory.stat": "inactive_file 1\ntotal_inactive_file 500\n", "memory/a/b/memory.limit_in_bytes": "9000\n"}, 1500, true},
		"version 1, from inside":            {inside, "4:memory:/docker/ab/job\n", files{"memory/job/memory.limit_in_bytes": "700\n", "memory/memory.limit_in_bytes": "600\n"}, 600, true},
		"version 1, from outside the mount": {inside, "4:memory:/docker/cd\n", files{"memory/memory.limit_in_bytes": "600\n"}, 600, true},
		"a group above the root":            {v2, "0::/../other\n", files{"memory.max": "600\n"}, 600, true},
		"both versions": {v1 + strings.ReplaceAll(v2, "/sys/fs/cgroup", "/sys/fs/cgroup/unified"), "4:memory:/\n0::/u\n", files{
			"memory/memory.limit_in_bytes": "600\n", "unified/u/memory.max": "500\n"}, 500, true},
		"nonsense": {"x\n - \n1 2 - cgroup2\n" + v2, "\n::\n0:\n0::/\n", files{"memory.max": "a lot\n"}, 0, false},
	} {
		root := fstest.MapFS{
			"proc/self/mountinfo": {Data: []byte("23 1 254:0 / / rw - ext4 /dev/root rw\n" + c.mounts)},
			"proc/self/cgroup":    {Data: []byte(c.own)},
		}
		for file, text := range c.files {
			root["sys/fs/cgroup/"+file] = &fstest.MapFile{Data: []byte(text)}
		}
		if left, limited := cgroupLeft(root, unlimited); left != c.left || limited != c.limited {
			t.Errorf("%s: %d, %t; want %d, %t", name, left, limited, c.left, c.limited)
		}
	}
	if left, limited := cgroupLeft(fstest.MapFS{}, unlimited); limited {
		t.Errorf("a limit of %d without files", left)
	}
}
