package check

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/overlay"
)

var crashes = flag.Int("crashes", 1000, "seeds of the crash test")

var protocols = []overlay.Protocol{
	overlay.TR, overlay.TD, overlay.BTD, overlay.RWS, overlay.MW, overlay.AHMW, overlay.Lifeline, overlay.Reach, overlay.Keep,
}

func trees(n int, s Shape) []overlay.Pool {
	pools := make([]overlay.Pool, n)
	for i := range pools {
		pools[i] = NewTree(s)
	}
	return pools
}

func plant(p overlay.Pool) { p.(*Tree).Plant() }

func visited(pools []overlay.Pool) int64 {
	n := int64(0)
	for _, p := range pools {
		n += p.(*Tree).Visited
	}
	return n
}

// TestEveryNodeOnce checks that under every protocol every node is visited exactly once and the run ends, whatever
// the order of events.
func TestEveryNodeOnce(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape := Shape{
					Seed: rapid.Uint64().Draw(t, "tree"), Root: rapid.IntRange(0, 60).Draw(t, "root"),
					Branches: rapid.IntRange(1, 4).Draw(t, "branches"), Depth: rapid.IntRange(1, 30).Draw(t, "depth"),
				}
				shape.Chance = rapid.Float64Range(0, 1.05).Draw(t, "chance") / float64(shape.Branches)
				peers := rapid.IntRange(1, 20).Draw(t, "peers")
				pools := trees(peers, shape)
				result, err := Run(Options{
					Overlay: overlay.Options{
						Protocol: protocol, Peers: peers, Degree: rapid.IntRange(1, 5).Draw(t, "degree"),
						Share: overlay.Share(rapid.IntRange(0, 3).Draw(t, "share")), Seed: rapid.Uint64().Draw(t, "seed"),
					},
					Seed:  rapid.Uint64().Draw(t, "order"),
					Slice: rapid.IntRange(1, 50).Draw(t, "slice"),
				}, pools, plant)
				if err != nil {
					t.Fatal(err, result)
				}
				if got, want := visited(pools), shape.Nodes(); got != want {
					t.Fatalf("visited %d nodes of %d", got, want)
				}
			})
		})
	}
}

// TestCrashLosesNothing checks that Keep loses no work if a peer crashes at a random moment, because donors keep
// copies. The holder's result counts every node once.
func TestCrashLosesNothing(t *testing.T) {
	crashed, seeds := 0, []int{3538} // in this run the holder finishes while it works on a parcel that is not needed
	for seed := range *crashes {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		shape := Shape{Seed: uint64(seed), Root: 40, Branches: 3, Chance: 0.3, Depth: 40}
		want := shape.Nodes()
		peers := 2 + seed%9
		pools := trees(peers, shape)
		result, err := Run(Options{
			Overlay: overlay.Options{Protocol: overlay.Keep, Peers: peers, Seed: uint64(seed)},
			Seed:    uint64(seed), Crash: 1 + seed*7%600,
		}, pools, plant)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := int64(binary.LittleEndian.Uint64(pools[0].(*Tree).Result())); got != want {
			t.Fatalf("seed %d: the result counts %d nodes of %d", seed, got, want)
		}
		if result.Crashed >= 0 {
			crashed++
		}
	}
	if crashed < *crashes/2 {
		t.Errorf("only %d of %d runs saw the crash", crashed, *crashes)
	}
}

// TestCrashEnds checks that whichever peer crashes, and at any moment, the run ends under every protocol. If no peer
// reports failure, all work was done.
func TestCrashEnds(t *testing.T) {
	for _, protocol := range protocols {
		failed, whole, holders := 0, 0, 0
		for seed := range *crashes / 4 {
			shape := Shape{Seed: uint64(seed), Root: 40, Branches: 3, Chance: 0.3, Depth: 40}
			peers := 2 + seed%9
			pools := trees(peers, shape)
			o := Options{
				Overlay: overlay.Options{Protocol: protocol, Peers: peers, Degree: 1 + seed%3, Seed: uint64(seed)},
				Seed:    uint64(seed), Crash: 1 + seed*7%600, Anyone: true,
			}
			result, err := Run(o, pools, plant)
			if err != nil {
				t.Fatalf("%v, seed %d: %v", protocol, seed, err)
			}
			if result.Failed {
				failed++
				continue
			}
			if result.Crashed >= 0 {
				whole++
			}
			if result.Crashed == 0 {
				holders++
			}
			got := visited(pools)
			if protocol == overlay.Keep {
				got = int64(binary.LittleEndian.Uint64(pools[0].(*Tree).Result()))
			}
			if want := shape.Nodes(); got != want {
				t.Fatalf("%v, seed %d: nobody failed, and %d nodes of %d are counted", protocol, seed, got, want)
			}
		}
		if failed < *crashes/100 { // out of *crashes/4 runs; Keep fails only if the holder of the first job crashes
			t.Errorf("%v: only %d of %d runs failed", protocol, failed, *crashes/4)
		}
		t.Logf("%v: %d failed, %d did not although a peer crashed, %d of these the first", protocol, failed, whole, holders)
	}
}

// TestDeterministic checks that two runs with the same options are equal.
func TestDeterministic(t *testing.T) {
	shape := Shape{Seed: 5, Root: 50, Branches: 2, Chance: 0.49, Depth: 100}
	for _, protocol := range protocols {
		var first Result
		for i := range 2 {
			result, err := Run(Options{Overlay: overlay.Options{Protocol: protocol, Peers: 13, Seed: 3}, Seed: 8}, trees(13, shape), plant)
			if err != nil {
				t.Fatal(protocol, err)
			}
			if i == 0 {
				first = result
			} else if result != first {
				t.Errorf("%v: %+v, then %+v", protocol, first, result)
			}
		}
	}
}

func ExampleRun() {
	shape := Shape{Seed: 1, Root: 10, Branches: 3, Chance: 0.3, Depth: 20}
	pools := trees(8, shape)
	_, err := Run(Options{Overlay: overlay.Options{Protocol: overlay.BTD, Peers: 8}}, pools, plant)
	fmt.Println(visited(pools) == shape.Nodes(), err)
	// Output: true <nil>
}
