package main

import "golang.org/x/sys/unix"

// freeBytes returns the free space of a disk for files of this user. ok is false if it is unknown.
func freeBytes(dir string) (free int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}
