package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/internal/smallfile"
)

// A coordinator is where a film is organised from: a connection to a server, the one that
// runs elsewhere or a process of its own, and the processes that draw here.
type coordinator struct {
	app      *app
	folder   string // of the pictures; "": none
	dir      string // of the server's files; "" for a server that runs elsewhere
	address  cluster.Address
	film     *announcement // that nodes get ready for
	line     string        // of the address, for nodes, when it is known
	known    chan struct{} // closed then
	key      string        // file of the secret that nodes use
	mark     string        // of the names of the processes that draw here, see newNodeMark
	cluster  *cluster.Cluster
	up       atomic.Bool // the server has started once
	fresh    bool        // its folder had no films before
	finished bool        // nothing of the film is left to do
	limits   cluster.Limits

	ctx      context.Context // of the processes
	cancel   context.CancelFunc
	children sync.WaitGroup
	unlock   func()
}

// coordinatorOptions say what an coordinator has.
type coordinatorOptions struct {
	folder    string // of the pictures
	listen    string // where a server of its own listens; "": on loopback
	elsewhere string // the server that runs already; "": none does
	key       pictureflags.Path
	limits    cluster.Limits
	nodes     int           // processes that draw here
	workers   int           // threads of each; 0: the cores are shared out
	film      *announcement // that processes draw here; nil: none is known
	visit     bool          // ask the server of a command that draws in the folder now, if one does
}

// openCoordinator connects to a server elsewhere, or starts one whose files are in a folder of
// pictures, and starts the processes that draw.
func openCoordinator(ctx context.Context, a *app, with coordinatorOptions) (*coordinator, error) {
	o := &coordinator{app: a, limits: with.limits, folder: with.folder, film: with.film, mark: newNodeMark(with.listen != "" || with.elsewhere != ""), known: make(chan struct{})}
	if o.film == nil {
		o.film = noFilm()
	}
	o.ctx, o.cancel = context.WithCancel(ctx)
	var err error
	switch {
	case with.elsewhere != "":
		err = o.join(with.elsewhere, with.key)
	case with.visit && o.visit(with.folder):
	default:
		err = o.host(with)
	}
	if err == nil {
		err = o.dial(ctx)
	}
	if err == nil {
		if o.dir == "" { // who was refused starts no nodes, which would be refused too
			o.startNodes(with.nodes, with.workers)
		}
		err = o.prepare(ctx) // while they start
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// join finds out how to reach a server that runs.
func (o *coordinator) join(line string, key pictureflags.Path) (err error) {
	if o.address, err = cluster.ParseAddress(line); err != nil {
		return cli.Usagef("--server %w", err)
	}
	o.tellNodes()
	o.key = string(key)
	if o.key == "" {
		o.key = os.Getenv(keyFile)
	}
	o.address.Seed, err = readKey(key)
	return err
}

// visit finds the server of a command that draws a film in a folder now. It returns false if none
// does.
func (o *coordinator) visit(folder string) bool {
	dir := filepath.Join(folder, film.Folder)
	if unlock, err := lockFolder(dir, "lock"); err == nil {
		unlock()
		return false
	}
	at, err := smallfile.Read(filepath.Join(dir, addressFile), smallfile.Words)
	if err != nil {
		return false
	}
	cert, err := keptCertificate(filepath.Join(dir, certificate))
	if err != nil {
		return false
	}
	o.address = cluster.Address{URL: "nats://" + strings.TrimSpace(string(at)), Pin: cluster.Fingerprint(cert.Leaf)}
	o.address.Seed, err = readKey(pictureflags.Path(filepath.Join(dir, submitKey)))
	return err == nil
}

// host starts a server with files in a folder of pictures, unless another command's runs
// there, and keeps it running. The processes that draw start meanwhile, and get its address
// when it is known.
func (o *coordinator) host(with coordinatorOptions) (err error) {
	folder, listen := with.folder, with.listen
	o.dir = filepath.Join(folder, film.Folder)
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return cli.Outputf("%w", err)
	}
	if o.unlock, err = lockSoon(o.ctx, o.dir, "lock"); errors.Is(err, errLocked) {
		return cli.Outputf("%s: another command draws a film here", folder)
	} else if err != nil {
		return cli.Outputf("%w", err)
	}
	first, failed := make(chan cluster.Address, 1), make(chan error, 1)
	began := make(chan struct{})
	o.keepRunning(&childProcess{what: "the server", core: anyCore, began: began, command: func(ctx context.Context) *exec.Cmd {
		cmd := o.child(ctx, nil, "serve", "--child", "--dir", o.dir, "--listen="+listen, fmt.Sprintf("--store=%d", serverBytes(o.limits)))
		cmd.Stderr = &serverStderr{app: o.app, coordinator: o.ctx}
		return cmd
	}, read: func(out io.Reader) {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line, ok := strings.CutPrefix(lines.Text(), joinPrefix); ok {
				if address, err := cluster.ParseAddress(line); err == nil {
					select {
					case first <- address:
						o.up.Store(true)
					default: // started again; see movedBy for another port
					}
				}
			}
		}
	}, failed: failed})
	o.key = o.path(workKey)
	select { // others wait for it
	case <-began:
	case <-o.ctx.Done(): // perhaps before it was tried
		return o.ctx.Err()
	}
	o.startNodes(with.nodes, with.workers)
	select {
	case o.address = <-first:
	case err := <-failed:
		return cli.Outputf("the server in %s does not start: %w", o.dir, err)
	case <-time.After(serverStart):
		return fmt.Errorf("the server in %s does not start", o.dir)
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
	o.tellNodes()
	o.address.Resolve = movedBy(o.path(addressFile))
	o.address.Seed, err = readKey(pictureflags.Path(o.path(submitKey)))
	return err
}

// serverStart bounds how long a server takes to start on what an earlier one left.
const serverStart = 60 * time.Second

// dial connects.
func (o *coordinator) dial(ctx context.Context) (err error) {
	o.address.Report = func(err error) { // connections come back; calls return what matters
		if errors.Is(err, cluster.ErrNoServer) && o.dir == "" {
			o.app.Warn("%s: %v", o.address.URL, err)
		}
	}
	if o.cluster, err = cluster.Dial(ctx, o.address); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return refusal(err)
	}
	return nil
}

// prepare makes the stores that are not there yet.
func (o *coordinator) prepare(ctx context.Context) error {
	return cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error { return o.cluster.Prepare(ctx, o.limits) })
}

func (o *coordinator) path(name string) string { return filepath.Join(o.dir, name) }

// serverBytes returns the bytes of disk that a server needs for stores of these limits: an
// eighth stays for the records of the streams themselves.
func serverBytes(l cluster.Limits) int64 { return cmp.Or(l.Bytes, cluster.DefaultBytes) / 7 * 8 }

// finish says that a film is complete.
func (o *coordinator) finish(ctx context.Context, s *film.Submission) {
	o.finished = true
	if o.dir != "" {
		return // all of it is removed
	}
	if err := s.Finish(ctx); err != nil {
		o.app.Warn("the film's records stay on the server: %v", err)
	}
}

// abandon takes a film back that cannot be drawn: of one in a folder nothing is left.
func (o *coordinator) abandon(ctx context.Context, s *film.Submission) {
	if o.dir != "" {
		o.finished = o.fresh
		return
	}
	if err := s.Abandon(ctx); err != nil {
		o.app.Warn("the film stays in the server's queue: %v", err)
	}
}

// close ends the processes. What is left of the film stays in its folder, unless it is
// finished.
func (o *coordinator) close() {
	if o.cluster != nil {
		o.cluster.Close()
	}
	o.cancel()
	o.children.Wait()
	if o.dir != "" && o.finished {
		os.RemoveAll(o.dir)
	}
	if o.unlock != nil {
		o.unlock()
	}
}

// localName names the i-th node of this command.
func (o *coordinator) localName(i int) string { return fmt.Sprintf("%s%d%s", localNode, i, o.mark) }
