//go:build !linux

package main

// freeBytes returns false, because this system has no common way to find the free space of a disk.
func freeBytes(string) (free int64, ok bool) { return 0, false }
