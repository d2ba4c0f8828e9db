package uts

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/check"
	"lockstep/lb/overlay/local"
	"lockstep/lb/overlay/simulate"
)

var (
	long      = flag.Bool("long", false, "count the sample trees of up to 112 million nodes with every protocol, and crash a thousand peers")
	peerCount = flag.String("peers", "", "with -long: numbers of peers, with commas, in place of each test's own")
)

// sample returns the sample tree with the given name.
func sample(t testing.TB, name string) (*Tree, Counts) {
	t.Helper()
	for _, s := range Samples {
		if s.Name == name {
			tree, err := New(s.Params)
			if err != nil {
				t.Fatal(err)
			}
			return tree, s.Counts
		}
	}
	t.Fatalf("no sample tree %s", name)
	return nil, Counts{}
}

func TestSampleTrees(t *testing.T) {
	for _, s := range Samples {
		if s.Nodes > 5e6 && !(*long && s.Nodes < 2e9) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			tree, want := sample(t, s.Name)
			if got := tree.Count(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// TestRules compares the tables with the formula, at the thresholds and between the thresholds.
func TestRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, err := New(Params{
			Kind: Kind(rapid.IntRange(0, 3).Draw(t, "kind")), Shape: Shape(rapid.IntRange(0, 3).Draw(t, "shape")),
			Branches: float64(rapid.IntRange(1, 130).Draw(t, "branches")), Q: 0.01, M: rapid.IntRange(0, 99).Draw(t, "m"),
			Depth: rapid.IntRange(2, 40).Draw(t, "depth"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for depth := range uint32(10) {
			depth *= 31
			rule := tree.tableIndex(depth)
			randoms := []uint32{0, 1, lastRandom / 2, lastRandom, rapid.Uint32Max(lastRandom).Draw(t, "random")}
			for at := rapid.Uint32Max(3).Draw(t, "first"); at < cellCount; at += 4 * (1 + depth%7) {
				c := tree.cells[rule+at]
				edge := firstWhere(0, lastRandom, func(random uint32) bool { return cellIndex(random) <= at })
				randoms = append(randoms, c.threshold&lastRandom, max(c.threshold, 1)-1, edge, max(edge, 1)-1)
			}
			for _, random := range randoms {
				if got, want := tree.children(rule, depth, random), tree.params.childDistribution(int(depth)).children(random); got != want {
					t.Fatalf("%+v, depth %d, random %d: %d children, want %d", tree.params, depth, random, got, want)
				}
			}
		}
	})
}

// TestSplit checks that splitting and merging loses no nodes. A split must not empty the pool.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(Samples[:6]).Draw(t, "tree")
		tree, err := New(s.Params)
		if err != nil {
			t.Fatal(err)
		}
		p, q := tree.NewPool(), tree.NewPool()
		p.Plant()
		p.Work(rapid.IntRange(0, 3000).Draw(t, "steps"))
		before := p.Amount()
		fraction := rapid.Float64Range(0, 1).Draw(t, "fraction")
		parcel := p.Split(fraction)
		if parcel == nil {
			if before > 1 {
				t.Fatalf("nothing of %v nodes", before)
			}
			return
		}
		q.Merge(parcel)
		if p.Amount()+q.Amount() != before || q.Amount() == 0 || p.Amount() == 0 && fraction < 1 {
			t.Fatalf("%v of %v became %v and %v", fraction, before, p.Amount(), q.Amount())
		}
		if got := q.Amount() / before; before > 200 && (got < fraction-0.1 || got > fraction+0.1) {
			t.Fatalf("gave %v of the nodes, want %v", got, fraction)
		}
	})
}

func pools(net *overlay.Overlay, tree *Tree) []overlay.Pool {
	pools := make([]overlay.Pool, net.Peers())
	for i := range pools {
		pools[i] = tree.NewPool()
	}
	pools[net.Holder()].(*Pool).Plant()
	return pools
}

// total adds up the counts of pools. With the protocol Keep, the holder's pool has all counts.
func total(net *overlay.Overlay, pools []overlay.Pool) Counts {
	if net.Options().Protocol == overlay.Keep {
		pools = pools[net.Holder() : net.Holder()+1]
	}
	var sum Counts
	for _, p := range pools {
		sum.Add(p.(*Pool).Counts())
	}
	return sum
}

var protocols = []overlay.Protocol{
	overlay.TR, overlay.TD, overlay.BTD, overlay.RWS, overlay.MW, overlay.AHMW, overlay.Lifeline, overlay.Reach, overlay.Keep,
}

// newNet returns an overlay.
func newNet(t testing.TB, p overlay.Protocol, peers int) *overlay.Overlay {
	t.Helper()
	net, err := overlay.New(overlay.Options{Protocol: p, Peers: peers, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// trees returns the names of the sample trees for tests of protocols.
func trees() []string {
	if *long {
		return []string{"T1", "T2", "T3", "T4", "T5", "T1L", "T2L", "T3L"}
	}
	return []string{"R599"}
}

// The function peers returns the numbers of peers for tests of protocols: few, or many if the flag -long is set.
func peers(t *testing.T, few, many []int) []int {
	t.Helper()
	switch {
	case !*long:
		return few
	case *peerCount == "":
		return many
	}
	var asked []int
	for word := range strings.SplitSeq(*peerCount, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, n)
	}
	return asked
}

// TestLocalCounts checks that 1 to 64 goroutines find exact counts with every protocol.
func TestLocalCounts(t *testing.T) {
	numbers := peers(t, []int{1, 2, 5, 64}, []int{1, 2, 3, 4, 5, 8, 16, 32, 64})
	eachShared(t, numbers, func(net *overlay.Overlay, pools []overlay.Pool) error {
		_, err := local.Run(context.Background(), net, pools, 500)
		return err
	})
}

// The function eachShared calls run with each sample tree, each protocol and each number of peers.
func eachShared(t *testing.T, peers []int, run func(*overlay.Overlay, []overlay.Pool) error) {
	for _, name := range trees() {
		tree, want := sample(t, name)
		for _, protocol := range protocols {
			for _, n := range peers {
				t.Run(fmt.Sprintf("%s/%v/peers=%d", name, protocol, n), func(t *testing.T) {
					net := newNet(t, protocol, n)
					pools := pools(net, tree)
					if err := run(net, pools); err != nil {
						t.Fatal(err)
					}
					if got := total(net, pools); got != want {
						t.Errorf("%+v, want %+v", got, want)
					}
				})
			}
		}
	}
}

// TestSimulatedCounts checks that the simulator finds exact counts with every protocol.
func TestSimulatedCounts(t *testing.T) {
	model := simulate.Model{Step: 1000, Slice: 100, Latency: 20000, Overhead: 1000, Bandwidth: 1e9}
	numbers := peers(t, []int{1, 10, 200}, []int{1, 2, 10, 64, 200, 1000})
	eachShared(t, numbers, func(net *overlay.Overlay, pools []overlay.Pool) error {
		_, err := simulate.Run(context.Background(), model, net, pools)
		return err
	})
}

// TestCheckedCounts checks that peers whose messages are delayed at random find exact counts with every protocol. With
// the protocol Keep this must hold even if a peer crashes.
func TestCheckedCounts(t *testing.T) {
	numbers := peers(t, []int{1, 2, 7, 64}, []int{1, 2, 3, 4, 7, 16, 32, 64})
	seed := uint64(0)
	for _, name := range trees() {
		tree, want := sample(t, name)
		for _, protocol := range protocols {
			for _, n := range numbers {
				seed++
				t.Run(fmt.Sprintf("%s/%v/peers=%d", name, protocol, n), func(t *testing.T) {
					o := check.Options{
						Overlay: overlay.Options{Protocol: protocol, Peers: n, Seed: seed, Degree: 2}, Seed: seed, Slice: 2000,
						Most: 1e9, // ahmw sends tens of millions of messages for T1L
					}
					if protocol == overlay.Keep {
						o.Crash = 200 + int(300*seed%5000)
					}
					net, err := overlay.New(o.Overlay)
					if err != nil {
						t.Fatal(err)
					}
					pools := pools(net, tree)
					if _, err := check.Run(o, pools, func(overlay.Pool) {}); err != nil {
						t.Fatal(err)
					}
					if got := total(net, pools); got != want {
						t.Errorf("%+v, want %+v", got, want)
					}
				})
			}
		}
	}
}

func TestFaultyParams(t *testing.T) {
	for _, p := range []Params{
		{Kind: 9, Depth: 1}, {Branches: -1}, {Branches: 3, Q: 0.6, M: 2}, {Kind: Geometric, Branches: 4}, {Kind: Geometric, Depth: 3, Shape: 9},
		{Kind: Hybrid, Depth: 3, Fraction: 2}, {Q: 2},
	} {
		if _, err := New(p); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	for _, name := range []string{"T1", "T3", "T5"} {
		for kind, kernel := range kernels() {
			b.Run("tree="+name+"/kernel="+kind, func(b *testing.B) {
				tree, want := sample(b, name)
				tree.kernel = kernel
				for b.Loop() {
					if got := tree.Count(); got != want {
						b.Fatalf("%+v, want %+v", got, want)
					}
				}
				b.ReportMetric(float64(b.N)*float64(want.Nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
			})
		}
	}
}
