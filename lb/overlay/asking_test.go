package overlay

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// accountant is a purse that implements Accounts, as the protocol Keep requires.
type accountant struct{ purse }

func (a *accountant) Result() []byte { return nil }
func (a *accountant) Credit([]byte)  {}

// keeper returns a peer of the protocol Keep.
func keeper(t *testing.T, peers, id int, seed uint64) (*Peer, *accountant, *outbox) {
	t.Helper()
	net, err := New(Options{Protocol: Keep, Peers: peers, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	pool, sent := &accountant{}, &outbox{}
	return peerOf(t, net, id, pool, sent), pool, sent
}

// TestAskAfterWithdraw checks that a child that has withdrawn its request is asked again and is not given work.
func TestAskAfterWithdraw(t *testing.T) {
	p, _, sent := newPeer(t, Options{Protocol: BTD, Peers: 13, Degree: 3}, 1, false)
	p.Start()
	for c := range int32(3) {
		p.Receive(Message{From: c + 4, To: 1, Kind: Report})
	}
	sent.take()
	p.Receive(Message{From: 5, To: 1, Kind: Withdraw})
	if m := sent.messages; len(m) != 1 || m[0].Kind != Ask || m[0].To != 5 {
		t.Errorf("sent %+v", m)
	}
	sent.take()
	p.Receive(Message{From: 0, To: 1, Kind: Work, B: 1})
	for _, m := range sent.messages {
		if m.Kind == Work && m.To == 5 {
			t.Errorf("sent %+v", m)
		}
	}
}

// TestOrders checks that the master of four workers orders the worker with the most work to share, and counts half of
// that work as gone. It gives no second order to a worker that has not carried out the first.
func TestOrders(t *testing.T) {
	master, _, sent := newPeer(t, Options{Protocol: MW, Peers: 5}, 0, false)
	amount := func(from int32, a float64) {
		master.Receive(Message{From: from, Kind: Amount, A: int64(math.Float64bits(a))})
	}
	order := func(what string, want ...int32) {
		t.Helper()
		var to []int32
		for _, m := range sent.messages {
			if m.Kind == ShareWith {
				to = append(to, m.To)
			}
		}
		if sent.take(); !slices.Equal(to, want) {
			t.Errorf("%s: orders to %v, want %v", what, to, want)
		}
	}
	master.Start()
	amount(1, 10)
	amount(2, 8)
	master.Receive(Message{From: 3, Kind: Ask})
	order("10 and 8", 1)
	master.Receive(Message{From: 4, Kind: Ask})
	order("the richest has an order", 2)
	master.Receive(Message{From: 4, Kind: Ask}) // a second Ask of worker 4 stands for that of any worker
	order("both have orders")
	master.Receive(Message{From: 1, Kind: Gave, A: 3, B: 1})
	order("5, 8 with an order, 5", 1)
	master.Receive(Message{From: 2, Kind: Gave, A: 4, B: 1})
	master.Receive(Message{From: 1, Kind: Gave, A: 4, B: 1})
	master.Receive(Message{From: 4, Kind: Ask})
	order("2.5, 4, 5, 2.5", 3)
	master.Receive(Message{From: 1, Kind: Ask})
	sent.take()
	master.Receive(Message{From: 3, Kind: Gave, A: 4})
	master.Receive(Message{From: 2, Kind: Gave, A: 1})
	if m := sent.messages; len(m) != 0 { // no worker has work left
		t.Errorf("sent %+v", m)
	}
	amount(3, 3)
	if m := sent.messages; len(m) != 1 || m[0].Kind != ShareWith || m[0].To != 3 || m[0].A != 1 {
		t.Errorf("sent %+v, want 3 to share with 1: whose order failed goes first", m)
	}
}

// TestHierarchyAsksAgain checks two rules of AHMW. A master whose colleague had nothing to give asks again. A worker
// that has been busy for long returns half of its work.
func TestHierarchyAsksAgain(t *testing.T) {
	p, _, sent := newPeer(t, Options{Protocol: AHMW, Peers: 13, Degree: 3}, 1, false)
	p.Start()
	p.Receive(Message{From: 4, To: 1, Kind: Ask})
	colleague := slices.IndexFunc(sent.messages, func(m Message) bool { return m.Kind == Ask && m.A == 1 })
	if colleague < 0 {
		t.Fatalf("sent %+v", sent.messages)
	}
	from := sent.messages[colleague].To
	sent.take()
	p.Receive(Message{From: from, To: 1, Kind: Refuse})
	if got := sent.take(); !slices.Equal(got, []Kind{Ask}) {
		t.Errorf("sent %v after a refusal", got)
	}
	p, pool, _ := newPeer(t, Options{Protocol: AHMW, Peers: 13, Degree: 3}, 1, true)
	p.Receive(Message{From: 4, To: 1, Kind: Ask})
	wantFractions(t, pool, -1) // the fraction -1 stands for one unit
	w, pool, sent := newPeer(t, Options{Protocol: AHMW, Peers: 13, Degree: 3}, 4, true)
	w.Start()
	for range returnAfter {
		w.Worked()
	}
	wantFractions(t, pool, 0.5)
	if m := sent.messages; len(m) != 1 || m[0].Kind != Work || m[0].To != 1 {
		t.Errorf("sent %+v", m)
	}
}

// TestVictims checks that a peer of Reach asks two of its fixed victims, and after two refusals its lifelines.
func TestVictims(t *testing.T) {
	p, _, sent := newPeer(t, Options{Protocol: Reach, Peers: 1000, Seed: 4}, 700, false)
	p.Start()
	for try := range randomTries {
		var asked []Message
		for _, m := range sent.messages {
			if m.Kind == Ask {
				asked = append(asked, m)
			}
		}
		if len(asked) != 1 || asked[0].A != atRandom || !slices.Contains(p.victimsOf(700), asked[0].To) {
			t.Fatalf("try %d: sent %+v, acquaintances %v", try, asked, p.victimsOf(700))
		}
		sent.take()
		p.Receive(Message{From: asked[0].To, To: 700, Kind: Refuse})
	}
	var lines []int32
	for _, m := range sent.messages {
		if m.Kind != Ask || m.A != overLifeline {
			t.Errorf("%+v", m)
		}
		lines = append(lines, m.To)
	}
	if want := cyclicHypercube(700, 1000, lifelineBase); !slices.Equal(lines, want) {
		t.Errorf("asked %v, want the lifelines %v", lines, want)
	}
	sent.take()
	p.Receive(Message{From: 70, To: 700, Kind: Heard})
	if slices.ContainsFunc(sent.messages, func(m Message) bool { return m.Kind == Ask }) {
		t.Errorf("asked again: %+v", sent.messages)
	}
}

// TestAskAfterWork checks that a peer of Reach that has finished the work it was given asks at random again. The work
// may have come from its parent or over a lifeline.
func TestAskAfterWork(t *testing.T) {
	for _, tag := range []int64{atStart, overLifeline} {
		p, pool, sent := newPeer(t, Options{Protocol: Reach, Peers: 1000, Seed: 4}, 700, false)
		p.Start()
		for range randomTries {
			m := sent.messages[len(sent.messages)-1]
			p.Receive(Message{From: m.To, To: 700, Kind: Refuse})
		}
		from := p.parent
		if tag == overLifeline {
			from = sent.messages[len(sent.messages)-1].To
		}
		p.Receive(Message{From: from, To: 700, Kind: Work, A: tag})
		sent.take()
		pool.full = false
		p.Worked()
		if !slices.ContainsFunc(sent.messages, func(m Message) bool { return m.Kind == Ask && m.A == atRandom }) {
			t.Errorf("sent %+v after a parcel with tag %d", sent.messages, tag)
		}
	}
}

// TestAskAfterCrash checks that a peer whose victim crashes asks another peer.
func TestAskAfterCrash(t *testing.T) {
	victims := map[int32]bool{}
	for seed := range uint64(20) {
		p, _, sent := keeper(t, 4, 1, seed)
		p.Start()
		victim := sent.messages[0].To
		victims[victim] = true
		p.Receive(Message{To: 1, Kind: Down, A: 2})
		p.Receive(Message{To: 1, Kind: Down, A: 3})
		if last := sent.messages[len(sent.messages)-1]; last.Kind != Ask || last.To != 0 || victim == 0 && len(sent.messages) > 1 {
			t.Errorf("%d was asked, 2 and 3 crashed: sent %+v", victim, sent.messages)
		}
	}
	if len(victims) != 3 {
		t.Errorf("asked %v", victims)
	}
}

// TestOrphans checks that a peer drops work that came from a crashed donor. The donor's work is not done again, even if
// the peer had passed a part of it to another peer that also crashed. The work may be the current job, may be waiting,
// or may have been passed on completely.
func TestOrphans(t *testing.T) {
	for _, given := range []bool{false, true} {
		p, pool, sent := keeper(t, 4, 2, 0)
		p.Start()
		p.Receive(Message{From: 1, To: 2, Kind: Work, A: 7, Parcel: []byte{1}})
		p.Receive(Message{From: 3, To: 2, Kind: Ask})
		if given { // the rest is done, so the only open part is with peer 3
			pool.full = false
			p.Worked()
		}
		if sent.messages[1].Kind != Work {
			t.Fatalf("sent %+v", sent.messages)
		}
		sent.take()
		pool.full = false // the pool throws away orphaned work
		p.Receive(Message{To: 2, Kind: Down, A: 1})
		p.Receive(Message{To: 2, Kind: Down, A: 3})
		if !pool.Empty() {
			t.Errorf("given %v: the work of a crashed donor is done again", given)
		}
	}
	// In this case the work is waiting, because the peer holds another job.
	p, pool, _ := keeper(t, 5, 2, 0)
	p.Start()
	p.Receive(Message{From: 1, To: 2, Kind: Work, A: 7, Parcel: []byte{1}})
	p.Receive(Message{From: 3, To: 2, Kind: Work, A: 8, Parcel: []byte{1}})
	p.Receive(Message{To: 2, Kind: Down, A: 3})
	pool.full = false
	p.Worked()
	if !pool.Empty() {
		t.Error("waiting work of a crashed donor is begun")
	}
}

// TestKeepNeedsAccounts checks that Keep rejects a pool whose work cannot be done again.
func TestKeepNeedsAccounts(t *testing.T) {
	net, err := New(Options{Protocol: Keep, Peers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Peer(1, &purse{}, &outbox{}); err == nil || !strings.Contains(err.Error(), "peer 1: ") || !strings.Contains(err.Error(), "*overlay.purse") {
		t.Error(err)
	}
}
