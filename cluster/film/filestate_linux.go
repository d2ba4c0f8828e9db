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

// fileState returns a fingerprint of a file. The fingerprint changes when somebody writes to the file or replaces it.
// It consists of the size, the inode, the time of change and the boot ID. The time of change is the ctime, which
// programs cannot set. The boot ID is needed because a machine that crashes may lose written data but keep the time.
// The result is empty if the properties of the file cannot be read.
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
