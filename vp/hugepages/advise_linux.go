package hugepages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise asks the system to provide memory in huge pages when it is first touched. Errors are ignored: the memory can
// be used without huge pages.
func advise(start unsafe.Pointer, bytes int) {
	_ = unix.Madvise(unsafe.Slice((*byte)(start), bytes), unix.MADV_HUGEPAGE)
}
