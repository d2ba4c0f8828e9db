// Package server runs a NATS server with JetStream inside this process, with exactly the permissions that package
// cluster needs.
package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
)

// Options of a server.
type Options struct {
	// Dir is the folder for all data. It may contain the data of an earlier run.
	Dir string
	// Host is the address to listen on; empty: loopback.
	Host string
	Port int // 0: a free port
	// Bytes limits the size of all data; 0: 8 GiB. A full disk would stop the server for good.
	Bytes int64
	// SyncLater writes data to the disk every few seconds, rather than before each answer. A process that is killed
	// loses nothing; a machine that crashes loses the last seconds.
	SyncLater bool
	TLS       *tls.Certificate
	SubmitKey string // public nkey with all permissions
	// NodeKey is the public nkey of nodes, which may only draw. If both keys are empty, everyone has all permissions.
	NodeKey string
	// Report, if not nil, receives errors of connections and storage, at most one a second for equal words. It is
	// called by goroutines of the server.
	Report func(string)
}

// A Server runs until Close.
type Server struct {
	s   *natsd.Server
	log *logger
}

// startTime limits how long a server may take to read the data of an earlier run.
const startTime = 60 * time.Second

// syncInterval is how often a server with Options.SyncLater writes to the disk.
const syncInterval = 5 * time.Second

// defaultBytes is the default of Options.Bytes. Pictures of nodes that do not share the submitter's folder pass through
// the server.
const defaultBytes = 8 << 30

// Start starts a server and waits until it accepts connections.
func Start(o Options) (*Server, error) {
	options := &natsd.Options{
		Host: o.Host, Port: o.Port, JetStream: true, StoreDir: o.Dir, SyncAlways: !o.SyncLater, SyncInterval: syncInterval,
		JetStreamMaxStore: o.Bytes, NoLog: true, NoSigs: true, MaxPayload: 8 << 20,
	}
	options.ServerName = cluster.ServerName(o.restartedAt(time.Now()))
	if o.Host == "" {
		options.Host = "127.0.0.1"
	}
	if o.Port == 0 {
		options.Port = natsd.RANDOM_PORT
	}
	if o.Bytes == 0 {
		options.JetStreamMaxStore = defaultBytes
	}
	if o.TLS != nil {
		options.TLS, options.TLSTimeout = true, 15
		options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*o.TLS}}
	}
	if o.SubmitKey != "" || o.NodeKey != "" {
		options.Nkeys = []*natsd.NkeyUser{{Nkey: o.SubmitKey}, {Nkey: o.NodeKey, Permissions: nodePermissions()}}
	}
	if err := checkPort(options.Host, o.Port); err != nil {
		return nil, err
	}
	s, err := natsd.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
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
	return &Server{s, l}, nil
}

// restartedAt returns now if an earlier server has left data, and otherwise the zero time.
func (o *Options) restartedAt(now time.Time) time.Time {
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) == 0 {
		return time.Time{}
	}
	return now
}

// awaitReady waits until a server accepts connections. It returns false after startTime. The NATS library's own wait
// checks every 25 ms, which is longer than a server takes to start.
func awaitReady(s *natsd.Server) bool {
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(readyPause) {
		if s.ReadyForConnections(readyLook) {
			return true
		}
	}
	return false
}

// awaitReady checks every readyPause, and each check takes readyLook, in which the library repeats it.
const (
	readyPause = time.Millisecond
	readyLook  = 20 * time.Microsecond
)

// checkPort returns an error if a port cannot be listened on. The NATS server itself would wait without a message.
func checkPort(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return l.Close()
}

// nodePermissions returns what a node may do: draw frames, but not submit or remove tasks, nor change jobs.
func nodePermissions() *natsd.Permissions {
	publish := []string{
		"$JS.API.INFO",
		"$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.frames.*", "$JS.API.CONSUMER.MSG.NEXT.frames.*",
		"$JS.ACK.frames.>",
		"$KV.done.>", "$KV.failures.>", "$KV.faults.>", "$KV.nodes.>", "$KV.pictures.>", "$KV.wanted.>",
	}
	for _, store := range []string{"jobs", "done", "blocked", "failures", "blobs"} {
		publish = append(publish, "$JS.API.DIRECT.GET.KV_"+store+".>", "$JS.API.STREAM.MSG.GET.KV_"+store)
	}
	// The subject without a name is used by a node that resumes a watch before it has reconnected. It does not know the
	// server's version then, and assumes one before 2.9.
	publish = append(publish, "$JS.API.CONSUMER.CREATE.KV_jobs", "$JS.API.CONSUMER.CREATE.KV_jobs.>",
		"$JS.API.CONSUMER.DELETE.KV_jobs.>", "$JS.FC.>")
	return &natsd.Permissions{
		Publish:   &natsd.SubjectPermission{Allow: publish},
		Subscribe: &natsd.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
}

// Addr returns the address at which the server listens.
func (s *Server) Addr() *net.TCPAddr { return s.s.Addr().(*net.TCPAddr) }

// CanStore reports whether the server can still store data. After its disk was full it cannot, even if the disk has
// room again, until it is restarted.
func (s *Server) CanStore() bool { return s.s.JetStreamEnabled() && !s.log.diskFull.Load() }

// Close stops the server. Its data stays on the disk.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
