//go:build !linux

package budget

import "runtime"

// PeakRSS returns the memory that the Go runtime has obtained from the system, in bytes. Resident memory is only a
// little larger. Systems other than Linux have no common method to measure resident memory.
func PeakRSS() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
