// Package server runs a NATS server with JetStream inside this process, with exactly the permissions that package
// cluster needs.
package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
)

// Options are the options of a server.
type Options struct {
	// Dir is the folder for all data. It may contain the data of an earlier run.
	Dir string
	// Host is the address to listen on. An empty string means loopback.
	Host string
	Port int // 0 means a free port
	// Bytes limits the size of all data. 0 means DefaultBytes. Without a limit the disk could become full, which would
	// stop the server for good.
	Bytes int64
	// SyncLater makes the server sync its data to the disk every few seconds, not before each answer. If the process is
	// killed, nothing is lost. If the machine crashes, the last seconds are lost.
	SyncLater bool
	TLS       *tls.Certificate
	// SubmitKey is the public nkey of submitters, who have all permissions. If it is empty, everyone has all
	// permissions.
	SubmitKey string
	// Nodes maps names of nodes to their public nkeys. Nodes have few permissions, see Accounts.
	Nodes map[string]string
	// Report, if not nil, receives errors of connections and storage. The same words are reported at most once per
	// second. Goroutines of the server call Report.
	Report func(string)

	limits limits // limits of what nodes may do; the zero value means defaultLimits
}

// A Server runs until Close.
type Server struct {
	s   *natsd.Server
	log *logger
	// closed is closed by Close, which may be called twice.
	closed    chan struct{}
	closeOnce sync.Once
	tasks     sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	options  Options
	watchdog *watchdog
	// admitted holds the nodes that may connect at present.
	admitted map[string]string
}

// startTime limits how long a server may take to read the data of an earlier run.
const startTime = 60 * time.Second

// syncInterval is how often a server with Options.SyncLater writes to the disk.
const syncInterval = 5 * time.Second

// DefaultBytes is the default of Options.Bytes. It is large because pictures pass through the server if nodes have no
// access to the submitter's folder.
const DefaultBytes = 8 << 30

// Start starts a server and waits until it accepts connections.
func Start(o Options) (*Server, error) {
	options, err := o.natsOptions()
	if err != nil {
		return nil, err
	}
	options.ServerName = cluster.ServerName(o.restartedAt(time.Now()))
	if err := checkPort(options.Host, o.Port); err != nil {
		return nil, err
	}
	s, err := natsd.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if o.Report == nil {
		o.Report = func(string) {}
	}
	l := &logger{report: o.Report}
	s.SetLogger(l, true, false)
	go s.Start()
	if !awaitReady(s) {
		s.Shutdown()
		return nil, errors.New("server: does not take connections: the port may be taken, or the folder not be writable")
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("server: cannot keep anything in %s", o.Dir)
	}
	started := &Server{s: s, log: l, options: o, closed: make(chan struct{}), watchdog: newWatchdog(cmp.Or(o.limits, defaultLimits), time.Now()), admitted: maps.Clone(o.Nodes)}
	if len(o.Nodes) > 0 || o.SubmitKey != "" {
		started.tasks.Go(started.guard)
	}
	return started, nil
}

// natsOptions returns the options of the NATS server, except its name.
func (o *Options) natsOptions() (*natsd.Options, error) {
	options := &natsd.Options{}
	limit := cmp.Or(o.Bytes, DefaultBytes)
	if o.SubmitKey != "" {
		if err := options.ProcessConfigString(accounts(o.SubmitKey, o.Nodes, limit)); err != nil {
			return nil, fmt.Errorf("server: accounts: %w", err)
		}
		if err := adoptOldStore(o.Dir); err != nil {
			return nil, err
		}
	}
	options.Host, options.Port, options.JetStream, options.StoreDir = o.Host, o.Port, true, o.Dir
	options.SyncAlways, options.SyncInterval, options.JetStreamMaxStore = !o.SyncLater, syncInterval, limit
	options.NoLog, options.NoSigs, options.MaxPayload, options.MaxClosedClients = true, true, 8<<20, maxClosed
	if o.Host == "" {
		options.Host = "127.0.0.1"
	}
	if o.Port == 0 {
		options.Port = natsd.RANDOM_PORT
	}
	if o.TLS != nil {
		options.TLS, options.TLSTimeout = true, 15
		options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*o.TLS}}
	}
	return options, nil
}

// adoptOldStore moves the data of an earlier version to the folder of the submitters' account. Earlier versions had no
// accounts.
func adoptOldStore(dir string) error {
	account := filepath.Join(dir, natsd.JetStreamStoreDir, submitAccount)
	if _, err := os.Stat(account); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := os.Rename(filepath.Join(dir, natsd.JetStreamStoreDir, natsd.DEFAULT_GLOBAL_ACCOUNT), account)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// SetNodes replaces the set of nodes that may connect. It disconnects nodes that are not in the new set.
func (s *Server) SetNodes(nodes map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Nodes = maps.Clone(nodes) // copy, because the caller may change nodes later
	return s.admit(time.Now())
}

// admit tells the NATS server which nodes may connect, if the set of these nodes has changed. The caller holds s.mu.
func (s *Server) admit(now time.Time) error {
	o := s.options
	if o.Nodes = s.watchdog.admitted(o.Nodes, now); maps.Equal(o.Nodes, s.admitted) {
		return nil
	}
	for range reloads {
		options, err := o.natsOptions()
		if err != nil {
			return err
		}
		options.ServerName = s.s.Name()
		if err := s.s.ReloadOptions(options); err != nil {
			return fmt.Errorf("server: nodes: %w", err)
		}
	}
	s.admitted = o.Nodes
	return nil
}

// reloads is how many times the NATS server has to read new accounts. After the first time, users of a new account can
// connect, but their requests do not reach other accounts. After the second time they do.
const reloads = 2

// restartedAt returns `now` if an earlier server has left data. Otherwise it returns the zero time.
func (o *Options) restartedAt(now time.Time) time.Time {
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) == 0 {
		return time.Time{}
	}
	return now
}

// awaitReady waits until a server accepts connections. It returns false after startTime. It does not use the wait of
// the NATS library, which checks only every 25 ms. A server starts in less time.
func awaitReady(s *natsd.Server) bool {
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(readyPause) {
		if s.ReadyForConnections(readyCheckTime) {
			return true
		}
	}
	return false
}

// awaitReady checks every readyPause whether the server is ready. In each check, the NATS library waits up to
// readyCheckTime for the server.
const (
	readyPause     = time.Millisecond
	readyCheckTime = 20 * time.Microsecond
)

// checkPort returns an error if the server cannot listen on a port. Without this check, the NATS server would wait for
// the port silently.
func checkPort(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return l.Close()
}

// Addr returns the address at which the server listens.
func (s *Server) Addr() *net.TCPAddr { return s.s.Addr().(*net.TCPAddr) }

// StoreError returns why the server cannot store data any more, or nil. After the disk was full or failed, the server
// stores nothing until it is restarted, even if the disk is writable again.
func (s *Server) StoreError() error {
	if fault := s.log.writeFault.Load(); fault != nil {
		return *fault
	}
	if !s.s.JetStreamEnabled() {
		return errors.New("the disk is or was full")
	}
	return nil
}

// Close stops the server. Its data stays on the disk.
func (s *Server) Close() {
	s.closeOnce.Do(func() { close(s.closed) })
	s.tasks.Wait()
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
