package link

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"
)

// A peer is a connection with another process.
type peer struct {
	name        string
	order       order
	conn        net.Conn
	reader      *bufio.Reader
	limit       int
	delivered   chan struct{} // closed when all events of the connection are delivered
	compression compression
	packed      []byte

	mu      sync.Mutex
	changed sync.Cond
	queue   []outgoing
	err     error // why the connection was closed or is refused
	closed  bool
	// refusal is the reason that is sent before the connection ends, or nil.
	refusal     []byte
	refusalSent chan struct{} // closed when refusal was sent
}

// An outgoing is a queued message. release, if not nil, is called when the message has been sent or dropped.
type outgoing struct {
	Message
	release func()
}

// Sizes of buffers, in bytes. writeBuffer is the size of the system's send buffer. It is small, because the time to
// send a message can only be measured if the message does not fit into it.
const (
	readBuffer  = 256 << 10
	writeBuffer = 256 << 10
)

func newPeer(name string, o order, c net.Conn, limit int) *peer {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(writeBuffer) // an error is ignored: the size only affects speed
	}
	p := &peer{name: name, order: o, conn: c, reader: bufio.NewReaderSize(c, readBuffer), limit: limit,
		delivered: make(chan struct{}), refusalSent: make(chan struct{})}
	p.changed.L = &p.mu
	return p
}

// close ends the connection. If it is called again, the first cause stays.
func (p *peer) close(cause error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = cause
	}
	p.closed = true
	p.mu.Unlock()
	p.changed.Broadcast()
	p.conn.Close()
}

// refuseTime limits the time for sending the reason when a connection is refused.
const refuseTime = time.Second

// refuse sends the reason why the connection ends, and waits until it has been sent. cause becomes the error of the
// connection. Bytes that still arrive are read by Links.receive in another goroutine. A second reader here would take
// bytes from the middle of messages.
func (p *peer) refuse(reason, cause error) {
	p.mu.Lock()
	first := p.refusal == nil && !p.closed
	if first {
		p.refusal = []byte(reason.Error())
		p.err = cause
	}
	p.mu.Unlock()
	if !first {
		return
	}
	p.changed.Broadcast()
	select {
	case <-p.refusalSent:
	case <-time.After(refuseTime):
	}
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	_ = p.conn.SetReadDeadline(time.Now().Add(refuseTime))
}

// isRefused reports whether the connection was refused before it was closed.
func (p *peer) isRefused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusal != nil
}

// drain reads and drops all bytes that still arrive at a refused connection. If a connection is closed with unread
// data, TCP resets it, and the other side may lose the reason. Only the goroutine that reads from the connection may
// call drain.
func (p *peer) drain() { _, _ = io.Copy(io.Discard, p.conn) }

// refuseAndClose refuses a connection. It closes the connection when Links.receive has read all bytes that still
// arrive.
func (p *peer) refuseAndClose(reason, cause error) {
	p.refuse(reason, cause)
	select {
	case <-p.delivered:
	case <-time.After(refuseTime): // perhaps nobody receives from Links.Events any more
	}
	p.close(cause)
}

func (p *peer) closeError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// push queues a message.
func (p *peer) push(m outgoing) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.queue = append(p.queue, m)
	}
	p.mu.Unlock()
	if closed && m.release != nil {
		m.release()
	}
	p.changed.Signal()
}

// next waits for a queued message. It returns false if the connection has ended.
func (p *peer) next() (outgoing, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && !p.closed && p.refusal == nil {
		p.changed.Wait()
	}
	if p.refusal != nil && !p.closed {
		return outgoing{Message: Message{Kind: kindRefused, Body: p.refusal}}, true
	}
	if p.closed {
		for _, m := range p.queue {
			if m.release != nil {
				defer m.release()
			}
		}
		p.queue = nil
		return outgoing{}, false
	}
	m := p.queue[0]
	p.queue[0] = outgoing{}
	p.queue = p.queue[1:]
	return m, true
}

// sendTime limits the time for sending one mebibyte. Any usable network is faster, so a slower connection counts as
// broken.
const sendTime = 10 * time.Second

// send sends queued messages until the connection ends.
func (p *peer) send() {
	for {
		m, ok := p.next()
		if !ok {
			return
		}
		err := p.write(&m.Message)
		if m.release != nil {
			m.release()
		}
		if err != nil {
			p.close(err)
		}
		if m.Kind == kindRefused {
			close(p.refusalSent)
			return
		}
	}
}

// compressBody compresses a body into p.packed, and measures the time.
func (p *peer) compressBody(body []byte) {
	start := time.Now()
	p.packed = pack(p.packed, body)
	p.compression.recordPack(len(body), len(p.packed), time.Since(start))
}

// write sends a message. It compresses the body if that saves time.
func (p *peer) write(m *Message) error {
	codec, body := codecRaw, m.Body
	if p.compression.needsSample(len(body)) {
		p.compressBody(sampleOf(body))
	}
	if p.compression.savesTime(len(body)) {
		if p.compressBody(body); len(p.packed) < len(body) {
			codec, body = codecS2, p.packed
		}
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(sendTime * time.Duration(1+len(body)>>20))); err != nil {
		return err
	}
	var head [headBytes]byte
	start := time.Now()
	buffers := net.Buffers{m.appendHead(head[:0], codec, len(body)), body}
	if _, err := buffers.WriteTo(p.conn); err != nil {
		return err
	}
	p.compression.recordSend(len(body), time.Since(start))
	return nil
}
