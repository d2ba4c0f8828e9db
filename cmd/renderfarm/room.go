package main

import (
	"io/fs"
	"path/filepath"
)

const (
	// diskReserve is the disk space in bytes that a server leaves for other programs and for its own files, but at most
	// an eighth of the free space.
	diskReserve = 256 << 20
	// minStore is how many bytes a server may keep even if the disk has no space for them. So it always starts, and
	// reports a full disk later.
	minStore = 16 << 20
)

// storeLimit returns how many bytes a server may keep. It returns allowed, or less if the disk is too small: the bytes
// that the server keeps already plus the free bytes, without a reserve. It returns at least minStore if allowed is not
// less.
func storeLimit(allowed, kept, free int64) int64 {
	room := kept + free - min(diskReserve, free/8)
	return min(allowed, max(room, minStore))
}

// bytesIn returns the total size of the files in a folder and below it, as far as they can be read.
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
