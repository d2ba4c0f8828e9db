package server

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A logger receives log lines of the NATS server and reports errors.
type logger struct {
	report     func(string)
	writeFault atomic.Pointer[syscall.Errno] // the first error of writeFaults that occurred
	mu         sync.Mutex
	// nextReport limits repeated reports. It maps the words of a line to the time from which they may be reported
	// again. The empty key stands for all words that are not in the map.
	nextReport map[string]time.Time
}

// reportPause and reportKinds limit the reports. A client that connects again and again could otherwise fill a disk
// with them. The same words are reported at most once per reportPause, and at most reportKinds different words are
// remembered.
const (
	reportPause = time.Second
	reportKinds = 32
)

// clientPrefix matches the beginning of a log line about a connection: its address, its number, and the client's name
// if it is known.
var clientPrefix = regexp.MustCompile(`^(\S+:\d+) - cid:\d+ - (?:"[^"]*" - )?`)

// parserError matches errors about bytes that are not the NATS protocol. Their text contains the bytes.
var parserError = regexp.MustCompile(`^(invalid character|unexpected end of JSON|json:|.*parser ERROR|.*[Pp]arse error)`)

// Errorf implements the server's Logger.
func (l *logger) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.noteWriteFault(line)
	words := line
	if m := clientPrefix.FindStringSubmatch(line); m != nil {
		words = line[len(m[0]):]
		if parserError.MatchString(words) {
			words = "it sends what is no message of NATS"
		}
		line = fmt.Sprintf("connection from %s refused: %s", m[1], words)
	}
	if l.mayReport(words, time.Now()) {
		l.report(line)
	}
}

// mayReport reports whether a line with these words may be reported now.
func (l *logger) mayReport(words string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.nextReport[words]) || len(l.nextReport) >= reportKinds && now.Before(l.nextReport[""]) {
		return false
	}
	if l.nextReport == nil || len(l.nextReport) >= reportKinds { // forget all words except the empty key
		l.nextReport = map[string]time.Time{}
	}
	l.nextReport[words], l.nextReport[""] = now.Add(reportPause), now.Add(reportPause)
	return true
}

// Fatalf implements the server's Logger.
func (l *logger) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

// Warnf implements the server's Logger. It reports nothing, but calls noteWriteFault.
func (l *logger) Warnf(format string, v ...any) { l.noteWriteFault(fmt.Sprintf(format, v...)) }

// writeFaults lists errors after which the disk cannot be written to:
//   - the disk is full, or the user's quota is used up,
//   - the disk is mounted read-only, or fails,
//   - the file is too large,
//   - the disk of another machine cannot be reached.
var writeFaults = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG, syscall.ESTALE}

// readFaults lists those errors of writeFaults that reading can cause too.
var readFaults = []syscall.Errno{syscall.EIO, syscall.ESTALE}

// writingLine matches log lines about writing. It contains the words that the NATS server uses, and the names of
// operations in errors of package os.
var writingLine = regexp.MustCompile(`(?i)failed to (store|flush)|\b(storing|write|writing|sync|truncate|rename|mkdir|remove) `)

// noteWriteFault sets l.writeFault if a log line says that writing to the disk failed. The server then has to be
// restarted: a stream that failed to write never answers again, even if the disk is writable again.
//
// Errors of reading do not count, because a restart would not cure them. Lines about a connection do not count either,
// because they may repeat text of a client, even of a client without a key.
func (l *logger) noteWriteFault(line string) {
	if clientPrefix.MatchString(line) {
		return
	}
	for _, fault := range writeFaults {
		if strings.HasSuffix(line, fault.Error()) && (!slices.Contains(readFaults, fault) || writingLine.MatchString(line)) {
			l.writeFault.CompareAndSwap(nil, &fault)
		}
	}
}

// Noticef implements the server's Logger.
func (*logger) Noticef(string, ...any) {}

// Debugf implements the server's Logger. It reports connections that do not start with TLS, which the NATS server logs
// only as debug messages.
func (l *logger) Debugf(format string, v ...any) {
	if strings.Contains(format, "TLS handshake error") {
		l.Errorf(format, v...)
	}
}

// Tracef implements the server's Logger.
func (*logger) Tracef(string, ...any) {}
