//go:build !linux

package main

// checkLimits refuses to begin where the limits of the process leave too little,
// which is known on Linux only.
func checkLimits() error { return nil }

// checkWorkers refuses more workers than the limits allow.
func checkWorkers(int) error { return nil }
