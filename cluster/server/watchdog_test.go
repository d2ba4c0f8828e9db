package server

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// TestWatchdog checks the limits of a key: the messages of all its connections, its new connections, and the bytes that
// it has not read. Messages of ended connections count, too. Submitters have no limits.
func TestWatchdog(t *testing.T) {
	began := time.Now()
	stop := began
	conn := func(cid uint64, account string, msgs int64, pending int) *natsd.ConnInfo {
		return &natsd.ConnInfo{Cid: cid, Account: account, InMsgs: msgs, Pending: pending}
	}
	ended := func(c *natsd.ConnInfo) *natsd.ConnInfo { c.Stop = &stop; return c }
	const rate, burst = 100, 10 // allows 1,000 messages beyond the rate
	l := limits{messages: rate, burst: burst * time.Second, connectCost: 10, unread: 1000, shutOutTime: time.Minute}
	for what, c := range map[string]struct {
		looks [][]*natsd.ConnInfo // connections seen by successive checks, a second apart
		says  string
	}{
		"as much as may be":             {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 1090, 1000)}, {conn(1, "NODE_a", 1190, 0)}}, ""},
		"one message more":              {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 1090, 0)}, {conn(1, "NODE_a", 1191, 0)}}, "of a send more than 100 messages a second"},
		"by two connections":            {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 545, 0), conn(2, "NODE_a", 536, 0)}}, "of a send more"},
		"by two keys":                   {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 545, 600), conn(2, "NODE_b", 536, 600)}}, ""},
		"by one that has ended":         {[][]*natsd.ConnInfo{{ended(conn(1, "NODE_a", 1091, 0))}}, "of a send more"},
		"new connections":               {[][]*natsd.ConnInfo{slices.Repeat([]*natsd.ConnInfo{conn(1, "NODE_a", 0, 0)}, 111)}, "of a send more"},
		"forgotten over time":           {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 1090, 0)}, {}, {conn(2, "NODE_a", 190, 0)}}, ""},
		"a submitter":                   {[][]*natsd.ConnInfo{{conn(1, "FARM", 1e9, 1e9)}}, ""},
		"unread":                        {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 0, 500), conn(2, "NODE_a", 0, 501)}}, "of a do not read what they asked for"},
		"unread by one that has ended ": {[][]*natsd.ConnInfo{{conn(1, "NODE_a", 0, 500), ended(conn(2, "NODE_a", 0, 501))}}, ""},
	} {
		w := newWatchdog(l, began)
		var said []string
		now := began
		for _, look := range c.looks {
			now = now.Add(time.Second)
			said = append(said, w.examine(look, now)...)
		}
		nodes := map[string]string{"a": "A", "b": "B"}
		left := slices.Sorted(maps.Keys(w.admitted(nodes, now)))
		if c.says == "" && (len(said) > 0 || len(left) != 2) || c.says != "" && (len(said) != 1 || !strings.Contains(said[0], c.says) || !slices.Equal(left, []string{"b"})) {
			t.Errorf("%s: %q, and %v are left", what, said, left)
		}
		if all := w.admitted(nodes, now.Add(time.Minute)); len(all) != 2 {
			t.Errorf("%s: after the time only %v", what, all)
		}
	}
}

// TestFloodIsShutOut floods a server with the messages of one key. The server shuts the key out and reports it, and
// the node of another key stays connected. Later the key may be used again.
func TestFloodIsShutOut(t *testing.T) {
	t.Parallel()
	keys := map[string]nkeys.KeyPair{}
	nodes := map[string]string{}
	for _, name := range []string{"submit", "honest", "rogue"} {
		pair, err := nkeys.CreatePairWithRand(nkeys.PrefixByteUser, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = pair
		nodes[name], _ = pair.PublicKey()
	}
	var mu sync.Mutex
	var said []string
	o := Options{Dir: t.TempDir(), SyncLater: true, SubmitKey: nodes["submit"], Nodes: nodes, Report: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}}
	delete(nodes, "submit")
	o.limits = limits{messages: 1000, burst: time.Second, connectCost: 100, unread: 1 << 30, checkInterval: 10 * time.Millisecond, shutOutTime: 300 * time.Millisecond}
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	dial := func(name string) (*nats.Conn, error) {
		public, _ := keys[name].PublicKey()
		return nats.Connect("nats://"+s.Addr().String(), nats.Nkey(public, keys[name].Sign), nats.MaxReconnects(0), nats.Timeout(time.Minute))
	}
	honest, err := dial("honest")
	if err != nil {
		t.Fatal(err)
	}
	defer honest.Close()
	rogue, err := dial("rogue")
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !rogue.IsClosed(); {
		if time.Now().After(end) {
			t.Fatal("it floods for ever")
		}
		for range 100 {
			_ = rogue.Publish("$KV.nodes.x", []byte("{}"))
		}
		_ = rogue.FlushTimeout(time.Second)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if again, err := dial("rogue"); err == nil {
			again.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is shut out for ever")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "key of rogue send more than 1000") }) {
		t.Errorf("%q", said)
	}
	if !honest.IsConnected() {
		t.Error("another node is disconnected")
	}
}
