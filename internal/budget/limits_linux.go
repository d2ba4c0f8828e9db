package budget

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// maxCountedThreads is a limit on the threads of a user (ulimit -u) below which they are
// counted, which takes some 20 microseconds a process.
const maxCountedThreads = 256

// The threads that a command starts at most, besides those that the Go runtime has
// started before it: two for each worker, which is locked to one and may need another
// while a file is read or written; and spareThreads that wait for signals, for
// timers and for the collector. Found by trying every limit, see TestThreadLimit.
const threadsPerWorker, spareThreads = 2, 4

// minFiles is how many descriptors a command may need at a time besides the standard
// ones: the mesh, picture, depth and trace, a lock, the folder and an orphan of a
// sweep, two of the runtime's poller, and three to spare.
const minFiles = 12

// CheckLimits refuses to begin where the limits of the process leave too little:
// the Go runtime ends a process that cannot start a thread or open its poller,
// with the stacks of all goroutines. It lowers the number of workers where that is
// enough.
func CheckLimits() error {
	if left, limited := filesLeft(); limited && left < minFiles {
		return fmt.Errorf("the limit on open files (ulimit -n) leaves %d, and %d are needed", left, minFiles)
	}
	left, limited := threadsLeft()
	if !limited {
		return nil
	}
	workers := (left - spareThreads) / threadsPerWorker
	if workers < 1 {
		return fmt.Errorf("the limit on processes (ulimit -u) leaves %d threads, and %d are needed", max(left, 0), spareThreads+threadsPerWorker)
	}
	if workers < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(workers)
	}
	return nil
}

// CheckWorkers refuses more workers than the limit on threads allows; as many as
// CheckLimits allowed are fine.
func CheckWorkers(workers int) error {
	if workers <= runtime.GOMAXPROCS(0) {
		return nil
	}
	left, limited := threadsLeft()
	if need := threadsPerWorker * workers; limited && need > left {
		return fmt.Errorf("--workers %d needs %d threads, and the limit on processes (ulimit -u) leaves %d", workers, need, max(left, 0))
	}
	return nil
}

// filesLeft returns how many files may still be opened, if few may be open.
func filesLeft() (left int, limited bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 4*minFiles {
		return 0, false
	}
	for fd := range int(limit.Cur) {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			left++
		}
	}
	return left, true
}

// threadsLeft returns how many threads may still be started, if the user may have
// few. The limit holds for all processes of the user and does not hold for root.
func threadsLeft() (left int, limited bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit)
	if err != nil || limit.Cur > maxCountedThreads || os.Getuid() == 0 {
		return 0, false
	}
	left = int(limit.Cur)
	processes, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, status := range processes {
		if uid, ok := field(system, status[1:], "Uid:"); ok && uid == int64(os.Getuid()) {
			threads, _ := field(system, status[1:], "Threads:")
			left -= int(threads)
		}
	}
	return left, true
}
