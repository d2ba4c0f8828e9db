package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"lockstep/cluster"
)

// Local nodes read the mesh while the server starts, and while the command itself reads it: it
// tells them its command line at once, and the film that came of it when it is known.

// A filmLine describes a film to nodes in two lines of their standard input: its command line and
// its job. Both are empty where nodes draw frames together.
type filmLine struct {
	early []byte        // the command line
	job   []byte        // the film
	known chan struct{} // closed when job is there
}

// newFilmLine begins with a command line.
func newFilmLine(spec filmSpec, shared bool) *filmLine {
	f := &filmLine{known: make(chan struct{})}
	f.early = jsonLine(spec, shared)
	return f
}

// noFilm is for nodes that hear of films by the server.
func noFilm() *filmLine {
	f := newFilmLine(filmSpec{}, true)
	f.set(cluster.Job{}, true)
	return f
}

// set adds the film.
func (f *filmLine) set(job cluster.Job, shared bool) {
	f.job = jsonLine(job, shared)
	close(f.known)
}

// jsonLine returns a value as a line, which is empty instead of a value that cannot be written.
func jsonLine(v any, empty bool) []byte {
	b, err := json.Marshal(v)
	if err != nil || empty {
		b = nil
	}
	return append(b, '\n')
}

// tell writes the lines that a node reads, each when it is known: the film's two, where the server
// is, and an empty one when there are frames: a node that looked for them while they are handed in
// would keep the server from it.
func (o *office) tell(w io.Writer) {
	if _, err := w.Write(o.film.early); err != nil {
		return // it has ended: its exit code says why
	}
	for _, line := range []struct {
		known <-chan struct{}
		text  func() []byte
	}{
		{o.film.known, func() []byte { return o.film.job }},
		{o.known, func() []byte { return []byte(o.line) }},
		{o.queued, func() []byte { return []byte("\n") }},
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

// readJoin reads three lines of the command that started this node: its command line, whose mesh is
// opened at once, the film, and the server's address. An error ends the node.
func (c *nodeCommand) readJoin(ctx context.Context, p *painter, input *bufio.Reader) (<-chan *cluster.Opened, error) {
	early, err := input.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	opening := make(chan *filmFrames, 1)
	go func() { opening <- p.openEarly(ctx, early) }()
	job, err := input.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	ahead := make(chan *cluster.Opened, 1)
	go func() { ahead <- p.openAhead(<-opening, job) }()
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

// openEarly gets ready to draw by a command line of this machine. It returns nil where that does
// not work: the command says why.
func (p *painter) openEarly(ctx context.Context, line []byte) *filmFrames {
	var spec filmSpec
	if json.Unmarshal(line, &spec) != nil || len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	c, err := p.command(&spec, spec.here)
	if err != nil {
		return nil
	}
	p.app.measure()
	frames, err := c.openFrames(ctx, p.app, p.workers, false)
	if err != nil {
		return nil
	}
	return frames
}

// openAhead checks that frames, opened by the command line alone, are those of the film in line. It
// returns nil where they are not: Work opens the film then, or says why it cannot.
func (p *painter) openAhead(frames *filmFrames, line []byte) *cluster.Opened {
	if frames == nil {
		return nil
	}
	var job cluster.Job
	var spec filmSpec
	if json.Unmarshal(line, &job) == nil && json.Unmarshal(job.Spec, &spec) == nil && p.take(frames, job, &spec, false) == nil {
		return &cluster.Opened{Job: job, Frames: frames}
	}
	frames.Close()
	return nil
}
