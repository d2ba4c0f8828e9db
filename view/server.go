package view

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"lockstep/internal/webguard"
	"lockstep/render/recipe"
)

//go:embed assets
var assets embed.FS

// contentTypes maps extensions of the assets to content types. The system's own table may be wrong.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// policy is webguard.Policy with one addition: the page may show pictures that it has received through its socket.
var policy = strings.Replace(webguard.Policy, "img-src 'self'", "img-src 'self' blob:", 1)

// Options are the options of a viewer.
type Options struct {
	Drawer recipe.Drawer
	// Picture is the initial state of the page. It has no meshes.
	Picture recipe.Picture
	// Meshes are the meshes that the user can select on the page.
	Meshes []recipe.Mesh
	// Listen is host:port. Port 0 selects a free port.
	Listen string
	// Token is the secret that requests must contain, and TLS is the certificate of the server. Both are required if
	// other machines can connect.
	Token string
	TLS   *tls.Certificate
	// Diff makes the page first show a comparison of the first two meshes.
	Diff bool
	// Policy is the criterion by which the quality of movements changes, see criterion.Named. The default is
	// guard:3:ours.
	Policy string
}

// A Server shows meshes until Close.
type Server struct {
	options Options
	listen  net.Listener
	server  *http.Server
	remote  bool
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	clients chan struct{} // holds one element for each connected browser
	drawing sync.Mutex    // held while a picture is drawn, because each one uses all cores

	// Limits that tests lower. sendTime is the time in which a browser must receive a message. maxDroppedTriangles
	// limits the triangles of all dropped meshes, and mostCached those of all cached meshes.
	sendTime                        time.Duration
	maxDroppedTriangles, mostCached int

	dropping  sync.Mutex // held while a dropped file is read
	exporting sync.Mutex // held while a file of many pictures is made

	mu     sync.Mutex
	cached []cachedBase // meshes that were read last, the newest at the end

	browsersMu sync.Mutex
	browsers   map[string]*browser // connected browsers by name
}

// Limits of the HTTP server. The times do not apply to sockets, because a page may stand still for hours.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	endTime    = 200 * time.Millisecond
	maxHeader  = 16 << 10
	maxClients = 8
	maxWaiting = 8
	sendTime   = 20 * time.Second // a browser that takes longer to receive is disconnected
)

// Start starts the server. The first mesh is read when a browser requests it.
func Start(o Options) (*Server, error) {
	if len(o.Meshes) == 0 {
		return nil, errors.New("view: expected a mesh")
	}
	if o.Diff && len(o.Meshes) != 2 {
		return nil, fmt.Errorf("view: two meshes are compared, and there are %d", len(o.Meshes))
	}
	if _, err := newQuality(o.Policy, 0); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	s := &Server{options: o, listen: l, clients: make(chan struct{}, maxClients), browsers: map[string]*browser{}, sendTime: sendTime, maxDroppedTriangles: maxDroppedTriangles, mostCached: mostCached}
	s.remote = !l.Addr().(*net.TCPAddr).IP.IsLoopback()
	if s.remote && (o.Token == "" || o.TLS == nil) {
		l.Close()
		return nil, errors.New("view: other machines may not see it without a token and a certificate")
	}
	if s.remote {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*o.TLS}, NextProtos: []string{"http/1.1"}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.server = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0), // it would report every broken connection
	}
	s.tasks.Go(func() { s.server.Serve(l) })
	return s, nil
}

// URL returns the address of the page, including the token if one is needed.
func (s *Server) URL() string {
	a := s.listen.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if s.remote {
		u.Scheme, u.RawQuery = "https", url.Values{"token": {s.options.Token}}.Encode()
	}
	return u.String()
}

// Close ends all connections.
func (s *Server) Close() {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
	s.tasks.Wait()
}
