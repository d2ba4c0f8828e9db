package film

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// bootID returns an identifier of the current boot of the machine, or an empty string if it cannot be read.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// fileState returns a fingerprint of a file, which changes when a program writes to the file or replaces it. It is
// empty if the properties of the file cannot be read. It consists of:
//   - the size and the inode,
//   - the time of change (ctime), which programs cannot set,
//   - the ID of the machine's boot, because a crash may lose written data but keep the time.
func fileState(boot, name string) string {
	info, err := os.Stat(name)
	if err != nil || boot == "" {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf("%s.%d.%d.%d.%d.%d", boot, s.Dev, s.Ino, s.Size, s.Ctim.Sec, s.Ctim.Nsec)
}
