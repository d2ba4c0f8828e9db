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

// A node begins when the last line of its command comes, and not with that of its address; one that no
// command started, at once; and one whose command ends before the last line ends.
func TestNodesWaitForTheLastLine(t *testing.T) {
	node := nodeCommand{Child: true}
	lines, command := io.Pipe()
	ended := make(chan bool)
	begin := node.watchInput(bufio.NewReader(lines), true, func() { close(ended) })
	select {
	case <-begin:
		t.Error("it begins before there are frames")
	case <-time.After(10 * time.Millisecond): // one that does not wait has begun by then
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

// Nodes are told to begin only after the frames are in the queue, and where the server is only when that is known.
func TestLinesForNodes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &coordinator{ctx: ctx, film: announced(t, "o"), addressKnown: make(chan struct{})}
	lines, told := io.Pipe()
	ended := make(chan bool)
	go func() { o.writeLines(told); told.Close(); close(ended) }()
	heard := bufio.NewReader(lines)
	next := func() string { line, _ := heard.ReadString('\n'); return line }
	if line := next(); !strings.Contains(line, `"output":{"file":`) {
		t.Errorf("the command line: %q", line)
	}
	o.film.submitted() // what is known too early waits for its turn
	o.film.job = []byte("the job\n")
	close(o.film.jobKnown)
	if line := next(); !strings.Contains(line, "the job") {
		t.Errorf("the film: %q", line)
	}
	o.addressLine = "nats://here\n"
	close(o.addressKnown)
	if got := next() + next(); got != "nats://here\n\n" {
		t.Errorf("the address and the last line: %q", got)
	}
	<-ended
	// When the command ends before it knows a film, tell must end too.
	o.film = announced(t, "o")
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
