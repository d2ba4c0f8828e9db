package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Options configure a Links.
type Options struct {
	// Name is the name of this process, 1 to 128 bytes. It must be unique among the connected processes.
	Name string
	// Secret is known to all processes that draw the picture. It has at least 16 bytes.
	Secret []byte
	// Limit is the largest size of a message in bytes, whether compressed or not.
	Limit int
	// TLS is the certificate for connections between hosts, which are always encrypted. Other processes need not verify
	// it, because the proof of the secret is bound to the connection. If TLS is nil, only processes of this host can
	// connect.
	TLS *tls.Certificate
	// Report receives errors of refused connections. It may be nil.
	Report func(error)

	// treatAsRemote treats connections within the host like connections between hosts. Tests set it.
	treatAsRemote bool
}

// Links holds the connections of one process with other processes. Its methods may be called concurrently.
type Links struct {
	options   Options
	clientTLS *tls.Config // configuration of outgoing connections
	listener  net.Listener
	events    chan Event
	done      chan struct{}
	running   sync.WaitGroup
	bodies    bodyPool
	instance  uint64 // a random number, different in each process of the same name

	mu      sync.Mutex
	peers   map[string]*peer
	count   uint64            // largest count in all hellos that were sent or received
	pending map[net.Conn]bool // connections during their handshake
	closed  bool
}

// An Event is a received message, or the news that a process has connected or disconnected.
type Event struct {
	Message
	Change Change
	Err    error // why the process disconnected
}

// Change is the kind of an Event.
type Change uint8

// Kinds of events. Event.From is the name of the process.
const (
	MessageReceived Change = iota
	PeerConnected
	PeerDisconnected // no more messages follow from this connection
)

// maxEvents is the number of events that wait in a buffer. While it is full, no messages are read from connections.
const maxEvents = 64

// Listen starts to accept connections at address, which is host:port. Port 0 selects a free port.
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
		options: o, listener: listener, instance: rand.Uint64(), events: make(chan Event, maxEvents), done: make(chan struct{}),
		peers: map[string]*peer{}, pending: map[net.Conn]bool{},
		// Certificates are not verified, because the handshake proves that the other side knows the secret.
		clientTLS: &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true},
	}
	l.running.Go(l.accept)
	return l, nil
}

// Addr returns the address for other processes.
func (l *Links) Addr() *net.TCPAddr { return l.listener.Addr().(*net.TCPAddr) }

// Events returns the channel of events. It is never closed.
func (l *Links) Events() <-chan Event { return l.events }

// accept accepts connections until Close.
func (l *Links) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() {
			if err := l.handleIncoming(c); err != nil {
				c.Close()
				if !l.isClosed() { // after Close, accepting always fails
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

// handleIncoming sets up an incoming connection.
func (l *Links) handleIncoming(c net.Conn) error {
	if !l.track(c) {
		return net.ErrClosed
	}
	defer l.untrack(c)
	if l.options.treatAsRemote || !isLocal(c) {
		if l.options.TLS == nil {
			return errors.New("it is of another host, and this node listens to its own only")
		}
		c = tls.Server(c, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*l.options.TLS}})
	}
	return l.addPeer(c, false)
}

// isLocal reports whether both ends of a connection are on this host.
func isLocal(c net.Conn) bool {
	from, ok1 := c.LocalAddr().(*net.TCPAddr)
	to, ok2 := c.RemoteAddr().(*net.TCPAddr)
	return ok1 && ok2 && (from.IP.IsLoopback() && to.IP.IsLoopback() || from.IP.Equal(to.IP))
}

// track notes a connection during its handshake, so that Close can end it.
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

// dialTime limits an attempt to connect.
const dialTime = 10 * time.Second

// Dial connects to another process. If the two are connected already, both sides keep the connection that was dialled
// last and close the older one.
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
	secured := c
	if l.options.treatAsRemote || !isLocal(c) {
		secured = tls.Client(c, l.clientTLS)
	}
	err = l.addPeer(secured, true)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	return nil
}

// addPeer performs the handshake. It adds the connection, unless a later connection with the same process exists.
func (l *Links) addPeer(c net.Conn, dialled bool) error {
	mine := hello{name: l.options.Name, instance: l.instance, count: l.nextCount(0)}
	theirs, err := handshake(c, l.options.Secret, &mine, dialled)
	if err != nil {
		return err
	}
	if theirs.name == l.options.Name {
		return fmt.Errorf("the other side is called %q, too", theirs.name)
	}
	l.nextCount(theirs.count)
	o := order{theirs.instance, mine.count, theirs.count, theirs.name}
	if dialled {
		o.diallerCount, o.dialler = mine.count, mine.name
	}
	p := newPeer(theirs.name, o, c, l.options.Limit)
	l.mu.Lock()
	previous := l.peers[p.name]
	outdated := previous != nil && !o.replaces(previous.order)
	closed := l.closed
	if !closed && !outdated {
		l.peers[p.name] = p
		l.running.Go(func() { l.receive(p, previous) })
		l.running.Go(p.send)
	}
	l.mu.Unlock()
	switch {
	case closed:
		return net.ErrClosed
	case outdated:
		_ = c.Close() // not an error: the process has a newer connection
	}
	return nil
}

// nextCount returns a count for a hello. It is larger than the count in the other side's hello, `received`, and than
// all counts so far.
func (l *Links) nextCount(received uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count = max(l.count, received) + 1
	return l.count
}

// receive delivers the messages of the connection p until p ends. The connection `previous` is an older one with the
// same process, or nil. It is ended first, and receive waits until all its events have been delivered.
func (l *Links) receive(p, previous *peer) {
	if previous != nil {
		if p.order.dialler == l.options.Name { // the other side may not know of p yet, see replaceTime
			select {
			case <-previous.delivered:
			case <-time.After(replaceTime):
			case <-l.done:
			}
		}
		if previous.order.instance != p.order.instance { // a second process of the same name, or a restarted one
			previous.refuseAndClose(fmt.Errorf("another process called %q has connected", p.name), errReplaced)
		}
		previous.close(errReplaced)
		<-previous.delivered
	}
	defer close(p.delivered)
	if !l.deliver(Event{Message: Message{From: p.name}, Change: PeerConnected}) {
		return
	}
	for {
		m, err := readMessage(p.reader, l.options.Limit, &l.bodies)
		if err == nil && m.Kind == kindRefused {
			err = fmt.Errorf("%w: %s", ErrRefused, cleanReason(m.Body))
		}
		if errors.Is(err, ErrMalformed) {
			p.refuse(err, err)
		}
		refused := p.isRefused()
		if refused {
			p.drain()
		}
		if err != nil || refused {
			p.close(err)
			break
		}
		m.From = p.name
		if !l.deliver(Event{Message: m}) {
			return
		}
	}
	l.mu.Lock()
	if l.peers[p.name] == p {
		delete(l.peers, p.name)
	}
	l.mu.Unlock()
	l.deliver(Event{Message: Message{From: p.name}, Change: PeerDisconnected, Err: p.closeError()})
}

// replaceTime is how long the dialler of a new connection waits for the other side to close the old one. The dialler
// completes the handshake before the other side does. If the dialler closed the old connection at once, the other side
// would report that the dialler has disconnected, although the new connection is nearly complete.
const replaceTime = time.Second

// deliver sends an event to the channel Events. It returns false after Close.
func (l *Links) deliver(e Event) bool {
	select {
	case l.events <- e:
		return true
	case <-l.done:
		return false
	}
}

// Send queues a message for another process and returns at once. The caller must not change the body until the function
// `release` is called. If that function is nil, the caller must never change the body. If the connection breaks, the
// message may be lost, and an Event says that the process has disconnected.
func (l *Links) Send(to string, m Message, release func()) error {
	l.mu.Lock()
	p := l.peers[to]
	l.mu.Unlock()
	if p == nil {
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
	p.push(outgoing{m, release})
	return nil
}

// Connected reports whether a process is connected.
func (l *Links) Connected(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peers[name] != nil
}

// Drop ends the connection with a process and sends it the reason.
func (l *Links) Drop(name string, why error) {
	l.mu.Lock()
	p := l.peers[name]
	closed := l.closed
	if p != nil && !closed {
		l.running.Go(func() { p.refuseAndClose(why, why) })
	}
	l.mu.Unlock()
}

// Close ends all connections. Queued messages may be lost.
func (l *Links) Close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	for _, e := range l.peers {
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
