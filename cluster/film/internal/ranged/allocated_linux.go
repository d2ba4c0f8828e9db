package ranged

import (
	"io/fs"
	"syscall"
)

// Allocated returns the number of bytes that a file takes on the disk, at most its size.
func Allocated(info fs.FileInfo) int64 {
	const block = 512 // unit of Stat_t.Blocks
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(info.Size(), block*s.Blocks)
	}
	return info.Size()
}
