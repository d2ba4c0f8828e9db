package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStartOn checks that a process that gets a core of its own runs on that core. The calling process must keep all of
// its cores.
func TestStartOn(t *testing.T) {
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Skip(err)
	}
	for core := range 1024 {
		if !before.IsSet(core) {
			continue
		}
		var out bytes.Buffer
		cmd := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status")
		cmd.Stdout = &out
		if err := startOn(cmd, core); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Skip(err)
		}
		if words := strings.Fields(out.String()); words[len(words)-1] != fmt.Sprint(core) {
			t.Errorf("core %d: %s", core, out.String())
		}
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("this process may use %v, before %v: %v", after, before, err)
	}
}
