package server

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A logger passes on what the server says of errors.
type logger struct {
	report func(string) // nil: none is told
	full   atomic.Bool  // something could not be written
	mu     sync.Mutex
	next   map[string]time.Time // when a line of the same words may follow
}

// Who connects again and again must not fill a disk: reportPause is between two lines of the
// same words, and reportKinds is how many different ones are told apart.
const (
	reportPause = time.Second
	reportKinds = 32
)

// client is how the server's lines of a connection begin: its address and number, and of
// one that has said who it is, more.
var client = regexp.MustCompile(`^(\S+:\d+) - cid:\d+ - (?:"[^"]*" - )?`)

// nonsense matches errors about bytes that are not the server's protocol. They come from its
// parsers, and their text differs with the bytes.
var nonsense = regexp.MustCompile(`^(invalid character|unexpected end of JSON|json:|.*parser ERROR|.*[Pp]arse error)`)

// Errorf implements the server's Logger.
func (l *logger) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.notice(line)
	words := line
	if m := client.FindStringSubmatch(line); m != nil {
		words = line[len(m[0]):]
		if nonsense.MatchString(words) {
			words = "it sends what is no message of NATS"
		}
		line = fmt.Sprintf("connection from %s refused: %s", m[1], words)
	}
	if l.report != nil && l.due(words, time.Now()) {
		l.report(line)
	}
}

// due reports whether a line of such words is reported now.
func (l *logger) due(words string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.next[words]) || len(l.next) >= reportKinds && now.Before(l.next[""]) {
		return false
	}
	if l.next == nil || len(l.next) >= reportKinds { // begin again, but not at once
		l.next = map[string]time.Time{}
	}
	l.next[words], l.next[""] = now.Add(reportPause), now.Add(reportPause)
	return true
}

// Fatalf implements the server's Logger.
func (l *logger) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

// Warnf implements the server's Logger; what it says of is no error, but for a full disk.
func (l *logger) Warnf(format string, v ...any) { l.notice(fmt.Sprintf(format, v...)) }

// notice notes that the disk is full, whatever the server makes of it: a stream that could not
// write goes on without answering, until the server is started again.
func (l *logger) notice(line string) {
	if strings.Contains(line, syscall.ENOSPC.Error()) {
		l.full.Store(true)
	}
}

// Noticef implements the server's Logger.
func (*logger) Noticef(string, ...any) {}

// Debugf implements the server's Logger. It says of connections that begin with something else
// than TLS, which are refused as others are.
func (l *logger) Debugf(format string, v ...any) {
	if strings.Contains(format, "TLS handshake error") {
		l.Errorf(format, v...)
	}
}

// Tracef implements the server's Logger.
func (*logger) Tracef(string, ...any) {}
