package main

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

// fileState returns what the system changes whenever somebody writes to a file, or replaces it, ""
// where it cannot be read. The time is the one that nobody can set. A machine that fails may
// lose what was written, and not the time: so the state is of one boot.
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
