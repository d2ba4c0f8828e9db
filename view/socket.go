package view

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/coder/websocket"
)

// serveSocket serves a browser until it disconnects. Of several waiting requests of one kind, only the newest is drawn;
// but every pick is answered.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	select {
	case s.clients <- struct{}{}:
		defer func() { <-s.clients }()
	default:
		http.Error(w, fmt.Sprintf("there are %d browsers already", maxClients), http.StatusServiceUnavailable)
		return
	}
	c, err := websocket.Accept(w, r, nil) // accepts only pages of the same origin
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	who, leave := s.connect(ctx)
	defer leave()
	waiting := newMailbox()
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() {
		defer cancel()
		s.receive(ctx, c, who, waiting)
	})
	session := &session{server: s, browser: who}
	defer session.close()
	for {
		q := waiting.take(ctx)
		if q == nil {
			break
		}
		message, binary, err := s.answer(ctx, session, waiting, q)
		if err != nil || message != nil && s.send(ctx, c, message, binary) != nil {
			break
		}
		if damage := session.takeDamageMessage(); damage != nil && s.send(ctx, c, damage, false) != nil {
			break
		}
		if report := session.panel.takeReport(); report != nil && s.send(ctx, c, report, false) != nil {
			break
		}
	}
	c.CloseNow()
}

// answer draws the picture for a request, and returns the message for the page. message is nil for a still picture
// that the next movement has cancelled.
func (s *Server) answer(ctx context.Context, session *session, waiting *mailbox, q *request) (message []byte, binary bool, err error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if q.Kind != "still" {
		return session.answer(ctx, q)
	}
	drawing, cancel := context.WithCancel(ctx)
	defer cancel()
	if !waiting.beginStill(cancel) {
		return nil, false, nil
	}
	defer waiting.beginStill(nil)
	message, binary, err = session.answer(drawing, q)
	if drawing.Err() != nil && ctx.Err() == nil {
		return nil, false, nil
	}
	return message, binary, err
}

// receive reads the requests of a browser until it disconnects. It closes the socket if a request is invalid, because
// no page sends such requests.
func (s *Server) receive(ctx context.Context, c *websocket.Conn, who *browser, waiting *mailbox) {
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			return
		}
		q, err := parseRequest(text)
		if err == nil {
			_, err = s.chooseMeshes(who, q)
		}
		if err != nil {
			c.Close(websocket.StatusPolicyViolation, closeReason(err.Error()))
			return
		}
		waiting.put(q)
	}
}

// closeReason truncates the reason for closing a socket, because a close frame holds at most 123 bytes.
func closeReason(text string) string { return text[:min(len(text), 120)] }

// send sends a message to a browser. It fails if the browser does not receive the message in time.
func (s *Server) send(ctx context.Context, c *websocket.Conn, message []byte, binary bool) error {
	ctx, cancel := context.WithTimeout(ctx, s.sendTime)
	defer cancel()
	kind := websocket.MessageText
	if binary {
		kind = websocket.MessageBinary
	}
	return c.Write(ctx, kind, message)
}

// A mailbox holds the newest waiting request of each kind. Picks are all kept, because each is a click.
type mailbox struct {
	mu      sync.Mutex
	waiting []*request
	any     chan struct{}
	cancel  func() // cancels the drawing of a still picture; nil if none is being drawn
}

func newMailbox() *mailbox { return &mailbox{any: make(chan struct{}, 1)} }

func (m *mailbox) put(r *request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.waiting[:0]
	for _, w := range m.waiting {
		// A movement replaces an older movement. It also replaces a still picture, because the page is moving again.
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

// beginStill sets the function that cancels the drawing of a still picture. It reports whether drawing may start. It
// may not start while a movement is waiting.
func (m *mailbox) beginStill(cancel func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cancel = cancel
	return !slices.ContainsFunc(m.waiting, func(r *request) bool { return r.Kind == "move" })
}

// take waits for a request and returns the oldest one. It returns nil if ctx ends.
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
