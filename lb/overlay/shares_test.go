package overlay

import (
	"slices"
	"testing"
)

// purse is a pool that records the fractions it is asked for. It has work while full is true.
type purse struct {
	full      bool
	fractions []float64
}

func (p *purse) Empty() bool     { return !p.full }
func (p *purse) Amount() float64 { return map[bool]float64{true: 1}[p.full] }
func (p *purse) Split(f float64) []byte {
	if !p.full {
		return nil
	}
	p.fractions = append(p.fractions, f)
	return []byte{1}
}
func (p *purse) Take(units int) []byte { return p.Split(float64(-units)) }
func (p *purse) Merge([]byte)          { p.full = true }
func (p *purse) Work(int) int          { return 0 }

// outbox is a transport that records messages.
type outbox struct{ messages []Message }

func (o *outbox) Send(m Message) { o.messages = append(o.messages, m) }

// take removes the recorded messages and returns their kinds.
func (o *outbox) take() (kinds []Kind) {
	for _, m := range o.messages {
		kinds = append(kinds, m.Kind)
	}
	o.messages = nil
	return kinds
}

func newPeer(t *testing.T, o Options, id int, full bool) (*Peer, *purse, *outbox) {
	t.Helper()
	net, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	pool, sent := &purse{full: full}, &outbox{}
	return peerOf(t, net, id, pool, sent), pool, sent
}

// peerOf returns a peer, with a pool that suits the protocol.
func peerOf(t *testing.T, net *Overlay, id int, pool Pool, sent Transport) *Peer {
	t.Helper()
	p, err := net.Peer(id, pool, sent)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantFractions(t *testing.T, pool *purse, want ...float64) {
	t.Helper()
	if !slices.Equal(pool.fractions, want) {
		t.Errorf("fractions %v, want %v", pool.fractions, want)
	}
}

// The root of 13 peers has three subtrees of four peers, and all three children wait. Each child gets 4/13 of the
// whole, as a fraction of the work left at its turn, and one part stays.
func TestSharesOfChildren(t *testing.T) {
	root, _, _ := newPeer(t, Options{Protocol: TD, Peers: 13, Degree: 3}, 0, false)
	root.Start()
	for c := range int32(3) {
		root.Receive(Message{From: c + 1, To: 0, Kind: Report})
	}
	if !root.Done() {
		t.Fatal("all idle, and the run goes on")
	}
	p, pool, sent := newPeer(t, Options{Protocol: TD, Peers: 13, Degree: 3}, 1, false)
	p.Start()
	for c := range int32(3) {
		p.Receive(Message{From: c + 4, To: 1, Kind: Report})
	}
	sent.take()
	p.Receive(Message{From: 0, To: 1, Kind: Work, B: 1})
	wantFractions(t, pool, 1./4, 1./3, 1./2)
	for i, m := range sent.messages {
		if m.Kind != Work || m.To != int32(i+4) || m.B != 1 { // B is the number of reports that the child has sent
			t.Errorf("%+v", m)
		}
	}
}

// TestSharesUpAndAcross checks the fractions that a peer gives away. A parent that asks gets a fraction in proportion
// to the peers outside the subtree. A peer that asks over a bridge gets the size of its own subtree divided by the
// sizes of both subtrees.
func TestSharesUpAndAcross(t *testing.T) {
	p, pool, _ := newPeer(t, Options{Protocol: BTD, Peers: 13, Degree: 3}, 1, true)
	p.Start()
	p.Receive(Message{From: 0, To: 1, Kind: Ask})
	p.Receive(Message{From: 12, To: 1, Kind: Ask, A: 1})
	wantFractions(t, pool, 9./13, 1./5)
}

// TestWithdraw checks a peer that has asked its parent for work. When work arrives over its bridge, the peer must
// withdraw the request.
func TestWithdraw(t *testing.T) {
	p, _, sent := newPeer(t, Options{Protocol: BTD, Peers: 13, Degree: 3}, 12, false)
	p.Start()
	if got := sent.take(); !slices.Equal(got, []Kind{Ask, Report}) {
		t.Fatalf("sent %v", got)
	}
	p.Receive(Message{From: 5, To: 12, Kind: Work, A: overBridge})
	if got := sent.take(); !slices.Equal(got, []Kind{Withdraw}) {
		t.Errorf("sent %v", got)
	}
}

// TestSharesOfReach checks that Reach first hands out shares in proportion to the subtrees, and later equal parts to
// the waiting peers.
func TestSharesOfReach(t *testing.T) {
	p, pool, sent := newPeer(t, Options{Protocol: Reach, Peers: 13, Degree: 3}, 0, true)
	p.Start()
	p.Worked()
	wantFractions(t, pool, 4./13, 4./9, 4./5)
	pool.fractions, pool.full = nil, false
	for from := range int32(3) {
		p.Receive(Message{From: from + 5, To: 0, Kind: Ask, A: overLifeline})
	}
	sent.take()
	p.Receive(Message{From: 3, To: 0, Kind: Work, A: atRandom})
	wantFractions(t, pool, 1./4, 1./3, 1./2)
}

// TestReportsInTurn checks reports that do not ask for work. The parent answers them when it is idle, and a peer has
// only one unanswered report.
func TestReportsInTurn(t *testing.T) {
	p, pool, sent := newPeer(t, Options{Protocol: RWS, Peers: 3, Degree: 1}, 1, true)
	p.Start()
	p.Receive(Message{From: 2, To: 1, Kind: Report, A: 1})
	if got := sent.take(); got != nil {
		t.Fatalf("sent %v while busy", got)
	}
	pool.full = false
	p.Worked()
	if got := sent.take(); !slices.Equal(got, []Kind{Heard, Report, Ask}) {
		t.Fatalf("sent %v when idle", got)
	}
	p.Receive(Message{From: 2, To: 1, Kind: Report, A: 2})
	if got := sent.take(); !slices.Equal(got, []Kind{Heard}) {
		t.Fatalf("sent %v with a report on its way", got)
	}
	p.Receive(Message{From: 0, To: 1, Kind: Heard})
	if got := sent.take(); !slices.Equal(got, []Kind{Report}) {
		t.Errorf("sent %v when it was answered", got)
	}
}

// TestProbe checks that the root sends a probe when as many parcels were received as sent. It ends the run if no
// parcel was sent in the meantime.
func TestProbe(t *testing.T) {
	root, _, sent := newPeer(t, Options{Protocol: RWS, Peers: 3, Degree: 1}, 0, false)
	root.Start()
	for _, c := range []struct {
		message Message
		want    []Kind
	}{
		{Message{Kind: Report, A: 2, B: 1}, []Kind{Heard}},
		{Message{Kind: Report, A: 2, B: 2}, []Kind{Heard, Probe}},
		{Message{Kind: Report, A: 3, B: 3}, []Kind{Heard}}, // no second probe is sent while the first is unanswered
		{Message{Kind: Tally, A: 3}, []Kind{Probe}},        // a parcel was sent after the second report
		{Message{Kind: Tally, A: 3}, []Kind{Stop}},
	} {
		sent.take()
		c.message.From = 1
		root.Receive(c.message)
		if got := sent.take(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: sent %v, want %v", c.message, got, c.want)
		}
	}
	if !root.Done() {
		t.Error("the run goes on")
	}
}

// limited is the pool of a search that prunes by a bound.
type limited struct {
	purse
	bound int64
}

func (l *limited) Bound() int64        { return l.bound }
func (l *limited) Improve(bound int64) { l.bound = bound }

// TestBoundsSpread checks that a better bound, whether received or found, is sent once to the parent and the
// children. A worse bound is ignored.
func TestBoundsSpread(t *testing.T) {
	net, err := New(Options{Protocol: TD, Peers: 13, Degree: 3})
	if err != nil {
		t.Fatal(err)
	}
	pool, sent := &limited{purse{full: true}, 10}, &outbox{}
	p := peerOf(t, net, 1, pool, sent)
	p.Receive(Message{From: 0, To: 1, Kind: Bound, Value: 12})
	if pool.bound != 10 || len(sent.messages) > 0 {
		t.Errorf("12 for 10: bound %d, sent %v", pool.bound, sent.messages)
	}
	p.Receive(Message{From: 0, To: 1, Kind: Bound, Value: 7})
	var to []int32
	for _, m := range sent.messages {
		if m.Kind != Bound || m.Value != 7 {
			t.Errorf("%+v", m)
		}
		to = append(to, m.To)
	}
	if pool.bound != 7 || !slices.Equal(to, []int32{0, 4, 5, 6}) {
		t.Errorf("7 for 10: bound %d, told %v", pool.bound, to)
	}
	sent.take()
	p.Worked()
	if len(sent.messages) > 0 {
		t.Errorf("nothing new: sent %v", sent.messages)
	}
	pool.bound = 5 // a bound found by the peer's own work
	p.Worked()
	if len(sent.messages) != 4 || sent.messages[0].Kind != Bound || sent.messages[0].Value != 5 {
		t.Errorf("5 for 7: sent %v", sent.messages)
	}
}

// TestFixedShares checks that shares other than Proportional do not depend on the sizes of subtrees.
func TestFixedShares(t *testing.T) {
	for share, want := range map[Share]float64{Half: 0.5, One: -1, Two: -2} { // below 0: units instead of a fraction
		p, pool, _ := newPeer(t, Options{Protocol: BTD, Peers: 13, Degree: 3, Share: share}, 1, true)
		p.Start()
		p.Receive(Message{From: 0, To: 1, Kind: Ask})
		p.Receive(Message{From: 12, To: 1, Kind: Ask, A: 1})
		wantFractions(t, pool, want, want)
	}
}

// TestHolder checks that with random stealing the first work lies on a random peer, and with the other protocols at
// the root.
func TestHolder(t *testing.T) {
	holders := map[int]bool{}
	for seed := range uint64(40) {
		for p := TR; p <= Keep; p++ {
			v, err := New(Options{Protocol: p, Peers: 8, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if p == RWS {
				holders[v.Holder()] = true
			} else if v.Holder() != 0 {
				t.Errorf("%v begins at %d", p, v.Holder())
			}
		}
	}
	if len(holders) != 8 {
		t.Errorf("rws begins at %v of 8 peers", holders)
	}
}
