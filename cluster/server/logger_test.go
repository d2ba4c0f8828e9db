package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestLogger checks that lines about connections contain the address and the cause. Equal messages must be reported at
// most once a second, and the number of different messages is limited.
func TestLogger(t *testing.T) {
	var lines []string
	l := &logger{report: func(s string) { lines = append(lines, s) }}
	l.Errorf("%s - cid:%d - authentication error", "127.0.0.1:80", 7)
	l.Errorf("%s - cid:%d - authentication error", "127.0.0.1:81", 8)
	l.Errorf("127.0.0.1:82 - cid:9 - \"v1.55.0:go\" - TLS handshake error: EOF")
	l.Errorf("disk full")
	l.Errorf("127.0.0.1:83 - cid:10 - invalid character 'x' looking for beginning of value")
	l.Errorf("127.0.0.1:84 - cid:11 - invalid character 'y' looking for beginning of value")
	l.Debugf("127.0.0.1:85 - cid:12 - TLS handshake error: %v", "tls: first record does not look like a TLS handshake")
	l.Debugf("127.0.0.1:86 - cid:13 - something else")
	l.Warnf("[::1]:87 - cid:14 - \"v1:go:%v\" - something else", syscall.ENOSPC)
	l.Warnf("Malformed JetStream API Request: %q", syscall.ENOSPC)
	l.Warnf("Filestore [frames] Could not read stream state file: read index.db: %v", syscall.EIO)
	l.Warnf("Filestore [frames] loadBlock error: open 1.blk: %v", syscall.ESTALE)
	want := []string{"connection from 127.0.0.1:80 refused: authentication error", "connection from 127.0.0.1:82 refused: TLS handshake error: EOF", "disk full",
		"connection from 127.0.0.1:83 refused: it sends what is no message of NATS",
		"connection from 127.0.0.1:85 refused: TLS handshake error: tls: first record does not look like a TLS handshake"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	if fault := l.writeFault.Load(); fault != nil {
		t.Errorf("the disk counts as failed: %v", *fault)
	}
	for _, say := range []func(string, ...any){l.Errorf, l.Warnf} {
		for _, fault := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EFBIG, syscall.ESTALE} {
			for _, what := range []string{"JetStream failed to store a msg on stream 'A > frames'", "Filestore [frames] Critical write error", "Error: sync 1.blk"} {
				l.writeFault.Store(nil)
				if say(what+": %v", fault); l.writeFault.Load() == nil || *l.writeFault.Load() != fault {
					t.Errorf("%s: %v is not noticed", what, fault)
				}
			}
		}
	}
	now := time.Now()
	if !l.mayReport("authentication error", now.Add(2*reportPause)) {
		t.Error("no line after a while")
	}
	due := 0
	for i := range 10 * reportKinds {
		if l.mayReport(fmt.Sprint("flood ", i), now.Add(3*reportPause)) {
			due++
		}
	}
	if due == 0 || due > reportKinds {
		t.Errorf("%d lines of a flood", due)
	}
}

// TestClientsFillNoDisk checks that a client without a key cannot stop the server by sending the words of an error
// about a full disk.
func TestClientsFillNoDisk(t *testing.T) {
	_, submit, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	reports := make(chan string, 10)
	s, err := Start(Options{Dir: t.TempDir(), SubmitKey: submit, Report: func(line string) { reports <- line }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	words := syscall.ENOSPC.Error()
	_, err = nats.Connect("nats://"+s.Addr().String(), nats.Name(words), nats.Nkey(words, func([]byte) ([]byte, error) { return nil, nil }))
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Fatal(err)
	}
	if line := <-reports; !strings.Contains(line, words) || s.StoreError() != nil {
		t.Errorf("after %q the server cannot store: %v", line, s.StoreError())
	}
}
