//go:build !linux

package budget

// addressSpace reports that the address space is not limited. Systems other than Linux have no common method to
// determine how much of it is mapped.
func addressSpace() (left int64, limited bool) { return 0, false }

// threadSpace returns 0, because on this system the address space counts as unlimited.
func threadSpace() int64 { return 0 }
