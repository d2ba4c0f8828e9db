package page

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"lockstep/cluster"
)

// A Gallery has what the records of a cluster do not hold. Its methods may be called
// concurrently.
type Gallery interface {
	// Picture returns the picture of a frame, as its file is. The error of one that is not
	// there wraps fs.ErrNotExist.
	Picture(ctx context.Context, job cluster.Job, frame int) ([]byte, error)
	// Owners returns who owns which part of the mesh; nil where nodes own nothing.
	Owners(job cluster.Job) *Owners
	// Map draws the mesh in the colours of its owners, as a PNG file.
	Map(ctx context.Context, job cluster.Job) ([]byte, error)
}

// Owners says which node owns how much of a mesh, as of a frame.
type Owners struct {
	Epoch uint32  `json:"epoch"` // of the plan
	Frame int     `json:"frame"`
	Nodes []Owner `json:"nodes"`
}

// An Owner is a node that owns blocks.
type Owner struct {
	Name    string  `json:"name"`
	Color   string  `json:"color"` // #rrggbb, of its blocks on the map
	Blocks  int     `json:"blocks"`
	Seconds float64 `json:"seconds"` // that its blocks took in the frame
	Busy    float64 `json:"busy"`    // share of the frame's time
}

// Options of a page.
type Options struct {
	Cluster *cluster.Cluster
	Job     string // that is shown; "": all
	Gallery Gallery
	Listen  string           // host:port; no host: all addresses; port 0: a free one
	Token   string           // that is asked for beyond loopback
	TLS     *tls.Certificate // that is used beyond loopback
}

// A Server shows films until Close.
type Server struct {
	o       Options
	model   *model
	thumbs  *thumbnailer
	listen  net.Listener
	server  *http.Server
	open    bool // to other machines
	readers chan struct{}
	ended   context.CancelFunc
	tasks   sync.WaitGroup
}

// Times of the HTTP server: requests are a few hundred bytes, and answers a picture at most.
const (
	headerTime = 10 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 2 * time.Minute
	endTime    = 200 * time.Millisecond
	maxHeader  = 16 << 10
)

// maxReaders bounds the browsers that are sent news at once.
const maxReaders = 64

// Start begins to listen and to watch.
func Start(o Options) (*Server, error) {
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("status page: %w", err)
	}
	s := &Server{o: o, model: newModel(), thumbs: newThumbnailer(), listen: l, readers: make(chan struct{}, maxReaders)}
	s.open = !l.Addr().(*net.TCPAddr).IP.IsLoopback()
	if s.open && (o.Token == "" || o.TLS == nil) {
		l.Close()
		return nil, errors.New("status page: other machines may not see it without a token and a certificate")
	}
	if s.open {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*o.TLS}, NextProtos: []string{"http/1.1"}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.ended = cancel
	s.server = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: log.New(discard{}, "", 0),
	}
	w := &watcher{cluster: o.Cluster, only: o.Job, model: s.model, rounds: map[string]round{}}
	s.tasks.Go(func() { w.run(ctx) })
	s.tasks.Go(func() { s.server.Serve(l) })
	return s, nil
}

// discard drops what the HTTP server says of connections that break.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// URL returns where the page is, with the token where one is asked for.
func (s *Server) URL() string {
	a := s.listen.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if s.open {
		u.Scheme, u.RawQuery = "https", url.Values{"token": {s.o.Token}}.Encode()
		if a.IP.IsUnspecified() {
			if name, err := hostname(); err == nil {
				u.Host = net.JoinHostPort(name, fmt.Sprint(a.Port))
			}
		}
	}
	return u.String()
}

// Close ends all connections.
func (s *Server) Close() {
	s.ended()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	s.tasks.Wait()
}
