package link

import (
	"bufio"
	"io"
	"net"
	"sync"
	"time"
)

// An end is this process's end of a connection.
type end struct {
	name   string
	conn   net.Conn
	reader *bufio.Reader
	limit  int
	left   chan struct{} // closed when nothing more is delivered from here
	choice choice
	packed []byte

	mu     sync.Mutex
	filled sync.Cond
	queue  []outgoing
	err    error // why it was closed
	closed bool
	last   []byte        // a reason to be sent before the connection ends
	told   chan struct{} // closed when it was
}

// outgoing is a message to be sent.
type outgoing struct {
	Message
	release func()
}

// Buffers of a connection, in bytes. The system's own is kept small: what takes longer to
// send than to copy is then seen to do so.
const (
	readBuffer  = 256 << 10
	writeBuffer = 256 << 10
)

func newEnd(name string, c net.Conn, limit int) *end {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(writeBuffer) // an optimisation
	}
	e := &end{name: name, conn: c, reader: bufio.NewReaderSize(c, readBuffer), limit: limit, left: make(chan struct{}), told: make(chan struct{})}
	e.filled.L = &e.mu
	return e
}

// close ends the connection; the first cause counts.
func (e *end) close(cause error) {
	e.mu.Lock()
	if !e.closed {
		e.closed, e.err = true, cause
	}
	e.mu.Unlock()
	e.filled.Broadcast()
	e.conn.Close()
}

// refuseTime bounds how long the other side may take to hear why it is refused.
const refuseTime = time.Second

// refuse tells the other side why the connection ends, and waits until it has been told.
func (e *end) refuse(why error) {
	e.mu.Lock()
	first := e.last == nil && !e.closed
	if first {
		e.last = []byte(why.Error())
	}
	e.mu.Unlock()
	if !first {
		return
	}
	e.filled.Broadcast()
	select {
	case <-e.told:
	case <-time.After(refuseTime):
	}
	if c, ok := e.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	// What is unread when a connection is closed would take back what was sent.
	_ = e.conn.SetReadDeadline(time.Now().Add(refuseTime))
	_, _ = io.Copy(io.Discard, e.conn)
}

func (e *end) cause() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// push queues a message.
func (e *end) push(m outgoing) {
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.queue = append(e.queue, m)
	}
	e.mu.Unlock()
	if closed && m.release != nil {
		m.release()
	}
	e.filled.Signal()
}

// next waits for a message; false when the connection has ended.
func (e *end) next() (outgoing, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.queue) == 0 && !e.closed && e.last == nil {
		e.filled.Wait()
	}
	if e.last != nil && !e.closed {
		return outgoing{Message: Message{Kind: kindRefused, Body: e.last}}, true
	}
	if e.closed {
		for _, m := range e.queue {
			if m.release != nil {
				defer m.release()
			}
		}
		e.queue = nil
		return outgoing{}, false
	}
	m := e.queue[0]
	e.queue[0] = outgoing{}
	e.queue = e.queue[1:]
	return m, true
}

// sendTime is how long a megabyte may take before the other side counts as gone: below the
// speed of any network that pictures are drawn over.
const sendTime = 10 * time.Second

// send sends what is queued until the connection ends.
func (e *end) send() {
	for {
		m, ok := e.next()
		if !ok {
			return
		}
		err := e.write(&m.Message)
		if m.release != nil {
			m.release()
		}
		if err != nil {
			e.close(err)
		}
		if m.Kind == kindRefused {
			close(e.told)
			return
		}
	}
}

// pack compresses bytes, and learns from it.
func (e *end) pack(body []byte) {
	start := time.Now()
	e.packed = pack(e.packed, body)
	e.choice.packed(len(body), len(e.packed), time.Since(start))
}

// write sends a message, compressed where that pays.
func (e *end) write(m *Message) error {
	codec, body := codecRaw, m.Body
	if e.choice.due(len(body)) {
		e.pack(sample(body))
	}
	if e.choice.wants(len(body)) {
		if e.pack(body); len(e.packed) < len(body) {
			codec, body = codecS2, e.packed
		}
	}
	if err := e.conn.SetWriteDeadline(time.Now().Add(sendTime * time.Duration(1+len(body)>>20))); err != nil {
		return err
	}
	var head [headBytes]byte
	start := time.Now()
	buffers := net.Buffers{m.appendHead(head[:0], codec, len(body)), body}
	if _, err := buffers.WriteTo(e.conn); err != nil {
		return err
	}
	e.choice.sent(len(body), time.Since(start))
	return nil
}
