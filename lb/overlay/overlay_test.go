package overlay

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLinks uses thirteen peers of degree 3: peer 0, its children 1 to 3, and their children.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		protocol          Protocol
		root, inner, leaf int
	}{{TD, 3, 4, 1}, {AHMW, 3, 6, 1}, {RWS, 12, 12, 12}, {MW, 12, 12, 12}, {Lifeline, 12, 12, 12}} {
		v, err := New(Options{Protocol: c.protocol, Peers: 13, Degree: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Links(); got[0] != c.root || got[2] != c.inner || got[12] != c.leaf {
			t.Errorf("%v: %d, want %+v", c.protocol, got, c)
		}
	}
	v, err := New(Options{Protocol: BTD, Peers: 13, Degree: 3})
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, n := range v.Links() {
		all += n
	}
	if all != 2*12+2*13 {
		t.Errorf("%d ends of 12 links and 13 bridges", all)
	}
}

// TestLinksOfReach checks that peers of Reach have as many links among 100,000 peers as among 1000, if lifelines are
// left out. A peer has the links of the tree, links with eight victims, five or nine lifelines, and as many lifelines
// of other peers that lead to it.
func TestLinksOfReach(t *testing.T) {
	for _, c := range []struct{ peers, lines int }{{1000, 5}, {100000, 9}} {
		v, err := New(Options{Protocol: Reach, Peers: c.peers, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, n := range v.Links() {
			all += n
		}
		// A peer whose number is near the end may lack lifelines, because no other peer differs from it only in a
		// certain digit.
		if most := 2*(c.peers-1) + 2*c.lines*c.peers + 2*offsetCount*c.peers; all > most || all < most*95/100 {
			t.Errorf("%d peers: %d ends of links, want %d or slightly less", c.peers, all, most)
		}
	}
}

// TestAcquaintances checks that a peer is a victim of each of its victims, and that every peer is reached from any
// other through victims.
func TestAcquaintances(t *testing.T) {
	for _, peers := range []int{2, 3, 4, 7, 50, 1000} {
		v, err := New(Options{Protocol: Reach, Peers: peers, Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		for id := range int32(peers) {
			for _, to := range v.victimsOf(id) {
				if to == id || to < 0 || int(to) >= peers || !slices.Contains(v.victimsOf(to), id) {
					t.Fatalf("%d peers: %d knows %d", peers, id, to)
				}
			}
		}
		if peers == 1000 && len(v.victimsOf(7)) != 2*offsetCount {
			t.Errorf("%d acquaintances", len(v.victimsOf(7)))
		}
	}
}

// The expected numbers are the sizes of the subtrees below the root of TD with ten children.
func TestSubtreeSizes(t *testing.T) {
	for _, c := range []struct {
		peers int
		want  []int32
	}{
		{200, []int32{100, 11, 11, 11, 11, 11, 11, 11, 11, 11}},
		{500, []int32{111, 111, 111, 100, 11, 11, 11, 11, 11, 11}},
		{1000, []int32{111, 111, 111, 111, 111, 111, 111, 111, 100, 11}},
	} {
		v, err := New(Options{Protocol: TD, Peers: c.peers})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.size[1:11]; !slices.Equal(got, c.want) {
			t.Errorf("%d peers: %v, want %v", c.peers, got, c.want)
		}
	}
}

// TestTrees checks that in any tree the sizes and the children agree with the parents.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, err := New(Options{
			Protocol: Protocol(rapid.IntRange(0, int(Keep)).Draw(t, "protocol")), Peers: rapid.IntRange(1, 300).Draw(t, "peers"),
			Degree: rapid.IntRange(1, 12).Draw(t, "degree"), Seed: rapid.Uint64().Draw(t, "seed"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if int(v.size[0]) != v.Peers() {
			t.Fatalf("the root's subtree has %d peers", v.size[0])
		}
		seen := 0
		for id := range v.parent {
			size := int32(1)
			for _, c := range v.childrenOf(int32(id)) {
				if v.parent[c] != int32(id) || c <= int32(id) {
					t.Fatalf("%d is a child of %d", c, id)
				}
				size += v.size[c]
				seen++
			}
			if size != v.size[id] {
				t.Fatalf("peer %d: size %d, counted %d", id, v.size[id], size)
			}
			if v.bridge != nil && (int(v.bridge[id]) == id || v.bridge[id] < 0 || int(v.bridge[id]) >= v.Peers()) {
				t.Fatalf("peer %d has a bridge to %d", id, v.bridge[id])
			}
		}
		if seen != v.Peers()-1 {
			t.Fatalf("%d of %d peers have parents", seen, v.Peers()-1)
		}
	})
}

// TestCyclicHypercubeConnects checks that the lifelines connect all peers, although each peer has only a few.
func TestCyclicHypercubeConnects(t *testing.T) {
	for _, peers := range []int{1, 2, 3, 4, 5, 16, 17, 31, 64, 100, 1000} {
		reached := make([]bool, peers)
		reached[0] = true
		front := []int32{0}
		for len(front) > 0 {
			lines := cyclicHypercube(front[0], peers, lifelineBase)
			front = front[1:]
			for _, to := range lines {
				if !reached[to] {
					reached[to] = true
					front = append(front, to)
				}
			}
		}
		if i := slices.Index(reached, false); i >= 0 {
			t.Errorf("%d peers: %d cannot be reached", peers, i)
		}
	}
}

func TestMessageBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Message{
			From: rapid.Int32().Draw(t, "from"), To: rapid.Int32().Draw(t, "to"), Kind: Kind(rapid.IntRange(0, int(Down)).Draw(t, "kind")),
			A: rapid.Int64().Draw(t, "a"), B: rapid.Int64().Draw(t, "b"), Value: rapid.Int64().Draw(t, "value"),
		}
		if n := rapid.IntRange(0, 40).Draw(t, "bytes"); n > 0 {
			m.Parcel = rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "parcel")
		}
		b := m.Append(nil)
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got, m) || len(b) != m.Size() {
			t.Fatalf("%+v became %+v: %v", m, got, err)
		}
	})
	for _, bad := range [][]byte{nil, make([]byte, headerBytes-1), append(make([]byte, 8), slices.Repeat([]byte{255}, headerBytes)...)} {
		if m, err := Decode(bad); err == nil {
			t.Errorf("%v became %+v", bad, m)
		}
	}
}

func TestNames(t *testing.T) {
	for p := TR; p <= Keep; p++ {
		if got, err := ParseProtocol(p.String()); err != nil || got != p {
			t.Errorf("%v became %v: %v", p, got, err)
		}
	}
	for s := Proportional; s <= Two; s++ {
		if got, err := ParseShare(s.String()); err != nil || got != s {
			t.Errorf("%v became %v: %v", s, got, err)
		}
	}
	if _, err := ParseProtocol("gossip"); err == nil {
		t.Error("gossip is a protocol")
	}
}

func TestFaultyOptions(t *testing.T) {
	for _, o := range []Options{{}, {Peers: 1, Degree: -1}, {Peers: 1, Protocol: 99}, {Peers: 1, Share: 99}, {Peers: mostPeers + 1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
