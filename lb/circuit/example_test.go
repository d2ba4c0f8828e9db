package circuit_test

import (
	"fmt"

	"lockstep/lb/circuit"
)

// Eight elements form a ring. Each starts with some loads, which differ by a factor of a thousand. Each round visits
// every edge once, and only the two elements of an edge exchange loads.
func Example() {
	var edges []circuit.Edge
	for u := range int32(8) {
		edges = append(edges, circuit.Edge{U: min(u, (u+1)%8), V: max(u, (u+1)%8)})
	}
	graph, err := circuit.NewGraph(8, edges)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := &circuit.Network{Graph: graph, Circuit: circuit.Colour(graph), Mobility: circuit.Mobility{Graph: graph}}
	for i := range 200 {
		n.Load = append(n.Load, float64(1+i*i*i%997))
		n.Owner = append(n.Owner, int32(i/50)) // all loads start on four elements
	}
	if err := n.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d matchings, discrepancy %.0f\n", len(n.Circuit.Matchings), circuit.Discrepancy(n.Totals()))
	ws := &circuit.Workspace{}
	for round := range 6 {
		moves := n.Round(circuit.SortedGreedy{}, ws)
		fmt.Printf("round %d: %d moves, discrepancy %.0f\n", round+1, moves, circuit.Discrepancy(n.Totals()))
	}
	// Output:
	// 2 matchings, discrepancy 25185
	// round 1: 204 moves, discrepancy 23133
	// round 2: 203 moves, discrepancy 11571
	// round 3: 195 moves, discrepancy 5794
	// round 4: 184 moves, discrepancy 2901
	// round 5: 174 moves, discrepancy 1455
	// round 6: 187 moves, discrepancy 726
}

// In a single matching, two elements divide seven loads. The methods differ in how even the pair becomes, and in how
// many loads move.
func ExampleMethod() {
	for _, m := range []struct {
		name string
		circuit.Method
	}{
		{"greedy", circuit.Greedy{}}, {"sorted greedy", circuit.SortedGreedy{}}, {"gradient", circuit.Gradient{}},
		{"differencing", circuit.Differencing{}}, {"exchange", circuit.Exchange{}},
	} {
		before := []uint8{0, 0, 0, 0, 0, 1, 1}
		p := circuit.Pair{Load: []float64{9, 7, 6, 5, 4, 3, 2}, Side: append([]uint8(nil), before...)}
		m.Balance(p, nil)
		moves := 0
		for i, side := range p.Side {
			if side != before[i] {
				moves++
			}
		}
		fmt.Printf("%s: totals %v, %d moves\n", m.name, p.Totals(), moves)
	}
	// Output:
	// greedy: totals [19 17], 5 moves
	// sorted greedy: totals [19 17], 5 moves
	// gradient: totals [15 21], 2 moves
	// differencing: totals [18 18], 2 moves
	// exchange: totals [18 18], 2 moves
}
