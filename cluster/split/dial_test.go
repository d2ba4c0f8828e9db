package split

import (
	"encoding/json"
	"io"
	"net"
	"testing"

	"lockstep/cluster/link"
)

// newTestNode returns the node "c", and Links that receive the messages to its root.
func newTestNode(t *testing.T) (*node, *link.Links) {
	t.Helper()
	all := map[string]*link.Links{}
	for _, name := range []string{"c", RootName} {
		all[name] = listenAs(t, name)
	}
	if err := all["c"].Dial(t.Context(), all[RootName].Addr().String()); err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if e := <-l.Events(); e.Change != link.PeerConnected {
			t.Fatalf("got %+v", e)
		}
	}
	return &node{ctx: t.Context(), shape: Shape{Frames: 1, Blocks: 2, Rows: 1, Width: 1, Height: 1, TileHeight: 1}, links: all["c"], name: "c",
		plans: map[uint32]*epochPlan{}, frames: map[frameID]*nodeFrame{}, results: make(chan backgroundResult), dialling: map[string]bool{}}, all[RootName]
}

func listenAs(t *testing.T, name string) *link.Links {
	t.Helper()
	l, err := link.Listen("127.0.0.1:0", link.Options{Name: name, Secret: []byte("0123456789abcdef"), Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// The function plan sends a node a plan of two members. The node is the second member.
func plan(t *testing.T, n *node, epoch uint32, other, address string) {
	t.Helper()
	body, err := json.Marshal(planMessage{Members: []memberInfo{{Name: other, Address: address}, {Name: n.name}}, Owner: []uint16{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.receivePlan(&link.Message{From: RootName, Kind: kindPlan, Epoch: epoch, Body: body}); err != nil {
		t.Fatal(err)
	}
}

// wantMessage checks that the next message at the root has this kind and epoch.
func wantMessage(t *testing.T, root *link.Links, kind uint8, epoch uint32) {
	t.Helper()
	if e := <-root.Events(); e.Change != link.MessageReceived || e.Kind != kind || e.Epoch != epoch {
		t.Fatalf("the root received %+v, want kind %d of epoch %d", e, kind, epoch)
	}
}

// TestOneDialAtATime checks a node that gets several plans while it dials a member. It must not dial that member again
// before the attempt has ended. When the attempt has failed, the node tells the root and tries again.
func TestOneDialAtATime(t *testing.T) {
	n, root := newTestNode(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for epoch := uint32(1); epoch <= 3; epoch++ {
		plan(t, n, epoch, "a", silent.Addr().String())
	}
	silent.Close() // all attempts fail
	results := func() (count int) {
		ended := make(chan struct{})
		go func() { n.background.Wait(); close(ended) }()
		for {
			select {
			case d := <-n.results:
				count++
				n.handleResult(d)
			case <-ended:
				return count
			}
		}
	}
	if got := results(); got != 1 {
		t.Errorf("%d attempts for three plans, want 1", got)
	}
	wantMessage(t, root, kindLost, 3)
	plan(t, n, 4, "a", silent.Addr().String())
	if err := n.handleEvent(link.Event{Message: link.Message{From: "a"}, Change: link.PeerDisconnected, Err: io.EOF}); err != nil {
		t.Fatal(err) // the node reports no loss, because its attempt will report one
	}
	if got := results(); got != 1 {
		t.Errorf("%d attempts after one that failed, want 1", got)
	}
	wantMessage(t, root, kindLost, 4)
	if err := n.links.Send(RootName, link.Message{Kind: kindHeartbeat}, nil); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, root, kindHeartbeat, 0) // no second loss is reported
	// A connection was made, but it ended before its result is handled.
	n.handleResult(backgroundResult{name: "a"})
	wantMessage(t, root, kindLost, 4)
}

// TestReplacedIsNotLost checks that a node reports a member as lost when its connection ends. If a new connection with
// the same member has replaced the old one, the node must not report a loss.
func TestReplacedIsNotLost(t *testing.T) {
	n, root := newTestNode(t)
	b := listenAs(t, "b")
	handle := func(want link.Change) {
		t.Helper()
		e := <-n.links.Events()
		if e.Change != want || e.From != "b" {
			t.Fatalf("got %+v, want change %d", e, want)
		}
		if err := n.handleEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() {
		t.Helper()
		if err := b.Dial(t.Context(), n.links.Addr().String()); err != nil {
			t.Fatal(err)
		}
	}
	dial()
	handle(link.PeerConnected)
	plan(t, n, 1, "b", "")
	wantMessage(t, root, kindReady, 1)
	dial()
	handle(link.PeerDisconnected)
	handle(link.PeerConnected)
	if err := n.links.Send(RootName, link.Message{Kind: kindHeartbeat}, nil); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, root, kindHeartbeat, 0) // no loss is reported before the heartbeat
	b.Close()
	handle(link.PeerDisconnected)
	wantMessage(t, root, kindLost, 1)
}

// TestYoungerNamesakeStays checks two nodes with the same name. The node that connected last must take part.
func TestYoungerNamesakeStays(t *testing.T) {
	shape := Shape{Frames: 1, Blocks: 2, Rows: 1, Width: 1, Height: 1, TileHeight: 1}
	r, err := Listen(RootOptions{Shape: shape, Links: link.Options{Secret: []byte("0123456789abcdef"), Limit: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	handle := func(want link.Change) {
		t.Helper()
		e := <-r.links.Events()
		if e.Change != want || e.From != "a" {
			t.Fatalf("got %+v, want change %d", e, want)
		}
		if err := r.handleEvent(e, nil); err != nil {
			t.Fatal(err)
		}
	}
	var younger *link.Links
	for i := range 2 {
		younger = listenAs(t, "a")
		if err := younger.Dial(t.Context(), r.Addr()); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			handle(link.PeerDisconnected)
		}
		handle(link.PeerConnected)
		if e := <-younger.Events(); e.Change != link.PeerConnected {
			t.Fatalf("got %+v", e)
		}
		if err := SendJoin(younger, shape); err != nil {
			t.Fatal(err)
		}
		handle(link.MessageReceived)
	}
	if err := r.links.Send("a", link.Message{Kind: kindEnd}, nil); err != nil {
		t.Error(err)
	}
	if e := <-younger.Events(); e.Change != link.MessageReceived || e.Kind != kindEnd {
		t.Errorf("the younger one received %+v", e)
	}
	if len(r.members) != 1 {
		t.Errorf("%d members", len(r.members))
	}
}
