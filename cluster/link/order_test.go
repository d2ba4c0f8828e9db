package link

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"
)

// A lateConn is a connection that delays its second write, the proof, until the channel proves is closed.
type lateConn struct {
	net.Conn
	writes int
	proves chan struct{}
}

func (c *lateConn) Write(b []byte) (int, error) {
	if c.writes++; c.writes == 2 {
		<-c.proves
	}
	return c.Conn.Write(b)
}

// TestLateHandshake checks that a restarted process keeps its connection, even if a handshake of its predecessor is
// completed later.
func TestLateHandshake(t *testing.T) {
	secret := []byte("0123456789abcdef")
	a, err := Listen("127.0.0.1:0", Options{Name: "a", Secret: secret, Limit: 1 << 10, Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The predecessor's count of handshakes is large, as if it had connected often.
	late, before := &lateConn{Conn: c, proves: make(chan struct{})}, &hello{name: "b", instance: 1, count: 1000}
	ended := make(chan error)
	go func() {
		_, err := handshake(late, secret, before, true)
		ended <- err
	}()
	for n := uint64(0); n == 0; time.Sleep(time.Millisecond) { // wait until a has begun the handshake
		a.mu.Lock()
		n = a.count
		a.mu.Unlock()
	}
	after, err := Listen("127.0.0.1:0", Options{Name: "b", Secret: secret, Limit: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	if err := after.Dial(t.Context(), a.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if e := <-a.Events(); e.Change != PeerConnected {
		t.Fatalf("got %+v", e)
	}
	close(late.proves)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 1))
		closed <- err
	}()
	select {
	case <-closed: // a has ended the late connection
	case e := <-a.Events():
		t.Fatalf("the newer process lost its connection: %+v", e)
	}
	if e := <-after.Events(); e.Change != PeerConnected {
		t.Fatalf("got %+v", e)
	}
	if err := after.Send("a", Message{Kind: 7}, nil); err != nil {
		t.Fatal(err)
	}
	if e := <-a.Events(); e.Change != MessageReceived || e.Kind != 7 {
		t.Errorf("got %+v", e)
	}
}

// TestCountsGoOn connects a process that has dialled often with a process that has not dialled. The next count of
// either process must be greater than all counts that the two have sent. Otherwise the next dial would not replace the
// connection.
func TestCountsGoOn(t *testing.T) {
	var all [2]*Links
	for i, name := range []string{"a", "b"} {
		l, err := Listen("127.0.0.1:0", Options{Name: name, Secret: []byte("0123456789abcdef"), Limit: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all[i] = l
	}
	for range 20 {
		all[0].nextCount(0)
	}
	if err := all[0].Dial(t.Context(), all[1].Addr().String()); err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if e := <-l.Events(); e.Change != PeerConnected {
			t.Fatalf("got %+v", e)
		}
		if got := l.nextCount(0); got <= 21 {
			t.Errorf("%s goes on with %d, after 21 of the other", l.options.Name, got)
		}
	}
}

// TestTwoProcessesOfOneName connects two processes with the same name. The process that connects later must keep its
// connection. The other process must be told the reason.
func TestTwoProcessesOfOneName(t *testing.T) {
	var all [3]*Links
	for i, name := range []string{"a", "b", "b"} {
		l, err := Listen("127.0.0.1:0", Options{Name: name, Secret: []byte("0123456789abcdef"), Limit: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all[i] = l
	}
	a, older, younger := all[0], all[1], all[2]
	next := func(l *Links, want Change) Event {
		t.Helper()
		e := <-l.Events()
		if e.Change != want {
			t.Fatalf("got %+v, want change %d", e, want)
		}
		return e
	}
	for _, b := range []*Links{older, younger} {
		if err := b.Dial(t.Context(), a.Addr().String()); err != nil {
			t.Fatal(err)
		}
		next(b, PeerConnected)
		if b == younger {
			if e := next(a, PeerDisconnected); !errors.Is(e.Err, errReplaced) {
				t.Errorf("the older one's connection ended by %v, want %v", e.Err, errReplaced)
			}
		}
		next(a, PeerConnected)
	}
	if e := next(older, PeerDisconnected); !errors.Is(e.Err, ErrRefused) || !strings.Contains(e.Err.Error(), `another process called "b"`) {
		t.Errorf("the older one is told: %v", e.Err)
	}
	if err := a.Send("b", Message{Kind: 7}, nil); err != nil {
		t.Fatal(err)
	}
	next(younger, MessageReceived)
}

// TestRefusedWhileItSends checks that a connection that is refused while messages arrive has only one reader. All
// messages that it delivers must be complete. Its error must be the cause of the refusal, not an error of a second
// reader.
func TestRefusedWhileItSends(t *testing.T) {
	secret := []byte("0123456789abcdef")
	a, err := Listen("127.0.0.1:0", Options{Name: "a", Secret: secret, Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := handshake(c, secret, &hello{name: "b", instance: 1, count: 1}, true); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, 100_003)
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	m := Message{Kind: 7, Body: body}
	sent := make(chan struct{})
	go func() { // sends until a closes the connection, whatever reason a gives
		defer close(sent)
		for {
			if _, err := c.Write(append(m.appendHead(nil, codecRaw, len(body)), body...)); err != nil {
				return
			}
		}
	}()
	why := errors.New("it is not wanted")
	for n := 0; ; n++ {
		e := <-a.Events()
		if n == 3 {
			a.Drop("b", why)
		}
		if e.Change == PeerDisconnected {
			if !errors.Is(e.Err, why) {
				t.Errorf("the connection ended by %v, want %v", e.Err, why)
			}
			break
		}
		if e.Change == MessageReceived && !bytes.Equal(e.Body, body) {
			t.Fatalf("message %d: kind %d, %d bytes that are not what was sent", n, e.Kind, len(e.Body))
		}
	}
	<-sent
}
