package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"lockstep/internal/cli"
)

// startNodes starts local processes that draw, and keeps them running.
func (o *coordinator) startNodes(n, workers int) {
	if workers == 0 && n > 0 {
		workers = max(1, runtime.GOMAXPROCS(0)/n)
	}
	cores := ownCoresEach(n, workers)
	for i := range n {
		node := &childProcess{what: fmt.Sprintf("node %d", i), core: anyCore, told: o.tell, command: func(ctx context.Context) *exec.Cmd {
			args := []string{"node", "--child", "--quiet", "--join", joinByInput,
				"--name", o.localName(i), "--workers", fmt.Sprint(workers)}
			if o.dir != "" {
				args = append(args, "--moved", o.path(addressFile))
			}
			return o.child(ctx, []string{keyFile + "=" + o.key}, args...)
		}}
		if cores != nil {
			node.core = cores[i]
		}
		o.keepRunning(node)
	}
}

// tellNodes says where the server is.
func (o *coordinator) tellNodes() {
	o.line = o.address.String() + "\n"
	close(o.known)
}

// A childProcess is a process that an coordinator keeps running.
type childProcess struct {
	what    string
	command func(context.Context) *exec.Cmd
	core    int             // that it runs on, or anyCore
	told    func(io.Writer) // writes to its standard input; nil: nothing is
	began   chan<- struct{} // unless nil, closed when its start has been tried once
	read    func(io.Reader) // unless nil, gets what it prints
	failed  chan<- error    // unless nil, the error of one that cannot start
}

const anyCore = -1

func (p *childProcess) start(cmd *exec.Cmd) error {
	if p.core == anyCore {
		return cmd.Start()
	}
	return startOn(cmd, p.core)
}

// child returns a process of this program that ends with its standard input, and so with
// this process, however that ends.
func (o *coordinator) child(ctx context.Context, env []string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = o.app.Stderr
	return cmd
}

// childPause is before a process that ended is started again; childGrace, how long one may take
// to end.
const (
	childPause = 200 * time.Millisecond
	childGrace = 5 * time.Second
	sayPause   = time.Minute // until the same is said again of a process that ends over and over
)

// keepRunning starts a process, and again whenever it ends, until the coordinator closes. A
// process that says by its exit code that it is shut out stays away.
func (o *coordinator) keepRunning(p *childProcess) {
	o.children.Go(func() {
		var said string // of the end before
		var when time.Time
		for o.ctx.Err() == nil {
			code, err := o.runChild(p)
			switch {
			case o.ctx.Err() != nil || code == cli.Partial:
				return
			case p.failed != nil && !o.up.Load() && (err == nil || code == cli.Usage || code == cli.Input || code == cli.Output):
				p.failed <- cmp.Or(err, errors.New("it ended"))
				return
			}
			select { // the signal that ended it may be on its way to this process
			case <-o.ctx.Done():
				return
			case <-time.After(childPause):
			}
			if text := fmt.Sprint(err); text != said || time.Since(when) > sayPause {
				o.app.Warn("%s ended and is started again: %s", p.what, text)
				said, when = text, time.Now()
			}
		}
	})
}

// runChild runs a process until it ends or the coordinator closes.
func (o *coordinator) runChild(p *childProcess) (cli.Code, error) {
	kill, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := p.command(kill)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	var out io.Reader
	if p.read != nil {
		if out, err = cmd.StdoutPipe(); err != nil {
			return 0, err
		}
	}
	err = p.start(cmd)
	if p.began != nil {
		close(p.began)
		p.began = nil
	}
	if err != nil {
		return 0, err
	}
	if p.told != nil {
		go p.told(in)
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			return
		case <-o.ctx.Done():
			in.Close()
		}
		if o.finished && o.dir != "" { // nothing of what it has is needed
			cancel()
			return
		}
		select {
		case <-ended:
		case <-time.After(childGrace):
			cancel()
		}
	}()
	if p.read != nil {
		p.read(out)
	}
	err = cmd.Wait()
	close(ended)
	if said, ok := cmd.Stderr.(*serverStderr); ok && said.last != "" {
		err = errors.New(said.last)
	}
	return cli.Code(cmd.ProcessState.ExitCode()), err
}

// serverStderr passes warnings of the server on; its last words are part of a line of ours.
type serverStderr struct {
	app         *app
	coordinator context.Context // when it has ended so do the connections: no warnings of these
	rest        []byte
	last        string
}

// Write implements io.Writer.
func (w *serverStderr) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		w.rest = rest
		text := strings.TrimPrefix(string(line), program+": ")
		switch warning, ok := strings.CutPrefix(text, "warning: "); {
		case !ok:
			w.last = text
		case w.coordinator.Err() == nil:
			w.app.Warn("%s", warning)
		}
	}
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
