//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// lock marks a temporary file as belonging to a living process. It returns false if a sweeping process holds the lock;
// that process will remove the file.
func lock(f *os.File) bool { return flock(f) != syscall.EWOULDBLOCK }

// flock takes the lock of an open file. It does not wait if another open file holds the lock.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// keepLock keeps the lock of f after f is closed, until release is called.
func keepLock(f *os.File) (release func()) {
	// Children must not inherit the descriptor. They would keep the lock of a file that is already renamed, which does
	// no harm but is untidy.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { syscall.Close(fd) }
}

// removeOrphan removes the temporary file called name if nobody else holds its lock. It keeps the lock meanwhile, so
// that a process that has just created the file notices (see File.create).
func removeOrphan(name string) {
	// Locks on network file systems require a file opened for writing. O_NONBLOCK avoids waiting if name has become a
	// pipe.
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
