package film

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// bootID identifies the current boot of the machine; empty if it cannot be read.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// fileState returns a fingerprint of a file, which differs after somebody wrote to the file or replaced it. It consists
// of the size, the inode and the time of change (ctime, which programs cannot set). It is empty if these cannot be
// read. It also contains the boot ID, because a machine that crashes may lose written data but keep the time.
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
