//go:build !linux

package budget

// CheckLimits returns nil, because the limits of a process are known on Linux only.
func CheckLimits() error { return nil }

// CheckWorkers returns nil, because the limits of a process are known on Linux only.
func CheckWorkers(int) error { return nil }

// CheckFiles returns nil, because the limits of a process are known on Linux only.
func CheckFiles(need int, purpose string) error { return nil }
