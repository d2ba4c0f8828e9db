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
	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
)

// An office is where a film is organised from: a connection to a server, the one that
// runs elsewhere or a process of its own, and the processes that draw here.
type office struct {
	app      *app
	folder   string // of the pictures; "": none
	dir      string // of the server's files; "" for a server that runs elsewhere
	address  cluster.Address
	film     *filmLine     // that nodes get ready for
	line     string        // of the address, for nodes, when it is known
	known    chan struct{} // closed then
	queued   chan struct{} // closed when the film was handed in
	handIn   sync.Once     // closes queued
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

// officeName is the folder, inside that of the pictures, in which a film's queue and
// secrets are kept until all pictures are there.
const officeName = ".film"

// officeOptions say what an office has.
type officeOptions struct {
	folder    string // of the pictures
	listen    string // where a server of its own listens; "": on loopback
	elsewhere string // the server that runs already; "": none does
	key       pathFlag
	limits    cluster.Limits
	nodes     int       // processes that draw here
	workers   int       // threads of each; 0: the cores are shared out
	film      *filmLine // that processes draw here; nil: none is known
	visit     bool      // ask the server of a command that draws in the folder now, if one does
}

// openOffice connects to a server elsewhere, or starts one whose files are in a folder of
// pictures, and starts the processes that draw.
func openOffice(ctx context.Context, a *app, with officeOptions) (*office, error) {
	o := &office{app: a, limits: with.limits, folder: with.folder, film: with.film, mark: newNodeMark(with.listen != "" || with.elsewhere != ""), known: make(chan struct{}), queued: make(chan struct{})}
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
func (o *office) join(line string, key pathFlag) (err error) {
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
func (o *office) visit(folder string) bool {
	dir := filepath.Join(folder, officeName)
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
	o.address.Seed, err = readKey(pathFlag(filepath.Join(dir, submitKey)))
	return err == nil
}

// host starts a server with files in a folder of pictures, unless another command's runs
// there, and keeps it running. The processes that draw start meanwhile, and get its address
// when it is known.
func (o *office) host(with officeOptions) (err error) {
	folder, listen := with.folder, with.listen
	o.dir = filepath.Join(folder, officeName)
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
		cmd.Stderr = &serverStderr{app: o.app, office: o.ctx}
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
	o.address.Moved = movedBy(o.path(addressFile))
	o.address.Seed, err = readKey(pathFlag(o.path(submitKey)))
	return err
}

// movedBy returns where a server listens by the file that it writes when it has started: one
// that was killed may find its port taken by another program, and gets a new one.
func movedBy(name string) func() string {
	return func() string {
		at, err := smallfile.Read(name, smallfile.Words)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(at))
	}
}

// errLocked is the error of a lock that another process has.
var errLocked = errors.New("it is locked")

// lockPatience is for locks that are held for a moment: by a look whether a command draws in the
// folder, or by a process that a killed command was just starting.
const lockPatience = time.Second

// lockSoon is lockFolder, and waits a little for the lock.
func lockSoon(ctx context.Context, dir, name string) (unlock func(), err error) {
	for end := time.Now().Add(lockPatience); ; {
		if unlock, err = lockFolder(dir, name); !errors.Is(err, errLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPatience / 50):
		}
	}
}

// serverStart bounds how long a server takes to start on what an earlier one left.
const serverStart = 60 * time.Second

// dial connects.
func (o *office) dial(ctx context.Context) (err error) {
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
func (o *office) prepare(ctx context.Context) error {
	return cluster.Persist(ctx, cluster.TryTime, func(ctx context.Context) error { return o.cluster.Prepare(ctx, o.limits) })
}

func (o *office) path(name string) string { return filepath.Join(o.dir, name) }

// submit hands a film in.
func (o *office) submit(ctx context.Context, job cluster.Job) (submitted cluster.Job, err error) {
	err = cluster.Persist(ctx, cluster.SubmitTime, func(ctx context.Context) error {
		submitted, err = o.cluster.Submit(ctx, job)
		return err
	})
	if err == nil {
		o.handIn.Do(func() { close(o.queued) })
	}
	return submitted, err
}

// serverBytes returns the bytes of disk that a server needs for stores of these limits: an
// eighth stays for the records of the streams themselves.
func serverBytes(l cluster.Limits) int64 { return cmp.Or(l.Bytes, cluster.DefaultBytes) / 7 * 8 }

// finish says that a film is complete.
func (o *office) finish(ctx context.Context, job string) {
	o.finished = true
	if o.dir != "" {
		return // all of it is removed
	}
	_ = os.Remove(filepath.Join(o.folder, officeName, tokenName))
	_ = os.Remove(filepath.Join(o.folder, officeName)) // unless there is more in it
	if err := cluster.Persist(ctx, cluster.SubmitTime, func(ctx context.Context) error { return o.cluster.Finish(ctx, job) }); err != nil {
		o.app.Warn("the film's records stay on the server: %v", err)
	}
}

// abandon takes a film back that cannot be drawn: of one in a folder nothing is left.
func (o *office) abandon(ctx context.Context, job string) {
	if o.dir != "" {
		o.finished = o.fresh
		return
	}
	if err := cluster.Persist(ctx, cluster.SubmitTime, func(ctx context.Context) error { return o.cluster.Cancel(ctx, job) }); err != nil {
		o.app.Warn("the film stays in the server's queue: %v", err)
	}
}

// close ends the processes. What is left of the film stays in its folder, unless it is
// finished.
func (o *office) close() {
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
