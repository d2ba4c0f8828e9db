package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
)

// A nodeCommand draws frames of films until it is stopped.
type nodeCommand struct {
	Join        string               `required:"" placeholder:"LINE" help:"What renderfarm film --listen prints: nats://host:port#sha256:HASH."`
	Key         pictureflags.Path    `placeholder:"FILE" help:"The secret (environment: LOCKSTEP_KEY_FILE)."`
	Name        string               `placeholder:"NAME" help:"Name of this node (the machine's name and the process number)."`
	Workers     pictureflags.Workers `default:"0" placeholder:"N" help:"Worker threads (0: one a core)."`
	Cache       pictureflags.Path    `placeholder:"DIR" help:"Folder for meshes that come by the server (the user's cache)."`
	Size        pictureflags.Bytes   `name:"cache-size" placeholder:"BYTES" help:"Bytes that the cache may hold (16G)."`
	Log         pictureflags.Path    `placeholder:"FILE" help:"Append a line for every frame that is begun: time, film, frame, node."`
	Idle        time.Duration        `placeholder:"TIME" help:"Time without work after which the node ends (never)."`
	Child       bool                 `hidden:"" help:"End with standard input."`
	AddressFile pictureflags.Path    `name:"moved" hidden:"" placeholder:"FILE" help:"File with the host:port at which the server listens now."`
}

// joinByInput makes the node read the address of the server from standard input, see coordinator.writeLines. A server
// that starts at the same time does not know its own port yet.
const joinByInput = "-"

// run joins the server and draws.
func (c *nodeCommand) run(ctx context.Context, a *app, _ io.Writer) (err error) {
	if err := errors.Join(pictureflags.CheckThreads(int(c.Workers)), c.checkName()); err != nil {
		return err
	}
	a.Child.Store(c.Child)
	graceful, cancel := context.WithCancel(ctx)
	defer cancel()
	n := &film.Node{
		Workers: int(c.Workers), Cache: film.Cache{Dir: string(c.Cache), Limit: int64(c.Size)}, Memory: memory, Files: &a.Files,
		Warn: func(line string) { a.Warn("%s", line) },
	}
	input := bufio.NewReader(a.Stdin)
	var ahead <-chan *cluster.Opened
	if c.Join == joinByInput {
		if ahead, err = c.readJoin(graceful, n, input); err != nil {
			return nil // the command that started this node has ended
		}
	}
	address, err := cluster.ParseAddress(c.Join)
	if err != nil {
		return cli.Usagef("--join %w", err)
	}
	if address.Seed, err = readKey(c.Key); err != nil {
		return err
	}
	address.Report = func(err error) { a.Warn("%s: %v", address.URL, err) }
	if c.AddressFile != "" {
		address.Resolve = addressFromFile(string(c.AddressFile))
	}
	begin := c.watchInput(input, ahead != nil, cancel)
	conn, err := cluster.Dial(graceful, address)
	if err != nil {
		if graceful.Err() != nil {
			return nil
		}
		return explainDialError(err)
	}
	defer conn.Close()
	name := c.Name
	if name == "" {
		name = nodeName()
	}
	log, err := c.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	n.Cluster, n.Name = conn, name
	if log != nil {
		n.Begun = func(job cluster.Job, k int) { // write errors are ignored: the log is only information
			fmt.Fprintf(log, "%s %s %d %s\n", time.Now().UTC().Format(time.RFC3339Nano), job.ID, k, name)
		}
	}
	var opened *cluster.Opened
	if ahead != nil {
		opened = <-ahead
	}
	<-begin
	return errorAtEnd(ctx, graceful, n.Work(graceful, ctx, c.Idle, opened))
}

// errorAtEnd returns the error of a node that has stopped working, or nil if the node was asked to leave.
func errorAtEnd(ctx, graceful context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, cluster.ErrBlocked):
		return cli.Partialf("%w", err)
	case graceful.Err() != nil:
		return nil
	}
	return err
}

// openLog opens the file of --log. It returns nil if the flag is not set.
func (c *nodeCommand) openLog() (*os.File, error) {
	if c.Log == "" {
		return nil, nil
	}
	f, err := os.OpenFile(string(c.Log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	return f, nil
}

// readJoin reads four lines from the command that started this node: the description of a film, the job, the server's
// address, and the secret key with which the node signs its records. As soon as the description is read, readJoin
// starts to read the film's mesh. If readJoin returns an error, the node ends.
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
	if err != nil {
		return ahead, err
	}
	c.Join = strings.TrimSpace(line)
	seed, err := input.ReadBytes('\n')
	if seed = bytes.TrimSpace(seed); len(seed) > 0 {
		n.Seed = seed
	}
	return ahead, err
}

// watchInput ends a local node when its standard input is closed. The returned channel is closed when the node may look
// for frames. If `line` is true, that is after the last line of the input, which reports that the film is in the queue.
// If `line` is false, the input has no such line, and the channel is closed at once.
func (c *nodeCommand) watchInput(input *bufio.Reader, line bool, end func()) <-chan struct{} {
	begin := make(chan struct{})
	if !c.Child {
		close(begin)
		return begin
	}
	go func() {
		if line {
			_, _ = input.ReadString('\n') // an error also ends io.Copy
		}
		close(begin)
		io.Copy(io.Discard, input)
		end()
	}()
	return begin
}

// checkName returns an error if the name is reserved.
func (c *nodeCommand) checkName() error {
	if isReservedName(c.Name) && !c.Child {
		return cli.Usagef("--name %s: names that begin with %s, and %s, are those of a film's own processes", c.Name, localPrefix, film.SubmitterName)
	}
	return nil
}
