package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/cluster/film"
	"lockstep/render/recipe"
)

// TestNodesWaitForTheLastLine checks when local nodes begin. A node must wait for the last line of its input, not only
// for the line with the address. A node without a command must begin at once. A node must end if its input ends before
// the last line.
func TestNodesWaitForTheLastLine(t *testing.T) {
	node := nodeCommand{Child: true}
	lines, command := io.Pipe()
	ended := make(chan bool)
	begin := node.watchInput(bufio.NewReader(lines), true, func() { close(ended) })
	select {
	case <-begin:
		t.Error("it begins before there are frames")
	case <-time.After(10 * time.Millisecond): // by now, a node that does not wait would have begun
	}
	io.WriteString(command, "\n")
	<-begin
	select {
	case <-ended:
		t.Error("it ends before its command")
	default:
	}
	command.Close()
	<-ended

	ended = make(chan bool)
	<-node.watchInput(bufio.NewReader(strings.NewReader("")), true, func() { close(ended) })
	<-ended
	<-(&nodeCommand{}).watchInput(nil, false, nil)
}

// TestLinesForNodes checks that each line for local nodes is written as soon as it is known, and in order.
func TestLinesForNodes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &coordinator{ctx: ctx, announcement: announced(t, "o"), addressKnown: make(chan struct{})}
	lines, told := io.Pipe()
	ended := make(chan bool)
	go func() { o.writeLines(told); told.Close(); close(ended) }()
	heard := bufio.NewReader(lines)
	next := func() string { line, _ := heard.ReadString('\n'); return line }
	if line := next(); !strings.Contains(line, `"output":{"file":`) {
		t.Errorf("the command line: %q", line)
	}
	o.announcement.noteSubmitted() // a line that is known early waits for the lines before it
	o.announcement.job = []byte("the job\n")
	close(o.announcement.jobKnown)
	if line := next(); !strings.Contains(line, "the job") {
		t.Errorf("the film: %q", line)
	}
	o.addressLine = "nats://here\n"
	close(o.addressKnown)
	if got := next() + next(); got != "nats://here\n\n" {
		t.Errorf("the address and the last line: %q", got)
	}
	<-ended
	// writeLines must also end if the command ends before it knows the film.
	o.announcement = announced(t, "o")
	ended = make(chan bool)
	go func() { o.writeLines(io.Discard); close(ended) }()
	cancel()
	<-ended
}

// announced returns the announcement of a small film.
func announced(t *testing.T, output string) *announcement {
	t.Helper()
	picture := recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:cube"}}}
	a, err := newAnnouncement(film.Film{Animation: recipe.Animation{Picture: picture, Frames: 3}, Output: recipe.Output{File: output}}, new(recipe.Drawer))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
