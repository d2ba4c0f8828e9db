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
	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/folderlock"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/internal/smallfile"
)

// A coordinator manages a film: the connection to a server, the server process if it has started one, and the local
// nodes.
type coordinator struct {
	app          *app
	folder       string // folder of the pictures; empty if all films of a server are selected
	dir          string // folder of the server's files; empty for an existing server
	address      cluster.Address
	announcement *announcement // announcement for local nodes
	// addressLine holds two lines for local nodes: the server's address and the secret key of this run. It is set
	// before addressKnown is closed.
	addressLine   string
	addressKnown  chan struct{}
	key           string // name of the file with the secret key of nodes
	nodeSuffix    string // suffix of the names of local nodes, see newNodeSuffix
	cluster       *cluster.Cluster
	serverStarted atomic.Bool // set after the first start of the server
	newFolder     bool        // the folder held no film before
	finished      bool        // the film is complete
	limits        cluster.Limits

	ctx      context.Context // ends all processes
	cancel   context.CancelFunc
	children sync.WaitGroup
	unlock   func()
}

// coordinatorOptions configure a coordinator.
type coordinatorOptions struct {
	folder    string // folder of the pictures
	listen    string // address on which a new server listens; empty means loopback
	serverURL string // address of an existing server; empty means none
	key       pictureflags.Path
	limits    cluster.Limits
	nodes     int           // number of local nodes
	workers   int           // threads of each node; 0 means that the cores are divided among the nodes
	film      *announcement // film for local nodes; may be nil
	// useRunning is set to connect to the server of a command that is drawing a film in the folder, if there is one.
	useRunning bool
}

// openCoordinator connects to an existing server, or starts a new server with its files in the folder of pictures. It
// also starts the local nodes.
func openCoordinator(ctx context.Context, a *app, with coordinatorOptions) (*coordinator, error) {
	if err := checkFileLimit(with.nodes); err != nil {
		return nil, err
	}
	o := &coordinator{app: a, limits: with.limits, folder: with.folder, announcement: with.film, nodeSuffix: newNodeSuffix(with.listen != "" || with.serverURL != ""), addressKnown: make(chan struct{})}
	if o.announcement == nil {
		o.announcement = emptyAnnouncement()
	}
	o.ctx, o.cancel = context.WithCancel(ctx)
	var err error
	switch {
	case with.serverURL != "":
		if err = o.joinServer(with.serverURL, with.key); err == nil && with.film != nil {
			err = o.lockPictures()
		}
	case with.useRunning && o.findRunningServer(with.folder):
	default:
		err = o.startServer(with)
	}
	if err == nil {
		err = o.dial(ctx)
	}
	if err == nil {
		if o.dir == "" { // for a new server, startServer starts the nodes
			o.startNodes(with.nodes, with.workers)
		}
		err = o.createStores(ctx) // creates the stores of the server while the nodes start
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// A coordinator and its server each open up to coordinatorFiles + filesPerNode·n files for n nodes. These are files,
// connections and locks of the queue, and the pipe and the connections of each node. The largest numbers seen were 16
// files for one node, and 33 for 8 nodes that draw each frame together.
const (
	coordinatorFiles = 20
	filesPerNode     = 2
)

// checkFileLimit returns an error if this process may not open enough files for a server and this number of nodes.
func checkFileLimit(nodes int) error {
	err := budget.CheckFiles(coordinatorFiles+filesPerNode*nodes, " for the server and "+phrase.Plural(int64(nodes), "node"))
	if err != nil {
		return cli.Usagef("%w", err)
	}
	return nil
}

// joinServer sets the address and the secret key of an existing server.
func (o *coordinator) joinServer(line string, key pictureflags.Path) (err error) {
	if o.address, err = cluster.ParseAddress(line); err != nil {
		return cli.Usagef("--server %w", err)
	}
	o.publishAddress()
	o.key = string(key)
	if o.key == "" {
		o.key = os.Getenv(keyFileEnv)
	}
	o.address.Seed, err = readKey(key)
	return err
}

// lockPictures locks the folder of pictures, so that no other command draws a film in it. It fails if another command
// holds the lock.
func (o *coordinator) lockPictures() (err error) {
	dir := filepath.Join(o.folder, film.Folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Outputf("%w", err)
	}
	if o.unlock, err = folderlock.LockWithin(o.ctx, dir, "lock"); errors.Is(err, folderlock.ErrLocked) {
		return cli.Outputf("%s: another command draws a film here", o.folder)
	} else if err != nil {
		return cli.Outputf("%w", err)
	}
	return nil
}

// findRunningServer looks for a command that is drawing a film in the folder, and sets the address of that command's
// server. It returns false if there is no such command.
func (o *coordinator) findRunningServer(folder string) bool {
	dir := filepath.Join(folder, film.Folder)
	if unlock, err := folderlock.Lock(dir, "lock"); err == nil {
		unlock()
		return false
	}
	var err error
	o.address, err = localServer(dir)
	return err == nil
}

// localServer returns the address of a server on this machine with its files in folder dir. The address includes the
// secret key with which films are submitted.
func localServer(dir string) (a cluster.Address, err error) {
	at, err := smallfile.Read(filepath.Join(dir, addressFile), smallfile.MaxText)
	if err != nil {
		return a, err
	}
	cert, err := loadOrCreateCertificate(filepath.Join(dir, certificate))
	if err != nil {
		return a, err
	}
	a = cluster.Address{URL: "nats://" + strings.TrimSpace(string(at)), Pin: cluster.Fingerprint(cert.Leaf)}
	a.Seed, err = readKey(pictureflags.Path(filepath.Join(dir, submitKey)))
	return a, err
}

// startServer starts a server with its files in the folder of pictures, and restarts it when it ends. It fails if
// another command draws a film in the folder. The local nodes start at the same time, and get the server's address as
// soon as it is known.
func (o *coordinator) startServer(with coordinatorOptions) (err error) {
	folder, listen := with.folder, with.listen
	o.dir = filepath.Join(folder, film.Folder)
	if err := o.lockPictures(); err != nil {
		return err
	}
	first, failed := make(chan cluster.Address, 1), make(chan error, 1)
	began := make(chan struct{})
	o.keepRunning(&childProcess{name: "the server", core: anyCore, started: began, command: func(ctx context.Context) *exec.Cmd {
		cmd := o.childCommand(ctx, nil, "serve", "--child", "--dir", o.dir, "--listen="+listen, fmt.Sprintf("--store=%d", serverDiskLimit(o.limits)))
		cmd.Stderr = &serverStderr{app: o.app, coordinator: o.ctx}
		return cmd
	}, readOutput: func(out io.Reader) {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line, ok := strings.CutPrefix(lines.Text(), joinPrefix); ok {
				if address, err := cluster.ParseAddress(line); err == nil {
					select {
					case first <- address:
						o.serverStarted.Store(true)
					default: // the server was restarted; addressFromFile finds its new port
					}
				}
			}
		}
	}, startFailed: failed})
	if o.key = o.filePath(workKey); listen == "" {
		// Local nodes use the key with which films are submitted. So local nodes and the submitter have the same
		// account on the server. Requests within one account cost the server less time. This is safe, because no
		// other machine can join.
		o.key = o.filePath(submitKey)
	}
	select { // wait until the server has started before starting nodes, because they need it
	case <-began:
	case <-o.ctx.Done(): // the channel began may never be closed
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
	o.publishAddress()
	o.address.Resolve = addressFromFile(o.filePath(addressFile))
	o.address.Seed, err = readKey(pictureflags.Path(o.filePath(submitKey)))
	return err
}

// serverStart limits the time for starting a server with the data of an earlier run.
const serverStart = 60 * time.Second

// dial connects to the server.
func (o *coordinator) dial(ctx context.Context) (err error) {
	o.address.Report = func(err error) { // receives errors that no call returns
		if errors.Is(err, cluster.ErrNoServer) && o.dir == "" {
			o.app.Warn("%s: %v", o.address.URL, err)
		}
	}
	if o.cluster, err = cluster.Dial(ctx, o.address); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return explainDialError(err)
	}
	o.children.Go(o.watchServer)
	return nil
}

// watchServer warns if the server is unreachable for longer than a restart takes. It also warns if the server's storage
// is full.
func (o *coordinator) watchServer() {
	t := time.NewTicker(awayCheckInterval)
	defer t.Stop()
	warned, told, looks := false, "", 0
	for {
		select {
		case <-o.ctx.Done():
			return
		case now := <-t.C:
			since := o.cluster.AwaySince()
			switch {
			case since.IsZero() && warned:
				warned = false
				o.app.Warn("the server is back")
			case !since.IsZero() && !warned && now.Sub(since) > awayTime:
				warned = true
				o.app.Warn("the server is away since %s: nodes keep what they have drawn, and the film goes on when it is back", since.Format(time.TimeOnly))
			}
			if looks++; since.IsZero() && looks%checksPerFullCheck == 0 {
				told = o.warnOfFullStores(told)
			}
		}
	}
}

// warnOfFullStores warns if parts of the server's storage are full, and returns their names. The parameter `told` is
// the result of the previous call. warnOfFullStores does not warn again of the same parts.
func (o *coordinator) warnOfFullStores(told string) string {
	ctx, cancel := context.WithTimeout(o.ctx, cluster.TryTimeout)
	defer cancel()
	full, err := o.cluster.Full(ctx)
	if err != nil {
		return told
	}
	names := strings.Join(full, ", ")
	if names != "" && names != told {
		o.app.Warn("the server has no room left for %s: nodes wait until some is freed (--store)", names)
	}
	return names
}

// checksPerFullCheck is how many times watchServer checks the connection before it checks the storage once.
const checksPerFullCheck = 10

// The server is checked every awayCheckInterval. The user is warned when it has been unreachable for awayTime.
const (
	awayCheckInterval = time.Second
	awayTime          = 8 * time.Second
)

// createStores creates the server's stores that do not exist yet.
func (o *coordinator) createStores(ctx context.Context) error {
	var final error
	err := cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error {
		err := o.cluster.Prepare(ctx, o.limits)
		if errors.Is(err, cluster.ErrReplicas) || errors.Is(err, cluster.ErrOneCopy) { // a retry cannot succeed
			final = cli.Usagef("--replicas %d: %w", o.limits.Replicas, err)
			return nil
		}
		if errors.Is(err, cluster.ErrNoAccounts) {
			final = cli.Usagef("%w", err)
			return nil
		}
		var room *cluster.RoomError
		if errors.As(err, &room) {
			final = cli.Usagef("--store %d: %w: expected at most --store %dM", room.Asked, err, room.Limit>>20)
			return nil
		}
		return err
	})
	return cmp.Or(final, err)
}

func (o *coordinator) filePath(name string) string { return filepath.Join(o.dir, name) }

// serverDiskLimit returns the disk limit of a server whose stores have the limits l. An eighth of the disk limit is
// left for the overhead of the streams.
func serverDiskLimit(l cluster.Limits) int64 { return cmp.Or(l.Bytes, cluster.DefaultBytes) / 7 * 8 }

// finish removes the film's data from the server after all pictures are complete.
func (o *coordinator) finish(ctx context.Context, s *film.Submission) {
	o.finished = true
	if o.dir != "" {
		return // close removes all data of the film
	}
	if err := s.Finish(ctx); err != nil {
		o.app.Warn("the film's records stay on the server: %v", err)
	}
}

// abandon cancels a film that cannot be drawn. If it was the first film of its folder, its files are removed.
func (o *coordinator) abandon(ctx context.Context, s *film.Submission) {
	if o.dir != "" {
		o.finished = o.newFolder
		return
	}
	if err := s.Abandon(ctx); err != nil {
		o.app.Warn("the film stays in the server's queue: %v", err)
	}
}

// close ends the processes. The data of the film stays in its folder, unless the film is finished.
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
	if o.unlock != nil && o.dir == "" { // on an existing server, the folder of a finished film holds only the lock
		dir := filepath.Join(o.folder, film.Folder)
		if o.finished {
			_ = os.Remove(filepath.Join(dir, "lock"))
		}
		_ = os.Remove(dir)
	}
}

// localNodeName returns the name of local node i.
func (o *coordinator) localNodeName(i int) string {
	return fmt.Sprintf("%s%d%s", localPrefix, i, o.nodeSuffix)
}
