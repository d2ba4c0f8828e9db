package budget

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// system is the file system in which the kernel publishes information about memory.
var system = os.DirFS("/")

// availableMemory returns how many bytes of memory this process may still use. This is the kernel's estimate, or less
// if control groups of the process allow less. It returns 0 if the number is unknown.
func availableMemory() int64 {
	available := int64(0)
	if kib, ok := readField(system, "proc/meminfo", "MemAvailable:"); ok {
		available = kib << 10
	}
	enough := available
	if enough == 0 {
		enough = unlimited
	}
	if left, ok := cgroupLeft(system, enough); ok && left < enough {
		available = max(left, 1)
	}
	return available
}

// A memoryGroup is a control group with a memory limit. It consists of the group's folder and the mount point of its
// hierarchy.
type memoryGroup struct {
	folder, mount string
	files         groupFiles
}

// groupFiles are the names of a group's files.
type groupFiles struct {
	limit, used string
	cached      []string // names of fields of memory.stat
}

// groupFiles1 and groupFiles2 are the names of the files in the two versions of control groups. If there is no limit,
// the limit file of version 1 has a number above any memory, and the limit file of version 2 has the word max.
var (
	groupFiles1 = groupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", []string{"total_active_file", "total_inactive_file"}}
	groupFiles2 = groupFiles{"memory.max", "memory.current", []string{"active_file", "inactive_file"}}
)

// unlimited is the smallest value in a limit file of version 1 that means no limit.
const unlimited = 1 << 60

// cgroupLeft returns how many bytes the control groups of this process may still use. It is the minimum over the
// process's group and all groups that contain that group. Computing the exact number takes long. So if the result is at
// least `enough`, it may be less than the exact number.
func cgroupLeft(root fs.FS, enough int64) (left int64, limited bool) {
	for _, g := range memoryGroups(root) {
		for folder := g.folder; ; folder = path.Dir(folder) {
			if n, ok := g.files.bytesLeft(root, folder, enough); ok && (!limited || n < left) {
				left, limited = n, true
			}
			if len(folder) <= len(g.mount) {
				break
			}
		}
	}
	return left, limited
}

// bytesLeft returns how many bytes the group in a folder may still use. Cached files count as used, but the kernel
// drops them when the group needs memory. So the bytes of cached files may be used, too. Reading their number takes
// long. Therefore left adds it only if the result would otherwise be less than the parameter enough.
func (f *groupFiles) bytesLeft(root fs.FS, folder string, enough int64) (left int64, limited bool) {
	limit, ok := readNumber(root, path.Join(folder, f.limit))
	if !ok || limit >= unlimited {
		return 0, false
	}
	used, _ := readNumber(root, path.Join(folder, f.used))
	if limit-used >= enough {
		return limit - used, true // memory.stat is not read, because that takes long
	}
	for _, name := range f.cached {
		cached, _ := readField(root, path.Join(folder, "memory.stat"), name)
		used -= cached
	}
	return limit - max(used, 0), true
}

// memoryGroups returns the groups of this process, one for each mounted version of control groups.
func memoryGroups(root fs.FS) (groups []memoryGroup) {
	own := ownGroups(root)
	for line := range linesOf(root, "proc/self/mountinfo") {
		// A line has the fields ID, parent, device, root, mount point, options, optional fields, -, type, source, and
		// options of the file system.
		mount, kind, ok := strings.Cut(line, " - ")
		at, what := strings.Fields(mount), strings.Fields(kind)
		if !ok || len(at) < 5 || len(what) < 3 {
			continue
		}
		g := memoryGroup{mount: strings.TrimPrefix(at[4], "/"), files: groupFiles2}
		name, found := own[""]
		if what[0] == "cgroup" && slices.Contains(strings.Split(what[2], ","), "memory") {
			g.files = groupFiles1
			name, found = own["memory"]
		} else if what[0] != "cgroup2" {
			continue
		}
		if !found {
			continue
		}
		// In a container, only a part of the hierarchy may be mounted.
		below, ok := strings.CutPrefix(name, strings.TrimSuffix(at[3], "/"))
		if !ok || strings.Contains(below, "..") {
			below = ""
		}
		g.folder = path.Join(g.mount, below)
		groups = append(groups, g)
	}
	return groups
}

// ownGroups returns the names of this process's groups by controller. The group of version 2 has the key "".
func ownGroups(root fs.FS) map[string]string {
	own := map[string]string{}
	for line := range linesOf(root, "proc/self/cgroup") {
		if parts := strings.SplitN(line, ":", 3); len(parts) == 3 {
			for _, controller := range strings.Split(parts[1], ",") {
				own[controller] = parts[2]
			}
		}
	}
	return own
}

// linesOf iterates over the lines of a file. If the file cannot be read, there are no lines.
func linesOf(root fs.FS, name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		f, err := root.Open(name)
		if err != nil {
			return
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if !yield(lines.Text()) {
				return
			}
		}
	}
}

// readNumber reads a file that holds one number.
func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// readField reads a number from a file that has a name and a number on each line. It returns the number after the given
// name.
func readField(root fs.FS, file, name string) (n int64, ok bool) {
	for line := range linesOf(root, file) {
		if rest, found := strings.CutPrefix(line, name); found {
			if k, _ := fmt.Sscan(rest, &n); k == 1 {
				return n, true
			}
		}
	}
	return 0, false
}
