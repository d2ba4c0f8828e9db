package shadow

import (
	"fmt"

	"lockstep/lb/circuit"
)

// ways are the shortest ways of a load within one round, between all pairs of elements:
// it goes over edges in the order in which the round visits them.
type ways struct {
	elements int
	length   []int32 // hops from u to v at u*elements+v, noWay or more if there is no way
	last     []int32 // leg that ends the way, -1 where there is none
	legs     []leg
	from     [][]int32 // elements to which a load from u can come, u too, ascending
	into     [][]int32 // elements from which a load can come to u, u too, ascending
}

// A leg is the last edge of a way, and the leg before it or -1.
type leg struct{ edge, before int32 }

// noWay is the length of no way, above all lengths of ways.
const noWay = 1 << 20

const (
	// Elements that a Shadow takes: the ways between all pairs fill 8 bytes a pair.
	mostElements = 1 << 13
	// Pairs between which a load can move within a round. Every search looks at those of an
	// element: a round of 1,024 elements with 30 loads that are all joined takes minutes, one
	// of 4,096 in a path, a torus or a cubic graph seconds.
	mostPairs = 1 << 20
)

func newWays(elements int, edges []circuit.Edge) (*ways, error) {
	pairs := 0
	w := &ways{elements: elements, length: make([]int32, elements*elements), last: make([]int32, elements*elements),
		from: make([][]int32, elements), into: make([][]int32, elements)}
	for u := range elements {
		length, last := w.length[u*elements:(u+1)*elements], w.last[u*elements:(u+1)*elements]
		for v := range length {
			length[v], last[v] = noWay, -1
		}
		length[u] = 0
		for at, e := range edges {
			x, y := e.U, e.V
			if length[x] > length[y] {
				x, y = y, x
			}
			if length[x]+1 < length[y] {
				w.legs = append(w.legs, leg{int32(at), last[x]})
				length[y], last[y] = length[x]+1, int32(len(w.legs)-1)
			}
		}
		for v, l := range length {
			if l < noWay {
				pairs++
				w.from[u], w.into[v] = append(w.from[u], int32(v)), append(w.into[v], int32(u))
			}
		}
		if pairs > mostPairs {
			return nil, fmt.Errorf("shadow: loads can move between more than %d pairs of elements within a round", mostPairs)
		}
	}
	return w, nil
}

func (w *ways) hops(u, v int32) int32 { return w.length[int(u)*w.elements+int(v)] }

// way returns the edges from u to v, by their place in the round.
func (w *ways) way(u, v int32) (edges []int32) {
	for k := w.last[int(u)*w.elements+int(v)]; k >= 0; k = w.legs[k].before {
		edges = append(edges, w.legs[k].edge)
	}
	for i, j := 0, len(edges)-1; i < j; i, j = i+1, j-1 {
		edges[i], edges[j] = edges[j], edges[i]
	}
	return edges
}
