package film

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// bootID names the time since the machine started, "" where that cannot be read.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// fileState returns a text that differs after somebody wrote to a file or replaced it: its size,
// inode and time of change (ctime, which no program can set). It is "" where these cannot be
// read. A machine that fails may lose written data and keep the time, so the boot is part of it.
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
