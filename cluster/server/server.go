// Package server is a NATS server with JetStream inside this process, with the rights
// that package cluster needs and no others.
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
	Dir   string // where it keeps everything; it may hold what an earlier run left
	Host  string // address to listen on; "": loopback
	Port  int    // 0: a free one
	Bytes int64  // that it may keep in all (8 GiB): a full disk would stop it for good
	// Lazy has what is kept written to the disk every few seconds, not before each answer: a
	// process that is killed loses nothing by it, a machine that fails the last seconds.
	Lazy   bool
	TLS    *tls.Certificate
	Submit string // public nkey of those who may do everything
	Work   string // public nkey of nodes, who may draw; both keys "": everyone may do everything
	// Report, unless nil, is told of connections that were refused and of what the server
	// cannot keep, at most once a second. It is called by the server's goroutines.
	Report func(string)
}

// A Server runs until Close.
type Server struct {
	s   *natsd.Server
	log *logger
}

// startTime bounds how long a server takes to read what an earlier one left.
const startTime = 60 * time.Second

// syncInterval is how often a lazy server writes to the disk.
const syncInterval = 5 * time.Second

// defaultBytes is what a server keeps at most: pictures of nodes that share no folder
// with the submitter pass through it.
const defaultBytes = 8 << 30

// Start starts a server and waits until it takes connections.
func Start(o Options) (*Server, error) {
	options := &natsd.Options{
		Host: o.Host, Port: o.Port, JetStream: true, StoreDir: o.Dir, SyncAlways: !o.Lazy, SyncInterval: syncInterval,
		JetStreamMaxStore: o.Bytes, NoLog: true, NoSigs: true, MaxPayload: 8 << 20,
	}
	options.ServerName = cluster.ServerName(o.again(time.Now()))
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
	if o.Submit != "" || o.Work != "" {
		options.Nkeys = []*natsd.NkeyUser{{Nkey: o.Submit}, {Nkey: o.Work, Permissions: workerRights()}}
	}
	if err := free(options.Host, o.Port); err != nil {
		return nil, err
	}
	s, err := natsd.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	l := &logger{report: o.Report}
	s.SetLogger(l, true, false)
	go s.Start()
	if !ready(s) {
		s.Shutdown()
		return nil, errors.New("server: does not take connections: the port may be taken, or the folder not be writable")
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("server: cannot keep anything in %s", o.Dir)
	}
	return &Server{s, l}, nil
}

// again returns the time now where an earlier server has left anything, else zero.
func (o *Options) again(now time.Time) time.Time {
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) == 0 {
		return time.Time{}
	}
	return now
}

// ready waits until a server takes connections, and returns false if it does not. The library's own
// wait looks every 25 ms, which a server is faster than.
func ready(s *natsd.Server) bool {
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(readyPause) {
		if s.ReadyForConnections(readyLook) {
			return true
		}
	}
	return false
}

// readyPause is between two looks whether a server is ready, and readyLook how long one lasts: the
// library looks again and again until it is over.
const (
	readyPause = time.Millisecond
	readyLook  = 20 * time.Microsecond
)

// free returns why a port cannot be listened on: the server would wait and say nothing.
func free(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return l.Close()
}

// workerRights are what a node needs to draw frames. It can neither submit nor remove
// tasks, nor change jobs.
func workerRights() *natsd.Permissions {
	publish := []string{
		"$JS.API.INFO",
		"$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.frames.*", "$JS.API.CONSUMER.MSG.NEXT.frames.*",
		"$JS.ACK.frames.>",
		"$KV.done.>", "$KV.failures.>", "$KV.faults.>", "$KV.nodes.>", "$KV.pictures.>", "$KV.wanted.>",
	}
	for _, store := range []string{"jobs", "done", "blocked", "failures", "blobs"} {
		publish = append(publish, "$JS.API.DIRECT.GET.KV_"+store+".>", "$JS.API.STREAM.MSG.GET.KV_"+store)
	}
	// Without a name where a node resumes its watch before it has connected again: it does
	// not know the server's version then, and asks as it would ask one older than 2.9.
	publish = append(publish, "$JS.API.CONSUMER.CREATE.KV_jobs", "$JS.API.CONSUMER.CREATE.KV_jobs.>",
		"$JS.API.CONSUMER.DELETE.KV_jobs.>", "$JS.FC.>")
	return &natsd.Permissions{
		Publish:   &natsd.SubjectPermission{Allow: publish},
		Subscribe: &natsd.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
}

// Addr returns where the server listens.
func (s *Server) Addr() *net.TCPAddr { return s.s.Addr().(*net.TCPAddr) }

// Keeps reports whether the server still keeps what it is told. After its disk was full it
// does not, whatever becomes free: it has to be started again.
func (s *Server) Keeps() bool { return s.s.JetStreamEnabled() && !s.log.full.Load() }

// Close ends the server. What it keeps stays.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
