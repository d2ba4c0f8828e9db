package main

import (
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// runHere runs a command line in this process. The working directory and the goal of the
// garbage collector are the process's, so no two may run at once.
func runHere(t *testing.T, dir, stdin string, args []string) result {
	t.Helper()
	if dir != "" {
		before, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(dir); err != nil {
			t.Fatal(err)
		}
		defer os.Chdir(before)
	}
	debug.SetGCPercent(gcPercentSmall)
	defer debug.SetGCPercent(testGCPercent)

	in := feed(t, stdin)
	defer in.Close()
	stdout, out := drain(t)
	stderr, messages := drain(t)
	done := make(chan exitCode, 1)
	go func() { done <- start(args, streams{in, out, messages}, nil) }()
	var r result
	select {
	case code := <-done:
		r.code = int(code)
	case <-time.After(runLimit):
		t.Fatalf("%q did not end", args)
	}
	r.stdout, r.stderr = stdout.text(), stderr.text()
	return r
}

// feed returns the end of a pipe that text comes from.
func feed(t *testing.T, text string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.Copy(w, strings.NewReader(text)) // it fails where the command does not read all
		w.Close()
	}()
	return r
}

// A pipe collects what is written to its other end.
type pipe struct {
	w    *os.File
	read chan string
}

// drain returns a pipe and the end that is written to.
func drain(t *testing.T) (*pipe, *os.File) {
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

// text closes the pipe and returns what was written.
func (p *pipe) text() string {
	p.w.Close()
	return <-p.read
}
