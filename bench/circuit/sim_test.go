package circuit

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
)

func networkOf(t *testing.T, s simSetup) *circuit.Network {
	t.Helper()
	g, c, err := circuit.Grid(s.topology, s.width, s.height, s.graphSeed)
	if err != nil {
		t.Fatal(err)
	}
	blocks := circuit.BlocksFor(s.width, s.height, s.loads)
	n := &circuit.Network{Graph: g, Circuit: c, InArrivalOrder: s.arrival}
	for i := range blocks.Loads() {
		n.Load = append(n.Load, float64(fieldLoad(s.field, blocks, i, s.seed)))
		n.Owner = append(n.Owner, int32(i/s.loads))
	}
	n.Mobility.Graph = g
	if s.keepGraph {
		if n.Mobility.Stencil, err = blocks.Stencil(s.topology, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSimulatorMatchesItsSpecification(t *testing.T) {
	for _, topology := range []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour, circuit.KNeighbour} {
		for _, loads := range []int{10, 30} {
			for _, keep := range []bool{false, true} {
				for name, m := range map[string]circuit.Method{"sorted": circuit.SortedGreedy{}, "gradient": circuit.Gradient{}, "greedy": circuit.Greedy{}, "exchange": circuit.Exchange{MaxLoads: 2, Tolerance: 0.1}} {
					s := simSetup{topology: topology, width: 19, height: 17, loads: loads, field: linearFlow, mobility: 1, keepGraph: keep, seed: 3, workers: 3, arrival: name == "greedy"}
					t.Run(fmt.Sprintf("%v/%d/%v/%s", topology, loads, keep, name), func(t *testing.T) { compare(t, s, m) })
				}
			}
		}
	}
}

func compare(t *testing.T, s simSetup, m circuit.Method) {
	want := networkOf(t, s)
	graph, err := newSimGraph(s)
	if err != nil {
		t.Fatal(err)
	}
	got := newCircuitSim(graph, s)
	for round := range 3 {
		a := want.Round(m, nil)
		b, err := got.round(context.Background(), methodMatcher{m})
		if err != nil || int64(a) != b {
			t.Fatalf("round %d: %d moves, specification %d, error %v", round, b, a, err)
		}
		for i, owner := range got.owners() {
			if want.Owner[i] != owner {
				t.Fatalf("round %d: load %d on %d, specification %d", round, i, owner, want.Owner[i])
			}
		}
		if err := want.Mobility.Kept(want.Owner); err != nil {
			t.Fatal(err)
		}
	}
}

// One simulation on several workers comes to the same owners as on one; waves
// here have several tiles.
func TestSimulatorOnSeveralWorkers(t *testing.T) {
	for _, topology := range []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour} {
		s := simSetup{topology: topology, width: 160, height: 128, loads: 10, field: shockWave, mobility: 0.9, keepGraph: true, seed: 3}
		g, err := newSimGraph(s)
		if err != nil {
			t.Fatal(err)
		}
		widest := 0
		for i := range len(g.tiling.waves) - 1 {
			n, _ := g.tiling.wave(i)
			widest = max(widest, n)
		}
		if widest < 3 {
			t.Fatalf("waves of at most %d tiles leave workers idle", widest)
		}
		for _, name := range []string{"sorted-greedy", "greedy", "ours"} {
			chosen, err := chooseCircuitAlgorithms([]string{name})
			if err != nil {
				t.Fatal(err)
			}
			var owners [2][]int32
			for i, workers := range []int{1, 4} {
				s.workers = workers
				sim := newCircuitSim(g, withStorage(s, chosen[0]))
				if _, err := runRounds(context.Background(), report.Output{}, sim, chosen[0], 2); err != nil {
					t.Fatal(err)
				}
				owners[i] = sim.owners()
			}
			if !slices.Equal(owners[0], owners[1]) {
				t.Errorf("%v, %s: four workers come to other owners than one", topology, name)
			}
		}
	}
}

// The parallel scalar exchanges of Focus come to what Prepare does.
func TestSimulatedFocusMatchesItsSpecification(t *testing.T) {
	s := simSetup{topology: circuit.KNeighbour, width: 19, height: 17, loads: 12, field: linearFlow, mobility: 1, keepGraph: true, seed: 3, workers: 2}
	g, err := newSimGraph(s)
	if err != nil {
		t.Fatal(err)
	}
	want, got := networkOf(t, s), newCircuitSim(g, s)
	focus, start, ws := circuit.NewFocus(19*17, 0), focusRounds(), new(circuit.Workspace)
	for round := 1; round <= 4; round++ {
		focus.Prepare(want.Circuit, round, want.Totals())
		a := want.RoundOf(func(_ int, e circuit.Edge, p circuit.Pair) { focus.Balance(e, p, ws) })
		m, err := start(got, round)
		if err != nil {
			t.Fatal(err)
		}
		b, err := got.round(context.Background(), m)
		if err != nil || int64(a) != b || !slices.Equal(want.Owner, got.owners()) {
			t.Fatalf("round %d: %d moves, specification %d, error %v", round, b, a, err)
		}
	}
}

// BenchmarkCircuitRound is one round on a million elements with 30 loads each.
func BenchmarkCircuitRound(b *testing.B) {
	for _, topology := range []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour, circuit.KNeighbour} {
		s := simSetup{topology: topology, width: 1024, height: 1024, loads: 30, field: shockWave, mobility: 1, keepGraph: true, seed: 1, workers: runtime.GOMAXPROCS(0)}
		g, err := newSimGraph(s)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range circuitAlgorithms() {
			if a.extra {
				continue
			}
			b.Run(fmt.Sprintf("topology=%v/algorithm=%s", topology, a.name), func(b *testing.B) {
				sim, start, round := newCircuitSim(g, withStorage(s, a)), a.network(), 0
				before := sim.discrepancy()
				for b.Loop() {
					round++
					m, err := start(sim, round)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := sim.round(context.Background(), m); err != nil {
						b.Fatal(err)
					}
				}
				if a.name != "hybrid" && sim.discrepancy() >= before {
					b.Fatalf("discrepancy %v became %v", before, sim.discrepancy())
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(round), "s/round")
			})
		}
	}
}
