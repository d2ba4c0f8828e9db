package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
)

// highWater returns the largest memory that this process has used, as measured by the kernel.
func highWater(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	found := regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`).FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel keeps no high-water mark")
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib * 1024
}

// wantNear checks that got differs from want by at most a fifth.
func wantNear(t *testing.T, what string, got, want int64) {
	t.Helper()
	if 5*got < 4*want || 5*got > 6*want {
		t.Errorf("%s: %d bytes at most resident, want %d within a fifth", what, got, want)
	}
}

func TestPeakRSS(t *testing.T) {
	wantNear(t, "before", budget.PeakRSS(), highWater(t))
	const size = 200 << 20
	block := make([]byte, size)
	for at := 0; at < size; at += os.Getpagesize() {
		block[at] = 1
	}
	if got := budget.PeakRSS(); got < size {
		t.Errorf("%d bytes at most resident, and %d are in use", got, size)
	}
	wantNear(t, "with a large block", budget.PeakRSS(), highWater(t))
}

// TestPeakRSSOfCommand compares the memory that the command prints with the memory that the kernel measured. The
// kernel's number for a child process includes the memory of its parent at the fork. Therefore the child must use more
// than the parent.
func TestPeakRSSOfCommand(t *testing.T) {
	cmd := command(t, t.TempDir(), "scene:sphere?triangles=1000", "--fast", "-s", "5000x4000", "--samples", "4", "--workers", "1", "-o", "/dev/null", "--stats", "json")
	r := finish(t, cmd)
	r.Want(t, cli.Done)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok || highWater(t) >= int64(usage.Maxrss)<<10 {
		t.Skip("nothing to compare with")
	}
	var s statistics
	if err := json.Unmarshal([]byte(r.Stderr), &s); err != nil {
		t.Fatal(err)
	}
	wantNear(t, "the command", s.PeakRSSBytes, int64(usage.Maxrss)<<10)
}
