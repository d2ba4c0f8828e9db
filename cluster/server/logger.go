package server

import (
	"fmt"
	"regexp"
	"sync"
	"time"
)

// A logger passes on what the server says of errors.
type logger struct {
	report func(string)
	mu     sync.Mutex
	next   time.Time
}

// reportPause is between two lines: who connects again and again must not fill a disk.
const reportPause = time.Second

// client is how the server's lines of a connection begin: its address and number, and of
// one that has said who it is, more.
var client = regexp.MustCompile(`^(\S+:\d+) - cid:\d+ - (?:"[^"]*" - )?`)

// Errorf implements the server's Logger.
func (l *logger) Errorf(format string, v ...any) {
	l.mu.Lock()
	wait := time.Now().Before(l.next)
	if !wait {
		l.next = time.Now().Add(reportPause)
	}
	l.mu.Unlock()
	if wait {
		return
	}
	line := fmt.Sprintf(format, v...)
	if m := client.FindStringSubmatch(line); m != nil {
		line = fmt.Sprintf("connection from %s refused: %s", m[1], line[len(m[0]):])
	}
	l.report(line)
}

// Fatalf implements the server's Logger.
func (l *logger) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

// Warnf implements the server's Logger; what it says of is no error.
func (*logger) Warnf(string, ...any) {}

// Noticef implements the server's Logger.
func (*logger) Noticef(string, ...any) {}

// Debugf implements the server's Logger.
func (*logger) Debugf(string, ...any) {}

// Tracef implements the server's Logger.
func (*logger) Tracef(string, ...any) {}
