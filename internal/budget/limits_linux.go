package budget

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// maxCountedThreads is the largest limit on the user's threads (ulimit -u) for which the threads are counted. With a
// higher limit, threads are not counted, because counting takes about 20 microseconds for each process.
const maxCountedThreads = 256

// Each worker needs threadsPerWorker threads: the one to which it is locked, and another while it reads or writes a
// file. spareThreads are for signals, timers and the collector. The threads that the runtime starts before main are not
// included. TestThreadLimit found both numbers by trying every limit.
const threadsPerWorker, spareThreads = 2, 4

// CheckLimits returns an error if the limits of the process are too low for the program. Without this check, the Go
// runtime would crash and print the stacks of all goroutines when it cannot start a thread or open its poller. If the
// limits allow some workers but not all, CheckLimits lowers GOMAXPROCS.
func CheckLimits() error {
	if err := CheckFiles(PictureFiles, ""); err != nil {
		return err
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

// CheckWorkers returns an error if the limit on threads does not allow this many workers. Up to GOMAXPROCS workers are
// always possible, because CheckLimits has lowered that number if necessary.
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

// CheckFiles returns an error if the process cannot open `need` more files. The text of the error includes purpose,
// such as " for 4 nodes". purpose may be empty.
func CheckFiles(need int, purpose string) error {
	if left, limited := filesLeft(need); limited && left < need {
		return fmt.Errorf("the limit on open files (ulimit -n) leaves %d, and %d are needed%s", left, need, purpose)
	}
	return nil
}

// filesLeft returns how many more files may be opened. limited is false if the limit is far above need and therefore
// does not matter.
func filesLeft(need int) (left int, limited bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > uint64(4*need) {
		return 0, false
	}
	for fd := range int(limit.Cur) {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			left++
		}
	}
	return left, true
}

// threadsLeft returns how many more threads may be started. limited is false if their number is not limited, or if the
// limit is above maxCountedThreads. The limit applies to the threads of all processes of the user together. It does not
// apply to root.
func threadsLeft() (left int, limited bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit)
	if err != nil || limit.Cur > maxCountedThreads || os.Getuid() == 0 {
		return 0, false
	}
	left = int(limit.Cur)
	processes, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, status := range processes {
		if uid, ok := readField(system, status[1:], "Uid:"); ok && uid == int64(os.Getuid()) {
			threads, _ := readField(system, status[1:], "Threads:")
			left -= int(threads)
		}
	}
	return left, true
}
