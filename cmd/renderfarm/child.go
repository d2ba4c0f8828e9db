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
	"strings"
	"time"

	"lockstep/internal/cli"
)

// startNodes starts n local nodes and restarts each node that ends.
func (o *coordinator) startNodes(n, workers int) {
	if workers == 0 && n > 0 {
		workers = workersPerNode(n)
	}
	cores := coresForProcesses(n, workers)
	for i := range n {
		node := &childProcess{name: fmt.Sprintf("node %d", i), core: anyCore, writeInput: o.writeLines, command: func(ctx context.Context) *exec.Cmd {
			args := []string{"node", "--child", "--quiet", "--join", joinByInput,
				"--name", o.localNodeName(i), "--workers", fmt.Sprint(workers)}
			if o.dir != "" {
				args = append(args, "--moved", o.filePath(addressFile))
			}
			return o.childCommand(ctx, []string{keyFileEnv + "=" + o.key}, args...)
		}}
		if cores != nil {
			node.core = cores[i]
		}
		o.keepRunning(node)
	}
}

// publishAddress lets local nodes read the server's address.
func (o *coordinator) publishAddress() {
	o.addressLine = o.address.String() + "\n" + string(o.announcement.seed) + "\n"
	close(o.addressKnown)
}

// A childProcess is a process that a coordinator starts and keeps running.
type childProcess struct {
	name        string
	command     func(context.Context) *exec.Cmd
	core        int             // core that the process runs on, or anyCore
	writeInput  func(io.Writer) // writes to the standard input of the process; may be nil
	started     chan<- struct{} // closed after the first attempt to start the process; may be nil
	readOutput  func(io.Reader) // reads the standard output of the process; may be nil
	startFailed chan<- error    // receives the error if the process cannot start; may be nil
}

const anyCore = -1

func (p *childProcess) start(cmd *exec.Cmd) error {
	if p.core == anyCore {
		return cmd.Start()
	}
	return startOn(cmd, p.core)
}

// childCommand returns a command that runs this program. The child ends when its standard input is closed. Therefore it
// also ends when this process ends for any reason.
func (o *coordinator) childCommand(ctx context.Context, env []string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = o.app.Stderr
	return cmd
}

// childPause is the pause before a process is restarted. childGrace is how long a process may take to end before it is
// killed.
const (
	childPause = 200 * time.Millisecond
	childGrace = 5 * time.Second
	warnPause  = time.Minute // least time between equal warnings
)

// keepRunning starts a process and restarts it whenever it ends, until the coordinator closes. A process with the exit
// code cli.Partial is a blocked node, and is not restarted.
func (o *coordinator) keepRunning(p *childProcess) {
	o.children.Go(func() {
		var lastWarning string // warning when the process ended the last time
		var warnedAt time.Time
		for o.ctx.Err() == nil {
			code, err := o.runChild(p)
			switch {
			case o.ctx.Err() != nil || code == cli.Partial:
				return
			case p.startFailed != nil && !o.serverStarted.Load() && (err == nil || code == cli.Usage || code == cli.Input || code == cli.Output):
				p.startFailed <- cmp.Or(err, errors.New("it ended"))
				return
			}
			select { // Ctrl-C may end the child a moment before this process gets the signal
			case <-o.ctx.Done():
				return
			case <-time.After(childPause):
			}
			if text := fmt.Sprint(err); text != lastWarning || time.Since(warnedAt) > warnPause {
				o.app.Warn("%s ended and is started again: %s", p.name, text)
				lastWarning, warnedAt = text, time.Now()
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
	if p.readOutput != nil {
		if out, err = cmd.StdoutPipe(); err != nil {
			return 0, err
		}
	}
	err = p.start(cmd)
	if p.started != nil {
		close(p.started)
		p.started = nil
	}
	if err != nil {
		return 0, err
	}
	if p.writeInput != nil {
		go p.writeInput(in)
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			return
		case <-o.ctx.Done():
			in.Close()
		}
		if o.finished && o.dir != "" { // close removes the server's files, so the server need not end cleanly
			cancel()
			return
		}
		select {
		case <-ended:
		case <-time.After(childGrace):
			cancel()
		}
	}()
	if p.readOutput != nil {
		p.readOutput(out)
	}
	err = cmd.Wait()
	close(ended)
	if said, ok := cmd.Stderr.(*serverStderr); ok && said.lastLine != "" {
		err = errors.New(said.lastLine)
	}
	return cli.Code(cmd.ProcessState.ExitCode()), err
}

// A serverStderr receives the standard error of the server process. It prints the server's warnings. The last line that
// is not a warning is the reason why the server ended, see runChild.
type serverStderr struct {
	app         *app
	coordinator context.Context // context of the coordinator; after its end, disconnected clients cause no warnings
	partial     []byte
	lastLine    string
}

// Write implements io.Writer.
func (w *serverStderr) Write(b []byte) (int, error) {
	w.partial = append(w.partial, b...)
	for {
		line, rest, whole := bytes.Cut(w.partial, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		w.partial = rest
		text := strings.TrimPrefix(string(line), program+": ")
		switch warning, ok := strings.CutPrefix(text, "warning: "); {
		case !ok:
			w.lastLine = text
		case w.coordinator.Err() == nil:
			w.app.Warn("%s", warning)
		}
	}
}

// writeLines writes five lines for a local node, each as soon as it is known:
//
//   - the description of the film
//   - its job
//   - the server's address
//   - the secret key with which the node signs
//   - an empty line, when the film is in the queue
//
// Until the last line, the node does not look for frames. Its requests would slow down the server while the server
// stores the frames.
func (o *coordinator) writeLines(w io.Writer) {
	if _, err := w.Write(o.announcement.description); err != nil {
		return // the node has ended
	}
	for _, line := range []struct {
		known <-chan struct{}
		text  func() []byte
	}{
		{o.announcement.jobKnown, func() []byte { return o.announcement.job }},
		{o.addressKnown, func() []byte { return []byte(o.addressLine) }},
		{o.announcement.queued, func() []byte { return []byte("\n") }},
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
