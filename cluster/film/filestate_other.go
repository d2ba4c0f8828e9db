//go:build !linux

package film

// bootID returns an empty ID, because this system offers none.
func bootID() string { return "" }

// fileState returns an empty fingerprint. Pictures are then read to detect changes by other programs.
func fileState(boot, name string) string { return "" }
