//go:build !linux

package budget

// addressSpace returns that the address space is not limited: the systems other than Linux have no common way to tell
// how much is mapped.
func addressSpace() (left int64, limited bool) { return 0, false }

// threadSpace returns 0: the address space counts as unlimited.
func threadSpace() int64 { return 0 }
