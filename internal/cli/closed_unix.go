//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsClosed reports whether the descriptor of f was closed when the process began. The Go runtime replaces a closed one
// by the null device, opened for reading and writing. Shells open the null device for only one of these, so the mode
// tells the difference.
func IsClosed(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}
