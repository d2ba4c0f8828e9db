package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/render/recipe"
)

// Local nodes read the mesh while the server starts, and while the command itself reads it: it
// tells them at once what is known of the film, and the job that came of it when it is known.

// An announcement describes a film to nodes in two lines of their standard input: what is known before its mesh is read,
// and its job. Both are empty where nodes draw frames together.
type announcement struct {
	early  []byte        // what is known
	job    []byte        // the job
	known  chan struct{} // closed when job is there
	queued chan struct{} // closed when the film was handed in
	once   sync.Once     // closes queued
	mark   atomic.Value  // of the names of the nodes that this process starts, a string
}

// newAnnouncement begins with what is known.
func newAnnouncement(f film.Film, d *recipe.Drawer) (*announcement, error) {
	a := &announcement{known: make(chan struct{}), queued: make(chan struct{})}
	if !f.Shared {
		early, err := f.Describe(d)
		if err != nil {
			return nil, err
		}
		a.early = early
	}
	a.early = append(a.early, '\n')
	return a, nil
}

// noFilm is for nodes that hear of films by the server.
func noFilm() *announcement {
	a := &announcement{early: []byte("\n"), known: make(chan struct{}), queued: make(chan struct{})}
	a.set(nil, true)
	return a
}

// set adds the job.
func (a *announcement) set(s *film.Submission, shared bool) {
	if s != nil && !shared {
		a.job, _ = json.Marshal(s.Job()) // a job can be written: it goes to the server so
	}
	a.job = append(a.job, '\n')
	close(a.known)
}

// submitted says that the film is in the queue.
func (a *announcement) submitted() { a.once.Do(func() { close(a.queued) }) }

// own says what ends the names of the nodes that this process starts.
func (a *announcement) own(mark string) { a.mark.Store(mark) }

// isOwn reports whether a node is one of them.
func (a *announcement) isOwn(node string) bool {
	mark, known := a.mark.Load().(string)
	return known && isLocal(node, mark)
}

// tell writes the lines that a node reads, each when it is known: the film's two, where the server
// is, and an empty one when there are frames: a node that looked for them while they are handed in
// would keep the server from it.
func (o *coordinator) tell(w io.Writer) {
	if _, err := w.Write(o.film.early); err != nil {
		return // it has ended: its exit code says why
	}
	for _, line := range []struct {
		known <-chan struct{}
		text  func() []byte
	}{
		{o.film.known, func() []byte { return o.film.job }},
		{o.known, func() []byte { return []byte(o.line) }},
		{o.film.queued, func() []byte { return []byte("\n") }},
	} {
		select {
		case <-line.known:
		case <-o.ctx.Done():
			return
		}
		if _, err := w.Write(line.text()); err != nil {
			return
		}
	}
}

// readJoin reads three lines of the command that started this node: what is known of a film, whose mesh is
// opened at once, its job, and the server's address. An error ends the node.
func (c *nodeCommand) readJoin(ctx context.Context, n *film.Node, input *bufio.Reader) (<-chan *cluster.Opened, error) {
	early, err := input.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	opening := n.OpenEarly(ctx, early)
	job, err := input.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	ahead := make(chan *cluster.Opened, 1)
	go func() { ahead <- opening.Take(n, job) }()
	line, err := input.ReadString('\n')
	c.Join = strings.TrimSpace(line)
	return ahead, err
}

// watchInput ends a node of a command with its standard input. It returns a channel
// that is closed when frames are queued: by the last line, or at once if no line is to come.
func (c *nodeCommand) watchInput(input *bufio.Reader, line bool, end func()) <-chan struct{} {
	begin := make(chan struct{})
	if !c.Child {
		close(begin)
		return begin
	}
	go func() {
		if line {
			_, _ = input.ReadString('\n') // without one the node ends below
		}
		close(begin)
		io.Copy(io.Discard, input)
		end()
	}()
	return begin
}
