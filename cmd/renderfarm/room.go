package main

import (
	"io/fs"
	"path/filepath"
)

const (
	// diskReserve is the disk space in bytes that a server leaves free for other programs and for its own files. If
	// that is more than an eighth of the free space, the server leaves only an eighth free.
	diskReserve = 256 << 20
	// minStore is how many bytes a server may store even on a full disk. So the server always starts, and can report
	// the full disk later.
	minStore = 16 << 20
)

// storeLimit returns how many bytes a server may store. The parameter allowed is the user's limit. The parameter kept
// is how many bytes the server stores already. If the disk is large enough, storeLimit returns allowed. Otherwise it
// returns kept plus the free bytes, less a reserve. The result is at least minStore, unless allowed is less.
func storeLimit(allowed, kept, free int64) int64 {
	room := kept + free - min(diskReserve, free/8)
	return min(allowed, max(room, minStore))
}

// bytesIn returns the total size of the files in a folder and its subfolders. It skips files that cannot be read.
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
