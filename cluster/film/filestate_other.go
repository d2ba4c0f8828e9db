//go:build !linux

package film

// bootID returns an empty string, because this system has no identifier of its current boot.
func bootID() string { return "" }

// fileState returns an empty fingerprint. Without fingerprints, a change of a picture by another program is found by
// reading the picture.
func fileState(boot, name string) string { return "" }
