//go:build !linux

package budget

// addressSpace returns how many bytes this process may still map, if that is
// limited: other systems than Linux do not tell what is mapped in a common way.
func addressSpace() (left int64, limited bool) { return 0, false }

// threadSpace returns how many bytes of addresses a thread takes.
func threadSpace() int64 { return 0 }
