package view

import (
	"context"
	"crypto/tls"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"lockstep/internal/webguard"
	"lockstep/render/recipe"
)

//go:embed assets
var assets embed.FS

// assetTypes are the content types of the assets. The system's own table is not used, because it may be wrong.
var assetTypes = map[string]string{
	"index.html": "text/html; charset=utf-8",
	"view.js":    "text/javascript; charset=utf-8",
	"camera.js":  "text/javascript; charset=utf-8",
	"style.css":  "text/css; charset=utf-8",
	"icon.svg":   "image/svg+xml",
}

// policy is that of the status page, and pictures that the page itself has received.
var policy = strings.Replace(webguard.Policy, "img-src 'self'", "img-src 'self' blob:", 1)

// Options of a viewer.
type Options struct {
	Drawer recipe.Drawer
	// Picture is the state with which the page begins. It has no meshes.
	Picture recipe.Picture
	// Meshes are shown one after the other, as the user asks.
	Meshes []recipe.Mesh
	// Listen is host:port; port 0 selects a free one.
	Listen string
	// Token is the secret that requests need, and TLS is used, if the viewer is not on loopback.
	Token string
	TLS   *tls.Certificate
	// Policy is the criterion by which the quality of movements changes, see criterion.Named; empty: guard:3:ours.
	Policy string
}

// A Server shows meshes until Close.
type Server struct {
	o       Options
	listen  net.Listener
	server  *http.Server
	remote  bool
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	clients chan struct{} // one for each browser
	drawing sync.Mutex    // pictures are drawn by all cores, one at a time

	mu     sync.Mutex
	cached *recipe.Base // of the mesh that was read last
	of     int
}

// Limits of the HTTP server. Sockets have none of the times: a browser may stand still for hours.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	endTime    = 200 * time.Millisecond
	maxHeader  = 16 << 10
	maxClients = 8
	maxWaiting = 8
	sendTime   = 20 * time.Second // after which a browser that takes nothing is let go
)

// Start starts to serve. The first mesh is read when a browser asks for it.
func Start(o Options) (*Server, error) {
	if len(o.Meshes) == 0 {
		return nil, errors.New("view: expected a mesh")
	}
	if _, err := newQuality(o.Policy, 0); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	s := &Server{o: o, listen: l, clients: make(chan struct{}, maxClients)}
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
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(discard{}, "", 0),
	}
	s.tasks.Go(func() { s.server.Serve(l) })
	return s, nil
}

// discard drops the HTTP server's log of broken connections.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// URL returns the address of the page, including the token if one is needed.
func (s *Server) URL() string {
	a := s.listen.Addr().(*net.TCPAddr)
	u := url.URL{Scheme: "http", Host: a.String(), Path: "/"}
	if s.remote {
		u.Scheme, u.RawQuery = "https", url.Values{"token": {s.o.Token}}.Encode()
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

func (s *Server) mesh(file int) recipe.Mesh { return s.o.Meshes[file] }

// Name returns what pages call a mesh: its file without folders.
func Name(m recipe.Mesh) string {
	if m.IsScene() {
		return m.File
	}
	return filepath.Base(m.File)
}

func (s *Server) names() (names []string) {
	for _, m := range s.o.Meshes {
		names = append(names, Name(m))
	}
	return names
}

// read returns a mesh. The last one is kept for other browsers.
func (s *Server) read(ctx context.Context, file int) (*recipe.Base, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cached != nil && s.of == file {
		return s.cached, nil
	}
	p := s.o.Picture
	p.Meshes = []recipe.Mesh{s.mesh(file)}
	base, err := s.o.Drawer.ReadBase(ctx, p)
	if err != nil {
		return nil, err
	}
	s.cached, s.of = base, file
	return base, nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for name := range assetTypes {
		path := "/" + name
		if name == "index.html" {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			b, _ := assets.ReadFile("assets/" + name)
			w.Header().Set("Content-Type", assetTypes[name])
			w.Write(b)
		})
	}
	mux.HandleFunc("GET /socket", s.socket)
	mux.HandleFunc("POST /picture.png", s.file)
	mux.HandleFunc("POST /command", s.command)
	return webguard.Guard{Remote: s.remote, Token: s.o.Token, Policy: policy}.Wrap(mux)
}

// body reads the request in the body of a POST, or answers why it cannot be.
func (s *Server) body(w http.ResponseWriter, r *http.Request) *request {
	var text json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMessage)).Decode(&text); err != nil {
		http.Error(w, "expected a request of at most 4 kB", http.StatusBadRequest)
		return nil
	}
	q, err := parse(text, len(s.o.Meshes))
	if err == nil {
		p := q.Picture
		p.Meshes = []recipe.Mesh{s.mesh(q.File)}
		err = p.Validate()
	}
	if err != nil {
		http.Error(w, recipe.FlagWords(err.Error()), http.StatusBadRequest)
		return nil
	}
	q.Picture.Meshes = []recipe.Mesh{s.mesh(q.File)}
	return q
}

// file answers with the file that render writes for a recipe.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	q := s.body(w, r)
	if q == nil {
		return
	}
	base, err := s.read(r.Context(), q.File)
	if err == nil {
		w.Header().Set("Content-Type", "image/png")
		s.drawing.Lock()
		defer s.drawing.Unlock()
		var png buffer
		if err = s.o.Drawer.BasePNG(r.Context(), &png, base, q.Picture, recipe.Output{}); err == nil {
			w.Write(png)
			return
		}
	}
	http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
}

// A buffer keeps what is written until all of it is there.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// command answers with the command line that makes the picture of a recipe, and the recipe.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	q := s.body(w, r)
	if q == nil {
		return
	}
	p := q.Picture.Normal()
	args := append([]string{"render", "-o", "picture.png"}, p.Args()...)
	for i := range args {
		args[i] = quoted(args[i])
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		Command string         `json:"command"`
		Recipe  recipe.Picture `json:"recipe"`
	}{strings.Join(args, " "), p})
}

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	plain := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./:,+@%", r))
	}
	if arg != "" && !strings.ContainsFunc(arg, plain) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// socket serves a browser until it leaves. The newest request of a kind wins: those that it has overtaken are not drawn.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	select {
	case s.clients <- struct{}{}:
		defer func() { <-s.clients }()
	default:
		http.Error(w, fmt.Sprintf("there are %d browsers already", maxClients), http.StatusServiceUnavailable)
		return
	}
	c, err := websocket.Accept(w, r, nil) // of this origin alone
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	waiting := newMailbox()
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() {
		defer cancel()
		for {
			_, text, err := c.Read(ctx)
			if err != nil {
				return
			}
			q, err := parse(text, len(s.o.Meshes))
			if err != nil {
				c.Close(websocket.StatusPolicyViolation, short(err.Error()))
				return
			}
			waiting.put(q)
		}
	})
	session := &session{server: s}
	defer session.close()
	for {
		q := waiting.take(ctx)
		if q == nil {
			break
		}
		message, binary, err := s.answer(ctx, session, waiting, q)
		if err != nil || message != nil && send(ctx, c, message, binary) != nil {
			break
		}
	}
	c.CloseNow()
}

// answer draws what a request asks for. A picture that stands is called off by the next movement: its message is nil.
func (s *Server) answer(ctx context.Context, session *session, waiting *mailbox, q *request) (message []byte, binary bool, err error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if q.Kind != "still" {
		return session.answer(ctx, q)
	}
	drawing, cancel := context.WithCancel(ctx)
	defer cancel()
	if !waiting.standing(cancel) {
		return nil, false, nil
	}
	defer waiting.standing(nil)
	message, binary, err = session.answer(drawing, q)
	if drawing.Err() != nil && ctx.Err() == nil {
		return nil, false, nil
	}
	return message, binary, err
}

// short cuts the reason of a close, of which a frame holds 123 bytes.
func short(text string) string { return text[:min(len(text), 120)] }

// send sends a message to a browser. One that takes nothing for long is let go.
func send(ctx context.Context, c *websocket.Conn, message []byte, binary bool) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	kind := websocket.MessageText
	if binary {
		kind = websocket.MessageBinary
	}
	return c.Write(ctx, kind, message)
}

// A mailbox keeps the newest request of each kind, and some of those that ask what lies under a pixel: each of them is a
// click.
type mailbox struct {
	mu      sync.Mutex
	waiting []*request
	any     chan struct{}
	cancel  func() // ends the drawing of a picture that stands; nil: none is drawn
}

func newMailbox() *mailbox { return &mailbox{any: make(chan struct{}, 1)} }

func (m *mailbox) put(r *request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.waiting[:0]
	for _, w := range m.waiting {
		// A movement takes the place of an older one, and of a picture that stands: nothing stands still now.
		if w.Kind != r.Kind && !(r.Kind == "move" && w.Kind == "still") || r.Kind == "pick" {
			kept = append(kept, w)
		}
	}
	if r.Kind == "move" && m.cancel != nil {
		m.cancel()
	}
	if m.waiting = append(kept, r); len(m.waiting) > maxWaiting {
		m.waiting = m.waiting[1:]
	}
	select {
	case m.any <- struct{}{}:
	default:
	}
}

// standing sets what ends the drawing of a picture that stands, and reports whether it may begin: no movement waits.
func (m *mailbox) standing(cancel func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cancel = cancel
	return !slices.ContainsFunc(m.waiting, func(r *request) bool { return r.Kind == "move" })
}

// take returns the oldest request that waits, nil when ctx ends.
func (m *mailbox) take(ctx context.Context) *request {
	for {
		m.mu.Lock()
		if len(m.waiting) > 0 {
			r := m.waiting[0]
			m.waiting = m.waiting[1:]
			m.mu.Unlock()
			return r
		}
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-m.any:
		}
	}
}
