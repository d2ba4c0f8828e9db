//go:build !linux

package budget

import "runtime"

// PeakRSS returns the bytes of memory that this process has taken from the
// system, which its most resident memory cannot exceed by much: other systems
// than Linux do not tell it in a common way.
func PeakRSS() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
