package clitest

import (
	"io"
	"os"
	"strings"
	"testing"

	"lockstep/internal/cli"
)

// A Result is the exit code and the output of one run of a program.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Want fails the test unless the exit code is code and standard error contains every one of the words.
func (r Result) Want(t testing.TB, code cli.Code, words ...string) {
	t.Helper()
	if r.Code != int(code) {
		t.Errorf("exit code %d, want %d; standard error: %s", r.Code, code, r.Stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.Stderr, w) {
			t.Errorf("standard error lacks %q: %s", w, r.Stderr)
		}
	}
}

// WantOut fails the test unless the command succeeded and standard output contains words.
func (r Result) WantOut(t testing.TB, words string) {
	t.Helper()
	if r.Code != int(cli.Done) || !strings.Contains(r.Stdout, words) {
		t.Errorf("exit code %d, want %q: %s%s", r.Code, words, r.Stdout, r.Stderr)
	}
}

// inputPipe returns the reading end of a pipe with the given text.
func inputPipe(t testing.TB, text string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.Copy(w, strings.NewReader(text)) // an error only means that the command did not read everything
		w.Close()
	}()
	return r
}

// A pipe collects the data that is written to its other end.
type pipe struct {
	w    *os.File
	read chan string
}

// outputPipe returns a pipe and the file to write into it.
func outputPipe(t testing.TB) (*pipe, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &pipe{w, make(chan string, 1)}
	go func() {
		var b strings.Builder
		io.Copy(&b, r)
		r.Close()
		p.read <- b.String()
	}()
	return p, w
}

// text closes the pipe and returns all data that was written to it.
func (p *pipe) text() string {
	p.w.Close()
	return <-p.read
}
