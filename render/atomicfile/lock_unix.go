//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// lock marks a temporary file as one of a living process. It returns false where
// a sweeping process has it, which will remove it.
func lock(f *os.File) bool { return flock(f) != syscall.EWOULDBLOCK }

// flock takes the lock of an open file unless another open file has it.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// keepLock keeps the lock of f when f is closed, until release is called.
func keepLock(f *os.File) (release func()) {
	// Children must not inherit it: they would keep the lock of a file that is
	// renamed already, which does no harm but is untidy.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { syscall.Close(fd) }
}

// removeOrphan removes the temporary file called name if its lock can be had. It
// keeps the lock meanwhile, so that a process that has just created the file
// notices (see File.create).
func removeOrphan(name string) {
	// For writing, as locks on network file systems require. Not waiting: name
	// may have become a pipe.
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
