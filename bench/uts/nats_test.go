package uts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"lockstep/lb/overlay"
)

// Names of environment variables of a peer's process.
const (
	natsURL  = "LOCKSTEP_TEST_NATS"
	natsPeer = "LOCKSTEP_TEST_PEER"
)

// natsOptions are the options from which every process builds the same overlay.
var natsOptions = overlay.Options{Protocol: overlay.BTD, Peers: 8, Degree: 3, Seed: 11}

// TestNATS counts the nodes of T1 with eight processes that exchange messages through a NATS server. It shows that the
// protocols share no memory.
func TestNATS(t *testing.T) {
	if os.Getenv(natsURL) != "" {
		t.Skip("this is a peer's process")
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("no server")
	}
	control, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()

	lines := make([]*bufio.Scanner, natsOptions.Peers)
	for i := range lines {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNATSPeer$")
		cmd.Env = append(os.Environ(), natsURL+"="+s.ClientURL(), natsPeer+"="+strconv.Itoa(i))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		lines[i] = bufio.NewScanner(out)
	}
	for i, l := range lines {
		if !l.Scan() || l.Text() != "ready" {
			t.Fatalf("peer %d says %q", i, l.Text())
		}
	}
	if err := control.Publish("overlay.start", nil); err != nil {
		t.Fatal(err)
	}
	var sum Counts
	worked := 0
	for i, l := range lines {
		var c Counts
		if !l.Scan() {
			t.Fatalf("peer %d ended without a result", i)
		}
		if err := json.Unmarshal(l.Bytes(), &c); err != nil {
			t.Fatalf("peer %d says %q", i, l.Text())
		}
		sum.Add(c)
		if c.Nodes > 0 {
			worked++
		}
	}
	if _, want := sample(t, "T1"); sum != want {
		t.Errorf("counted %+v, want %+v", sum, want)
	}
	if worked < 2 {
		t.Errorf("only %d processes had work", worked)
	}
}

// natsTransport sends messages to each peer on a subject of its own. Messages of one connection arrive in order, as the
// protocols require.
type natsTransport struct{ *nats.Conn }

func subject(peer int32) string { return fmt.Sprintf("overlay.peer.%d", peer) }

func (n natsTransport) Send(m overlay.Message) {
	if err := n.Publish(subject(m.To), m.Append(nil)); err != nil {
		panic(err)
	}
}

// An inbox holds messages that have arrived.
type inbox struct {
	sync.Mutex
	mail  []overlay.Message
	bell  chan struct{} // holds one element while there are messages
	fault error
}

func (b *inbox) put(m *nats.Msg) {
	b.Lock()
	defer b.Unlock()
	message, err := overlay.Decode(m.Data)
	if err != nil {
		b.fault = err
	}
	b.mail = append(b.mail, message)
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

func (b *inbox) fetch(wait bool) ([]overlay.Message, error) {
	if wait {
		<-b.bell
	}
	b.Lock()
	defer b.Unlock()
	mail := b.mail
	b.mail = nil
	return mail, b.fault
}

// TestNATSPeer is the main function of a peer's process.
func TestNATSPeer(t *testing.T) {
	url := os.Getenv(natsURL)
	if url == "" {
		t.Skip("runs in a process of its own, started by TestNATS")
	}
	id, err := strconv.Atoi(os.Getenv(natsPeer))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	box := &inbox{bell: make(chan struct{}, 1)}
	mail, err := conn.Subscribe(subject(int32(id)), box.put)
	if err != nil {
		t.Fatal(err)
	}
	if err := mail.SetPendingLimits(-1, -1); err != nil {
		t.Fatal(err)
	}
	start, err := conn.SubscribeSync("overlay.start")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Println("ready")
	if _, err := start.NextMsg(time.Minute); err != nil {
		t.Fatal(err)
	}
	tree, _ := sample(t, "T1")
	net, err := overlay.New(natsOptions)
	if err != nil {
		t.Fatal(err)
	}
	pool := tree.NewPool()
	if id == net.Holder() {
		pool.Plant()
	}
	peer, err := net.Peer(id, pool, natsTransport{conn})
	if err != nil {
		t.Fatal(err)
	}
	for peer.Start(); !peer.Done(); {
		messages, err := box.fetch(!peer.Busy())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			peer.Receive(m)
		}
		if peer.Busy() && !peer.Done() {
			pool.Work(1000)
			peer.Worked()
		}
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(pool.Counts())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", line)
}
