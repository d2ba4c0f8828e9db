package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Options of Links.
type Options struct {
	Name   string // of this process: 1 to 128 bytes, one in a picture
	Secret []byte // of the picture, at least 16 bytes
	// Limit bounds the bytes of a message, before and after compression.
	Limit int
	// TLS, unless nil, is shown to those who connect from other hosts: connections between
	// hosts are always private. Its certificate need not be known to anyone, since the proof of
	// the secret is bound to the connection. Without one only this host can connect.
	TLS *tls.Certificate
	// Report, unless nil, is told of connections that were refused.
	Report func(error)

	hosts bool // for tests: connections count as between hosts
}

// Links are the connections of one process with those that it draws with. Its methods may
// be called concurrently.
type Links struct {
	options  Options
	private  *tls.Config // of connections that were dialled
	listener net.Listener
	received chan Event
	done     chan struct{}
	running  sync.WaitGroup
	bodies   bodies

	mu      sync.Mutex
	ends    map[string]*end
	pending map[net.Conn]bool // before the handshake is over
	closed  bool
}

// An Event is a message, or that a process came or went.
type Event struct {
	Message
	Change Change
	Err    error // why a process Went
}

// Change says what an Event is.
type Change uint8

// The kinds of events. From is the process that they are about.
const (
	Said Change = iota
	Came
	Went // nothing more will come from it on this connection
)

// receivedMost is how many messages wait to be taken before connections are no longer read.
const receivedMost = 64

// Listen begins to accept connections at an address, host:port; port 0 is a free one.
func Listen(address string, o Options) (*Links, error) {
	switch {
	case len(o.Secret) < minSecret:
		return nil, fmt.Errorf("links: a secret of %d bytes: expected at least %d", len(o.Secret), minSecret)
	case o.Name == "" || len(o.Name) > maxName:
		return nil, fmt.Errorf("links: a name of %d bytes: expected 1 to %d", len(o.Name), maxName)
	case o.Limit <= 0:
		return nil, errors.New("links: expected a limit of messages")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	l := &Links{
		options: o, listener: listener, received: make(chan Event, receivedMost), done: make(chan struct{}),
		ends: map[string]*end{}, pending: map[net.Conn]bool{},
		// The proof of the secret takes the place of a chain of certificates.
		private: &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true},
	}
	l.running.Go(l.accept)
	return l, nil
}

// Addr returns where others connect to.
func (l *Links) Addr() *net.TCPAddr { return l.listener.Addr().(*net.TCPAddr) }

// Events returns what the connections bring. It is never closed: Close ends all.
func (l *Links) Events() <-chan Event { return l.received }

// accept takes connections until Close.
func (l *Links) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() {
			if err := l.welcome(c); err != nil {
				c.Close()
				if !l.isClosed() { // else it was Close that ended it
					l.report(fmt.Errorf("connection from %s refused: %w", c.RemoteAddr(), err))
				}
			}
		})
	}
}

func (l *Links) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

func (l *Links) report(err error) {
	if l.options.Report != nil {
		l.options.Report(err)
	}
}

// welcome takes one connection.
func (l *Links) welcome(c net.Conn) error {
	if !l.track(c) {
		return net.ErrClosed
	}
	defer l.untrack(c)
	if l.options.hosts || !local(c) {
		if l.options.TLS == nil {
			return errors.New("it is of another host, and this node listens to its own only")
		}
		c = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*l.options.TLS}})
	}
	return l.join(c, false)
}

// local reports whether both ends of a connection are on this host.
func local(c net.Conn) bool {
	from, ok1 := c.LocalAddr().(*net.TCPAddr)
	to, ok2 := c.RemoteAddr().(*net.TCPAddr)
	return ok1 && ok2 && (from.IP.IsLoopback() && to.IP.IsLoopback() || from.IP.Equal(to.IP))
}

// track lets Close end a connection whose handshake is not over.
func (l *Links) track(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.pending[c] = true
	}
	return !l.closed
}

func (l *Links) untrack(c net.Conn) {
	l.mu.Lock()
	delete(l.pending, c)
	l.mu.Unlock()
}

// dialTime bounds an attempt to connect.
const dialTime = 10 * time.Second

// Dial connects to another process. It returns nil when there is a connection already.
func (l *Links) Dial(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if !l.track(c) {
		c.Close()
		return net.ErrClosed
	}
	defer l.untrack(c)
	stop := context.AfterFunc(ctx, func() { c.Close() })
	private := c
	if l.options.hosts || !local(c) {
		private = tls.Client(c, l.private)
	}
	err = l.join(private, true)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	return nil
}

// join takes a connection into use.
func (l *Links) join(c net.Conn, dialled bool) error {
	name, err := handshake(c, l.options.Secret, l.options.Name, dialled)
	if err != nil {
		return err
	}
	if name == l.options.Name {
		return fmt.Errorf("the other side is called %q, too", name)
	}
	e := newEnd(name, c, l.options.Limit)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return net.ErrClosed
	}
	old := l.ends[name]
	l.ends[name] = e
	l.running.Go(func() { l.receive(e, old) })
	l.running.Go(e.send)
	l.mu.Unlock()
	return nil
}

// receive reads a connection until it ends, after the one of the same name that it follows.
func (l *Links) receive(e, old *end) {
	if old != nil {
		old.close(errReplaced)
		<-old.left
	}
	defer close(e.left)
	if !l.deliver(Event{Message: Message{From: e.name}, Change: Came}) {
		return
	}
	for {
		m, err := readMessage(e.reader, l.options.Limit, &l.bodies)
		if err == nil && m.Kind == kindRefused {
			err = fmt.Errorf("%w: %s", ErrRefused, clean(m.Body))
		}
		if err != nil {
			if errors.Is(err, ErrMalformed) {
				e.refuse(err)
			}
			e.close(err)
			break
		}
		m.From = e.name
		if !l.deliver(Event{Message: m}) {
			return
		}
	}
	l.mu.Lock()
	if l.ends[e.name] == e {
		delete(l.ends, e.name)
	}
	l.mu.Unlock()
	l.deliver(Event{Message: Message{From: e.name}, Change: Went, Err: e.cause()})
}

var errReplaced = errors.New("replaced by a new connection")

// deliver hands an event on; false after Close.
func (l *Links) deliver(e Event) bool {
	select {
	case l.received <- e:
		return true
	case <-l.done:
		return false
	}
}

// ErrUnknown is the error of a message to a process that is not connected.
var ErrUnknown = errors.New("not connected")

// Send queues a message for another process and returns. The body belongs to the links
// from then on, and release, unless nil, is called when it is not needed any more. That
// the message arrives is not certain: a connection that breaks is an Event.
func (l *Links) Send(to string, m Message, release func()) error {
	l.mu.Lock()
	e := l.ends[to]
	l.mu.Unlock()
	if e == nil {
		if release != nil {
			release()
		}
		return fmt.Errorf("send to %s: %w", to, ErrUnknown)
	}
	if m.Kind == kindRefused {
		panic(fmt.Sprintf("link: a message of kind %d, which is the links' own", m.Kind))
	}
	if len(m.Body) > l.options.Limit {
		panic(fmt.Sprintf("link: a message of %d bytes, above the limit of %d", len(m.Body), l.options.Limit))
	}
	e.push(outgoing{m, release})
	return nil
}

// Connected reports whether there is a connection with a process.
func (l *Links) Connected(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ends[name] != nil
}

// Drop ends the connection with a process, which is told why.
func (l *Links) Drop(name string, why error) {
	l.mu.Lock()
	e := l.ends[name]
	closed := l.closed
	if e != nil && !closed {
		l.running.Go(func() {
			e.refuse(why)
			e.close(why)
		})
	}
	l.mu.Unlock()
}

// Close ends all connections. Messages that were queued may be lost.
func (l *Links) Close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	for _, e := range l.ends {
		e.close(net.ErrClosed)
	}
	for c := range l.pending {
		c.Close()
	}
	l.mu.Unlock()
	close(l.done)
	l.listener.Close()
	l.running.Wait()
}
