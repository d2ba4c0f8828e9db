//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// lock marks a temporary file as the file of a living process. It returns false if another process holds the lock to
// remove orphans. That process will remove the file.
func lock(f *os.File) bool { return flock(f) != syscall.EWOULDBLOCK }

// flock takes the lock of an open file. If another open file holds the lock, it returns an error instead of waiting.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// keepLock keeps the lock of f after f is closed, until release is called.
func keepLock(f *os.File) (release func()) {
	// ForkLock keeps a child process from inheriting the descriptor. The child would hold the lock of a file that has
	// been renamed already: harmless, but best avoided.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { syscall.Close(fd) }
}

// removeOrphan removes the temporary file called name if no process holds its lock. It holds the lock while it removes
// the file. So File.create cannot lock a new file that is being removed, and tries again.
func removeOrphan(name string) {
	// Network file systems lock only files that are opened for writing. With O_NONBLOCK, opening returns even if name
	// has become a pipe.
	f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	if flock(f) == nil && leadsTo(name, f) {
		os.Remove(name)
	}
}
