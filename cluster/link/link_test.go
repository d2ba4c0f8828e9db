package link_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/cluster/link"
)

var secret = []byte("0123456789abcdef")

// listen starts Links on loopback that end with the test, and returns a channel of their reports.
func listen(t testing.TB, name string, o link.Options) (*link.Links, chan error) {
	t.Helper()
	reports := make(chan error, 100)
	o.Name, o.Report = name, func(err error) { reports <- err }
	if o.Secret == nil {
		o.Secret = secret
	}
	if o.Limit == 0 {
		o.Limit = 64 << 20
	}
	l, err := link.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, reports
}

// dial connects two Links.
func dial(t testing.TB, from, to *link.Links) {
	t.Helper()
	if err := from.Dial(context.Background(), to.Addr().String()); err != nil {
		t.Fatal(err)
	}
}

// The function next returns the next event. It fails the test after some seconds.
func next(t testing.TB, l *link.Links) link.Event {
	t.Helper()
	select {
	case e := <-l.Events():
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
		return link.Event{}
	}
}

// TestMessages checks that messages of all sizes arrive unchanged and in order, in both directions.
func TestMessages(t *testing.T) {
	a, _ := listen(t, "a", link.Options{})
	b, _ := listen(t, "b", link.Options{})
	dial(t, a, b)
	if e := next(t, a); e.Change != link.PeerConnected || e.From != "b" {
		t.Fatalf("got %+v", e)
	}
	if e := next(t, b); e.Change != link.PeerConnected || e.From != "a" {
		t.Fatalf("got %+v", e)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var bodies [][]byte
	for _, n := range []int{0, 1, 15, 4 << 10, 511 << 10, 513 << 10, 5 << 20, 9 << 20} {
		body := make([]byte, n)
		for i := range body {
			body[i] = byte(random.Uint32())
		}
		bodies = append(bodies, body, bytes.Repeat([]byte{7}, n))
	}
	var released sync.WaitGroup
	for i, body := range bodies {
		released.Add(1)
		if err := a.Send("b", link.Message{Kind: uint8(i), Epoch: 1 << 30, Frame: uint32(i), Body: body}, released.Done); err != nil {
			t.Fatal(err)
		}
	}
	for i, body := range bodies {
		e := next(t, b)
		if e.Change != link.MessageReceived || e.From != "a" || e.Kind != uint8(i) || e.Epoch != 1<<30 || e.Frame != uint32(i) || !bytes.Equal(e.Body, body) {
			t.Fatalf("message %d of %d bytes: got %d bytes of %d from %s", i, len(body), len(e.Body), e.Kind, e.From)
		}
	}
	released.Wait()
	if err := b.Send("a", link.Message{Kind: 9}, nil); err != nil {
		t.Fatal(err)
	}
	if e := next(t, a); e.Kind != 9 {
		t.Fatalf("got %+v", e)
	}
	if err := a.Send("c", link.Message{}, nil); !errors.Is(err, link.ErrUnknown) {
		t.Errorf("a message to an unknown process: %v", err)
	}
}

// TestGone checks that the end of a process is an event.
func TestGone(t *testing.T) {
	a, _ := listen(t, "a", link.Options{})
	b, _ := listen(t, "b", link.Options{})
	dial(t, a, b)
	next(t, a)
	b.Close()
	if e := next(t, a); e.Change != link.PeerDisconnected || e.From != "b" {
		t.Fatalf("got %+v", e)
	}
	if a.Connected("b") {
		t.Error("a connection that ended still counts")
	}
}

// TestAgain checks that a new connection of the same process replaces the old one.
func TestAgain(t *testing.T) {
	a, _ := listen(t, "a", link.Options{})
	b, _ := listen(t, "b", link.Options{})
	dial(t, a, b)
	changes := []link.Change{next(t, b).Change} // b must have this connection before the next dial
	dial(t, a, b)
	for range 2 {
		changes = append(changes, next(t, b).Change)
	}
	if want := []link.Change{link.PeerConnected, link.PeerDisconnected, link.PeerConnected}; fmt.Sprint(changes) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", changes, want)
	}
	for !a.Connected("b") {
		time.Sleep(time.Millisecond)
	}
}

// TestDialsAtOnce checks two processes that dial each other several times at once. They must remain connected by one
// connection, and both processes must choose the same one.
func TestDialsAtOnce(t *testing.T) {
	for round := range 40 {
		a, _ := listen(t, "a", link.Options{})
		b, _ := listen(t, "b", link.Options{})
		var dials sync.WaitGroup
		for i := range 4 {
			from, to := a, b
			if (round>>(i%2))&1 == 1 { // all dials come from one process, or from both
				from, to = b, a
			}
			dials.Go(func() {
				if err := from.Dial(t.Context(), to.Addr().String()); err != nil {
					t.Error(err)
				}
			})
		}
		dials.Wait()
		// A message may be lost if its connection is replaced. So messages are sent until each process has received one
		// over the remaining connection.
		hears := func(from, to *link.Links, name, other string) {
			var e link.Event
			for range 1000 {
				_ = from.Send(other, link.Message{Kind: 1}, nil)
				select {
				case e = <-to.Events():
				case <-time.After(10 * time.Millisecond):
				}
				if e.Change == link.MessageReceived && e.From == name && to.Connected(name) {
					return
				}
			}
			t.Fatalf("round %d: no connection remains by which %s hears of %s: %v, %v", round, other, name, from.Connected(other), to.Connected(name))
		}
		hears(a, b, "a", "b")
		hears(b, a, "b", "a")
		a.Close()
		b.Close()
	}
}

// TestRestarted checks that a restarted process replaces its predecessor. The predecessor had connected often, and the
// other process has not noticed that it ended.
func TestRestarted(t *testing.T) {
	a, _ := listen(t, "a", link.Options{})
	before, _ := listen(t, "b", link.Options{})
	for range 5 {
		dial(t, before, a)
		for next(t, a).Change != link.PeerConnected {
		}
	}
	after, _ := listen(t, "b", link.Options{})
	dial(t, after, a)
	for _, want := range []link.Change{link.PeerDisconnected, link.PeerConnected} {
		if e := next(t, a); e.Change != want {
			t.Fatalf("got %v of %s, want %v", e.Change, e.From, want)
		}
	}
	if err := a.Send("b", link.Message{Kind: 3}, nil); err != nil {
		t.Fatal(err)
	}
	next(t, after)
	if e := next(t, after); e.Kind != 3 {
		t.Errorf("the new process received %+v", e)
	}
}

// TestRefused checks that a process without the secret or with another protocol is refused. Each of the two processes
// must report one error.
func TestRefused(t *testing.T) {
	a, reports := listen(t, "a", link.Options{Limit: 1 << 10})
	refused := func(what, want string) {
		t.Helper()
		select {
		case err := <-reports:
			if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
				t.Errorf("%s: %q, want %q", what, text, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: not reported", what)
		}
	}
	wrong, _ := listen(t, "w", link.Options{Secret: []byte("fedcba9876543210")})
	if err := wrong.Dial(context.Background(), a.Addr().String()); !errors.Is(err, link.ErrSecret) {
		t.Errorf("a wrong secret: %v", err)
	}
	refused("a wrong secret", "secret")
	for what, text := range map[string]string{"another protocol": "GET / HTTP/1.1\r\nHost: localhost\r\nA: bbbbbbbbbbbbbbbbbbb\r\n\r\n", "a lying name": "lk\x02" + strings.Repeat("\x00", 32+2*8) + "\xff\xff",
		"a lying count": "lk\x02" + strings.Repeat("\x00", 32+8) + strings.Repeat("\xff", 8) + "\x01\x00b"} {
		c, err := net.Dial("tcp", a.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		refused(what, "no node of this version")
		c.Close()
	}
	same, _ := listen(t, "a", link.Options{})
	if err := same.Dial(context.Background(), a.Addr().String()); err == nil {
		t.Error("a process of the same name was accepted")
	}
	refused("the same name", `called "a"`)

	b, _ := listen(t, "b", link.Options{})
	dial(t, b, a)
	next(t, a)
	if err := b.Send("a", link.Message{Body: make([]byte, 2<<10)}, nil); err != nil {
		t.Fatal(err)
	}
	for what, l := range map[string]*link.Links{"malformed message: 2048 bytes, expected at most 1024": a, "the other side ended the connection: malformed message: 2048": b} {
		for e := next(t, l); ; e = next(t, l) {
			if e.Change == link.PeerDisconnected {
				if !strings.Contains(e.Err.Error(), what) {
					t.Errorf("got %v, want %q", e.Err, what)
				}
				break
			}
		}
	}
}

// TestReplay checks that a listener does not accept its own proof.
func TestReplay(t *testing.T) {
	a, reports := listen(t, "a", link.Options{})
	c, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	first := make([]byte, 3+32+2*8+2+1)
	if _, err := c.Read(first); err != nil {
		t.Fatal(err)
	}
	first[len(first)-1] = 'b'
	c.Write(first)
	proof := make([]byte, 32)
	if _, err := c.Read(proof); err != nil {
		t.Fatal(err)
	}
	c.Write(proof)
	if err := <-reports; !errors.Is(err, link.ErrSecret) {
		t.Errorf("its own proof: %v", err)
	}
}

// TestOtherHost checks that connections from another address of this machine are encrypted.
func TestOtherHost(t *testing.T) {
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []*tls.Certificate{cert, nil} {
		reports := make(chan error, 10)
		l, err := link.Listen("127.0.0.1:0", link.Far(link.Options{Name: "l", Secret: secret, Limit: 1 << 20, TLS: with, Report: func(err error) { reports <- err }}))
		if err != nil {
			t.Fatal(err)
		}
		d, err := link.Listen("127.0.0.1:0", link.Far(link.Options{Name: "d", Secret: secret, Limit: 1 << 20}))
		if err != nil {
			t.Fatal(err)
		}
		err = d.Dial(context.Background(), l.Addr().String())
		if with == nil {
			if err == nil {
				t.Error("a connection from another host without TLS")
			}
		} else if err != nil {
			t.Error(err)
		} else if err := d.Send("l", link.Message{Body: []byte("x")}, nil); err != nil {
			t.Error(err)
		} else if next(t, l); string(next(t, l).Body) != "x" {
			t.Error("the message did not arrive")
		}
		d.Close()
		l.Close()
	}
}

// TestInBetween checks that a connection is refused if a third process terminates TLS between the two and relays their
// proofs.
func TestInBetween(t *testing.T) {
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	far := link.Far(link.Options{TLS: cert})
	a, _ := listen(t, "a", far)
	b, _ := listen(t, "b", far)
	between, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{*cert}})
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	go func() {
		for {
			from, err := between.Accept()
			if err != nil {
				return
			}
			to, err := tls.Dial("tcp", b.Addr().String(), &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				from.Close()
				continue
			}
			go func() { io.Copy(to, from); to.Close() }()
			go func() { io.Copy(from, to); from.Close() }()
		}
	}()
	if err := a.Dial(t.Context(), between.Addr().String()); !errors.Is(err, link.ErrSecret) {
		t.Errorf("by someone in between: %v", err)
	}
	if err := a.Dial(t.Context(), b.Addr().String()); err != nil {
		t.Errorf("without one: %v", err)
	}
}

// TestCloseRefusesNobody checks that a connection which Close ends during its handshake is not reported as refused.
func TestCloseRefusesNobody(t *testing.T) {
	l, reports := listen(t, "a", link.Options{})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err != nil { // wait for the hello of the listener
		t.Fatal(err)
	}
	l.Close()
	select {
	case err := <-reports:
		t.Error(err)
	default:
	}
}
