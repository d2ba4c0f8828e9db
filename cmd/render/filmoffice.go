package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/cluster"
)

// An office is where a film is organised from: a connection to a server, the one that
// runs elsewhere or a process of its own, and the processes that draw here.
type office struct {
	app      *app
	folder   string // of the pictures; "": none
	dir      string // of the server's files; "" for a server that runs elsewhere
	address  cluster.Address
	key      string // file of the secret that nodes use
	cluster  *cluster.Cluster
	up       atomic.Bool // the server has started once
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

// filmFolder returns the folder of the pictures.
func filmFolder(names *frameNames) string { return filepath.Dir(names.name(0)) }

// officeOptions say what an office has.
type officeOptions struct {
	folder    string // of the pictures
	listen    string // where a server of its own listens; "": on loopback
	elsewhere string // the server that runs already; "": none does
	key       pathFlag
	limits    cluster.Limits
	nodes     int  // processes that draw here
	workers   int  // threads of each; 0: the cores are shared out
	visit     bool // ask the server of a command that draws in the folder now, if one does
}

// openOffice connects to a server elsewhere, or starts one whose files are in a folder of
// pictures, and starts the processes that draw.
func openOffice(ctx context.Context, a *app, with officeOptions) (*office, error) {
	o := &office{app: a, limits: with.limits, folder: with.folder}
	o.ctx, o.cancel = context.WithCancel(ctx)
	var err error
	switch {
	case with.elsewhere != "":
		err = o.join(with.elsewhere, with.key)
	case with.visit && o.visit(with.folder):
	default:
		err = o.host(with.folder, with.listen)
	}
	if err == nil {
		err = o.dial(ctx)
	}
	if err == nil { // who was refused starts no nodes, which would be refused too
		o.startNodes(with.nodes, with.workers)
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
		return usagef("--server %w", err)
	}
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
	at, err := os.ReadFile(filepath.Join(dir, addressFile))
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
// there, and keeps it running.
func (o *office) host(folder, listen string) (err error) {
	o.dir = filepath.Join(folder, officeName)
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return outputf("%w", err)
	}
	if o.unlock, err = lockFolder(o.dir, "lock"); err != nil {
		return outputf("%s: another command draws a film here: %w", folder, err)
	}
	first, failed := make(chan cluster.Address, 1), make(chan error, 1)
	o.keepRunning("the server", func(ctx context.Context) *exec.Cmd {
		cmd := o.child(ctx, nil, "serve", "--child", "--dir", o.dir, "--listen="+listen, fmt.Sprintf("--store=%d", serverBytes(o.limits)))
		cmd.Stderr = &serverStderr{app: o.app}
		return cmd
	}, func(out io.Reader) {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line, ok := strings.CutPrefix(lines.Text(), joinPrefix); ok {
				if address, err := cluster.ParseAddress(line); err == nil {
					select {
					case first <- address:
						o.up.Store(true)
					default: // started again, at the same address
					}
				}
			}
		}
	}, failed)
	select {
	case o.address = <-first:
	case err := <-failed:
		return outputf("the server in %s does not start: %w", o.dir, err)
	case <-time.After(serverStart):
		return fmt.Errorf("the server in %s does not start", o.dir)
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
	o.key = o.path(workKey)
	o.address.Seed, err = readKey(pathFlag(o.path(submitKey)))
	return err
}

// serverStart bounds how long a server takes to start on what an earlier one left.
const serverStart = 60 * time.Second

// dial connects.
func (o *office) dial(ctx context.Context) (err error) {
	o.address.Report = func(err error) { // connections come back; calls return what matters
		if errors.Is(err, cluster.ErrNoServer) && o.dir == "" {
			o.app.warn("%s: %v", o.address.URL, err)
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
	return persist(ctx, tryTime, func(ctx context.Context) error { return o.cluster.Prepare(ctx, o.limits) })
}

// Limits of persist.
const (
	persistTime = 2 * time.Minute
	tryTime     = 5 * time.Second
	submitTime  = time.Minute // of a film: a hundred thousand frames take some twenty seconds
)

// persist calls f, again when it fails or takes longer than the limit: the server may be on
// its way back. A try counts for no more than its limit, however long this machine slept in it.
func persist(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	for spent := time.Duration(0); ; {
		began := time.Now()
		try, cancel := context.WithTimeout(ctx, limit)
		err := f(try)
		cancel()
		spent += min(time.Since(began), limit) + childPause
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case spent > persistTime:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(childPause):
		}
	}
}

func (o *office) path(name string) string { return filepath.Join(o.dir, name) }

// submit hands a film in.
func (o *office) submit(ctx context.Context, job cluster.Job) (submitted cluster.Job, err error) {
	err = persist(ctx, submitTime, func(ctx context.Context) error {
		submitted, err = o.cluster.Submit(ctx, job)
		return err
	})
	return submitted, err
}

// localNode begins the names of this command's nodes.
const localNode = "local-"

// startNodes starts local processes that draw, and keeps them running.
func (o *office) startNodes(n, workers int) {
	if workers == 0 && n > 0 {
		workers = max(1, runtime.GOMAXPROCS(0)/n)
	}
	for i := range n {
		o.keepRunning(fmt.Sprintf("node %d", i), func(ctx context.Context) *exec.Cmd {
			return o.child(ctx, []string{keyFile + "=" + o.key}, "node", "--child", "--quiet", "--join", o.address.String(),
				"--name", fmt.Sprintf("%s%d", localNode, i), "--workers", fmt.Sprint(workers))
		}, nil, nil)
	}
}

// child returns a process of this program that ends with its standard input, and so with
// this process, however that ends.
func (o *office) child(ctx context.Context, env []string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = o.app.stderr
	return cmd
}

// childPause is before a process that ended is started again; childGrace, how long one
// may take to end.
const (
	childPause = 200 * time.Millisecond
	childGrace = 5 * time.Second
)

// keepRunning starts a process, and again whenever it ends, until the office closes. A
// process that says by its exit code that it is shut out stays away. read, unless nil, gets
// what it prints; failed, unless nil, the error of one that cannot start.
func (o *office) keepRunning(what string, command func(context.Context) *exec.Cmd, read func(io.Reader), failed chan<- error) {
	o.children.Go(func() {
		for o.ctx.Err() == nil {
			code, err := o.runChild(command, read)
			switch {
			case o.ctx.Err() != nil || code == exitPartial:
				return
			case failed != nil && !o.up.Load() && (err == nil || code == exitUsage || code == exitInput || code == exitOutput):
				failed <- cmp.Or(err, errors.New("it ended"))
				return
			}
			o.app.warn("%s ended and is started again: %v", what, err)
			select {
			case <-o.ctx.Done():
			case <-time.After(childPause):
			}
		}
	})
}

// runChild runs a process until it ends or the office closes.
func (o *office) runChild(command func(context.Context) *exec.Cmd, read func(io.Reader)) (exitCode, error) {
	kill, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := command(kill)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	var out io.Reader
	if read != nil {
		if out, err = cmd.StdoutPipe(); err != nil {
			return 0, err
		}
	}
	if err := cmd.Start(); err != nil {
		return 0, err
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
	if read != nil {
		read(out)
	}
	err = cmd.Wait()
	close(ended)
	if said, ok := cmd.Stderr.(*serverStderr); ok && said.last != "" {
		err = errors.New(said.last)
	}
	return exitCode(cmd.ProcessState.ExitCode()), err
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
	if err := persist(ctx, submitTime, func(ctx context.Context) error { return o.cluster.Finish(ctx, job) }); err != nil {
		o.app.warn("the film's records stay on the server: %v", err)
	}
}

// serverStderr passes warnings of the server on; its last words are part of a line of ours.
type serverStderr struct {
	app  *app
	rest []byte
	last string
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
		text := strings.TrimPrefix(string(line), "render: ")
		if warning, ok := strings.CutPrefix(text, "warning: "); ok {
			w.app.warn("%s", warning)
		} else {
			w.last = text
		}
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
