package shadow

import (
	"fmt"

	"lockstep/lb/circuit"
)

// A paths holds the shortest path of a load between every two elements within one round. A path uses edges in the order
// in which the round visits them.
type paths struct {
	elements int
	length   []int32 // number of hops from u to v, at u*elements+v; noPath or more if there is no path
	last     []int32 // index in legs of the last leg of each path, at u*elements+v; -1 if there is none
	legs     []leg
	// reachableFrom holds, for each element, the elements to which a load from it can come. These include itself and
	// are in ascending order.
	reachableFrom [][]int32
	// reaching holds, for each element, the elements from which a load can come to it. These include itself and are in
	// ascending order.
	reaching [][]int32
}

// A leg is an edge of a path. before is the index in legs of the leg before it, or -1.
type leg struct{ edge, before int32 }

// noPath is the length of a path that does not exist. It is longer than every path.
const noPath = 1 << 20

const (
	// mostElements is the largest number of elements of a Shadow. The paths take 8 bytes for each pair of elements.
	mostElements = 1 << 13
	// mostPairs limits the pairs of elements between which a load can move within a round, because every search looks
	// at all pairs of one element. With 1,024 elements that are all joined and have 30 loads each, a round takes
	// minutes. With 4,096 elements in a path, a torus or a cubic graph it takes seconds.
	mostPairs = 1 << 20
)

func newPaths(elements int, edges []circuit.Edge) (*paths, error) {
	pairs := 0
	w := &paths{elements: elements, length: make([]int32, elements*elements), last: make([]int32, elements*elements),
		reachableFrom: make([][]int32, elements), reaching: make([][]int32, elements)}
	for u := range elements {
		length, last := w.length[u*elements:(u+1)*elements], w.last[u*elements:(u+1)*elements]
		for v := range length {
			length[v], last[v] = noPath, -1
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
			if l < noPath {
				pairs++
				w.reachableFrom[u], w.reaching[v] = append(w.reachableFrom[u], int32(v)), append(w.reaching[v], int32(u))
			}
		}
		if pairs > mostPairs {
			return nil, fmt.Errorf("shadow: loads can move between more than %d pairs of elements within a round", mostPairs)
		}
	}
	return w, nil
}

func (w *paths) hops(u, v int32) int32 { return w.length[int(u)*w.elements+int(v)] }

// path returns the edges of the path from u to v, by their indices in the round.
func (w *paths) path(u, v int32) (edges []int32) {
	for k := w.last[int(u)*w.elements+int(v)]; k >= 0; k = w.legs[k].before {
		edges = append(edges, w.legs[k].edge)
	}
	for i, j := 0, len(edges)-1; i < j; i, j = i+1, j-1 {
		edges[i], edges[j] = edges[j], edges[i]
	}
	return edges
}
