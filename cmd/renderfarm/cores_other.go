//go:build !linux

package main

import "os/exec"

// coresForProcesses returns nil: this system does not assign cores.
func coresForProcesses(n, workers int) []int { return nil }

// startOn starts a process on any core.
func startOn(cmd *exec.Cmd, core int) error { return cmd.Start() }
