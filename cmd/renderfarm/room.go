package main

import (
	"io/fs"
	"path/filepath"
)

const (
	// diskReserve is what a server leaves of a disk for other programs and for its own files, but no more than an eighth of
	// what is free.
	diskReserve = 256 << 20
	// leastStore is what a server may keep however little room there is: it starts, and says that the disk is full when it is.
	leastStore = 16 << 20
)

// storeLimit returns how many bytes a server may keep of those that it is allowed: no more than it keeps by now and the disk
// has room for.
func storeLimit(allowed, kept, free int64) int64 {
	room := kept + free - min(diskReserve, free/8)
	return min(allowed, max(room, leastStore))
}

// bytesIn returns the bytes of the files in a folder and below it, as far as they can be read.
func bytesIn(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
