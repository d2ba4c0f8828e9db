package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/page"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/folderlock"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/internal/smallfile"
)

// A serveCommand runs a server for films. The command film also starts its server with this command, as a child
// process.
type serveCommand struct {
	Dir    pictureflags.Path  `required:"" placeholder:"DIR" help:"Folder for the queue and the secrets."`
	Listen string             `placeholder:"ADDR" help:"Address: host:port or :port (loopback, a free port)."`
	Store  pictureflags.Bytes `placeholder:"BYTES" help:"Bytes that the server may keep (8G)."`
	Init   bool               `help:"Only make the secrets in DIR and accounts.conf, print the certificate's hash, and end: for servers of another program."`
	Add    []string           `name:"add-node" placeholder:"NAME" help:"Make a key for a node, DIR/nodes/NAME.key, and end. A running server accepts it at once."`
	Remove []string           `name:"remove-node" placeholder:"NAME" help:"Remove the key of a node, and end. A running server disconnects the node."`
	Page   string             `name:"status-page" placeholder:"ADDR" help:"Show films in a browser: host:port, or :port; other machines need the token that is printed."`
	Child  bool               `hidden:"" help:"End with standard input."`
}

// Names of files in a server's folder.
const (
	submitKey   = "submit.key" // secret key of submitters
	workKey     = "work.key"   // secret key of nodes that have no key of their own
	certificate = "certificate.pem"
	portFile    = "port"
	addressFile = "address" // host:port of the running server, for programs on this machine
	queueFolder = "queue"

	nodesFolder  = "nodes"         // folder with the secret keys of single nodes
	accountsFile = "accounts.conf" // access rights, for NATS servers that this program does not run
)

// joinPrefix is the beginning of the line with the command that lets a node join.
const joinPrefix = "renderfarm node --join "

// run runs the server until ctx ends.
func (c *serveCommand) run(ctx context.Context, a *app, out io.Writer) error {
	a.Child.Store(c.Child)
	dir := string(c.Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Outputf("%w", err)
	}
	if len(c.Add)+len(c.Remove) > 0 {
		return c.changeNodes(out)
	}
	graceful, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Child {
		go func() { io.Copy(io.Discard, a.Stdin); cancel() }()
	}
	unlock, err := lockServer(graceful, dir)
	if err != nil && graceful.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	defer unlock()
	removeReserve(dir)
	o, err := c.options(a, dir)
	if err != nil {
		return err
	}
	if c.Init {
		if err := writePrivate(filepath.Join(dir, accountsFile), server.Accounts(o.SubmitKey, o.Nodes)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "PIN=%s\n", cluster.Pin(o.TLS.Leaf))
		return err
	}
	s, err := c.start(o)
	if err != nil {
		return err
	}
	defer s.Close()
	address := cluster.Address{URL: "nats://" + c.remoteAddress(s), Pin: cluster.Fingerprint(o.TLS.Leaf)}
	if err := writeAddress(dir, s); err != nil {
		return err
	}
	if !c.Child {
		if err := sweepServer(ctx, dir); err != nil && ctx.Err() == nil {
			a.Warn("what belongs to no film stays: %v", err)
		}
		writeReserve(dir)
	}
	fmt.Fprintf(out, "%s%s\n", joinPrefix, address)
	if c.Page != "" {
		shown, err := c.showStatusPage(ctx, s, address, out)
		if err != nil {
			return err
		}
		defer shown()
	}
	return c.watch(ctx, graceful, a, s, o.Nodes)
}

// writeAddress writes the server's port and address into its folder, for the next run and for nodes of this machine.
func writeAddress(dir string, s *server.Server) error {
	if err := writePrivate(filepath.Join(dir, portFile), strconv.Itoa(s.Addr().Port)); err != nil {
		return err
	}
	return writePrivate(filepath.Join(dir, addressFile), localAddress(s))
}

// start starts the server. If another program listens on the port of the server's earlier run, start uses another port.
func (c *serveCommand) start(o server.Options) (*server.Server, error) {
	if c.isPrivate() {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/coresPerThread))
	}
	s, err := server.Start(o)
	if err != nil && c.Listen == "" && o.Port != 0 { // another program has taken the port
		o.Port = 0
		s, err = server.Start(o)
	}
	if err != nil {
		return nil, cli.Outputf("%w", err)
	}
	return s, nil
}

// options returns the options of the server. Its certificate and keys are in folder dir, where they are created if they
// are missing.
func (c *serveCommand) options(a *app, dir string) (o server.Options, err error) {
	o = server.Options{Dir: filepath.Join(dir, queueFolder), Bytes: int64(c.Store), SyncLater: c.isPrivate(), Report: func(line string) { a.Warn("%s", phrase.OneLine(line)) }}
	if !c.Child {
		o.Bytes = c.limitByDisk(a, dir, o.Dir)
	}
	if o.Host, o.Port, err = c.listenAddress(); err != nil {
		return o, err
	}
	if o.TLS, err = loadOrCreateCertificate(filepath.Join(dir, certificate)); err != nil {
		return o, err
	}
	if err := prepareKeys(dir); err != nil {
		return o, err
	}
	if o.SubmitKey, err = loadOrCreateKey(filepath.Join(dir, submitKey)); err != nil {
		return o, err
	}
	o.Nodes, err = readNodes(dir)
	return o, err
}

// limitByDisk returns how many bytes the server may store. It warns if the disk has less space than --store allows.
// Commands that submit films ask the server for this limit.
func (c *serveCommand) limitByDisk(a *app, dir, queue string) int64 {
	free, ok := freeBytes(dir)
	if !ok {
		return int64(c.Store)
	}
	allowed := cmp.Or(int64(c.Store), server.DefaultBytes)
	limit := storeLimit(allowed, bytesIn(queue), free)
	if c.Store > 0 && limit < allowed {
		a.Warn("%s: the server keeps at most %d MiB of the %d that it may: the disk has room for no more", c.Dir, limit>>20, allowed>>20)
	}
	return limit
}

// isPrivate reports whether this server serves one film on this machine alone. Such a server writes to the disk only
// every few seconds. If it wrote each record at once, frames of 18 ms would take a tenth longer. If the machine
// crashes, the last records are lost. The next command then draws the frames of these records again.
func (c *serveCommand) isPrivate() bool { return c.Child && c.Listen == "" }

// coresPerThread is the number of cores for each thread of a private server. The server needs only a few hundredths
// of the processor time that drawing needs. Further threads would wake up and find no work.
const coresPerThread = 8

// watch returns when the command is stopped or the server cannot store data any more. Meanwhile it tells the server
// when nodes are added or removed.
func (c *serveCommand) watch(ctx, graceful context.Context, a *app, s *server.Server, nodes map[string]string) error {
	t := time.NewTicker(storeCheckInterval)
	defer t.Stop()
	for {
		select {
		case <-graceful.Done():
			return ctx.Err()
		case <-t.C:
			if err := s.StoreError(); err != nil {
				return cli.Outputf("%s: the server cannot keep anything any more until it is started again: %w", c.Dir, err)
			}
			now, err := readNodes(string(c.Dir))
			if err != nil || maps.Equal(now, nodes) {
				continue // the key is read again at the next tick
			}
			if err := s.SetNodes(now); err != nil {
				a.Warn("%v", err)
			}
			nodes = now
		}
	}
}

// storeCheckInterval is the time between two checks whether the server can still store data.
const storeCheckInterval = time.Second

// lockServer locks a server's folder. If another server has locked the folder, lockServer waits for that server to end.
// A server whose command was killed ends soon.
func lockServer(ctx context.Context, dir string) (unlock func(), err error) {
	for end := time.Now().Add(serverEnd); ; {
		if unlock, err = folderlock.Lock(dir, "server.lock"); err == nil {
			return unlock, nil
		}
		if !errors.Is(err, folderlock.ErrLocked) {
			return nil, cli.Outputf("%w", err)
		}
		if time.Now().After(end) {
			return nil, cli.Outputf("%s: another server uses it", dir)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(childPause):
		}
	}
}

// serverEnd limits how long lockServer waits for another server to end.
const serverEnd = 15 * time.Second

// listenAddress returns the host and port to listen on. A restarted server uses the port of the earlier run, because
// nodes know it.
func (c *serveCommand) listenAddress() (host string, port int, err error) {
	if kept, err := smallfile.Read(filepath.Join(string(c.Dir), portFile), smallfile.MaxText); err == nil {
		port, _ = strconv.Atoi(strings.TrimSpace(string(kept)))
	}
	if c.Listen == "" {
		return "", port, nil
	}
	host, text, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", 0, cli.Usagef("--listen %s: expected host:port or :port", c.Listen)
	}
	if text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return "", 0, cli.Usagef("--listen %s: expected a port from 1 to 65535", c.Listen)
		}
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, port, nil
}

// localAddress returns the server's address for programs of this machine.
func localAddress(s *server.Server) string {
	host := s.Addr().IP.String()
	if s.Addr().IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(s.Addr().Port))
}

// remoteAddress returns the server's address for nodes on other machines.
func (c *serveCommand) remoteAddress(s *server.Server) string {
	host, port := s.Addr().IP.String(), strconv.Itoa(s.Addr().Port)
	if s.Addr().IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return net.JoinHostPort(host, port)
}

// showStatusPage starts the status page of a server. The function end closes the page.
func (c *serveCommand) showStatusPage(ctx context.Context, s *server.Server, address cluster.Address, out io.Writer) (end func(), err error) {
	dir := string(c.Dir)
	address.URL = "nats://" + localAddress(s)
	if address.Seed, err = readKey(pictureflags.Path(filepath.Join(dir, submitKey))); err != nil {
		return nil, err
	}
	conn, err := cluster.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := conn.Prepare(ctx, cluster.Limits{}); err != nil {
		conn.Close()
		return nil, cli.Outputf("%w", err)
	}
	shown, err := showPage(c.Page, dir, page.Options{Cluster: conn, Gallery: &film.Gallery{Cluster: conn}}, out)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() { shown.Close(); conn.Close() }, nil
}
