package page

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"lockstep/cluster"
)

// A Gallery finds the pictures of films and the owners of blocks of a mesh. The records of a cluster hold neither. Its
// methods may be called concurrently.
type Gallery interface {
	// Picture returns the file of a frame's picture. If there is none, the error wraps fs.ErrNotExist.
	Picture(ctx context.Context, job cluster.Job, frame int) ([]byte, error)
	// Owners returns which node owns which part of the mesh. It returns nil unless the nodes draw each frame of the
	// film together.
	Owners(job cluster.Job) *Owners
	// Map draws the mesh in the colours of its owners, as a PNG file.
	Map(ctx context.Context, job cluster.Job) ([]byte, error)
}

// Owners holds how much of a mesh each node owned in a frame.
type Owners struct {
	Epoch uint32  `json:"epoch"` // number of changes of owners so far, see package split
	Frame int     `json:"frame"`
	Nodes []Owner `json:"nodes"`
}

// An Owner is a node that owns blocks.
type Owner struct {
	Name    string  `json:"name"`
	Color   string  `json:"color"` // #rrggbb, the colour of its blocks on the map
	Blocks  int     `json:"blocks"`
	Seconds float64 `json:"seconds"` // drawing time of its blocks in the frame
	Busy    float64 `json:"busy"`    // fraction of the frame's time spent drawing
}

// Options are the options of a page.
type Options struct {
	Cluster *cluster.Cluster
	// Job is the ID of the only job to show. An empty string means all jobs.
	Job     string
	Gallery Gallery
	// Listen is an address host:port. If the host is missing, the page listens on all addresses. Port 0 selects a free
	// port.
	Listen string
	// Token is the secret that each request must contain if the page does not listen on loopback.
	Token string
	TLS   *tls.Certificate // the certificate to use if the page does not listen on loopback
}

// A Server serves the page until Close.
type Server struct {
	o        Options
	model    *model
	thumbs   *thumbnailer
	listener net.Listener
	server   *http.Server
	remote   bool // other machines can connect
	readers  chan struct{}
	cancel   context.CancelFunc
	tasks    sync.WaitGroup
}

// Limits of the HTTP server. A request has a few hundred bytes. The largest response is a picture.
const (
	headerTime = 10 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 2 * time.Minute
	endTime    = 200 * time.Millisecond
	maxHeader  = 16 << 10
)

// maxReaders limits the browsers that receive events at once.
const maxReaders = 64

// Start starts to serve the page and to follow the films.
func Start(o Options) (*Server, error) {
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("status page: %w", err)
	}
	s := &Server{o: o, model: newModel(), thumbs: newThumbnailer(), listener: l, readers: make(chan struct{}, maxReaders)}
	s.remote = !l.Addr().(*net.TCPAddr).IP.IsLoopback()
	if s.remote && (o.Token == "" || o.TLS == nil) {
		l.Close()
		return nil, errors.New("status page: other machines may not see it without a token and a certificate")
	}
	if s.remote {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*o.TLS}, NextProtos: []string{"http/1.1"}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.server = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: log.New(io.Discard, "", 0), // it would report every broken connection
	}
	w := &watcher{cluster: o.Cluster, jobID: o.Job, model: s.model, followed: map[string]jobVersion{}}
	s.tasks.Go(func() { w.run(ctx) })
	s.tasks.Go(func() { s.server.Serve(l) })
	return s, nil
}

// URL returns the address of the page, including the token if one is needed.
func (s *Server) URL() string {
	a := s.listener.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if s.remote {
		u.Scheme, u.RawQuery = "https", url.Values{"token": {s.o.Token}}.Encode()
		if a.IP.IsUnspecified() {
			if name, err := hostname(); err == nil {
				u.Host = net.JoinHostPort(name, fmt.Sprint(a.Port))
			}
		}
	}
	return u.String()
}

// Close stops the server and ends all connections.
func (s *Server) Close() {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	s.tasks.Wait()
}
