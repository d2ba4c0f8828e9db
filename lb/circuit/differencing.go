package circuit

import "math"

// Differencing is the two-way largest differencing method. The two heaviest loads go to different elements and are
// replaced by their difference, until one difference is left. All pinned loads together count as one load, whose value
// is the difference between the pinned sums of the two elements. If the pinned sums are equal there are two plans with
// the same discrepancy, and the one with fewer moves is taken. The cost is O(n log n). Source: N. Karmarkar and R. M.
// Karp, "The differencing method of set partitioning", 1982.
type Differencing struct{}

// A node is an entry of the heap: a set of loads that are already divided in two sides. value is the difference of the
// sides. id is the load into which the node's other loads were merged.
type node struct {
	value float64
	id    int32
}

func (a node) above(b node) bool {
	return a.value > b.value || a.value == b.value && a.id < b.id
}

// Balance implements [Method].
func (Differencing) Balance(p Pair, ws *Workspace) {
	p.check()
	if len(p.Load) == 0 {
		return
	}
	ws = orNew(ws)
	n := len(p.Load) // load number n represents the pinned loads
	ws.heap = grown(ws.heap, n+1)
	ws.parent = grown(ws.parent, n+1)
	for i, w := range p.Load {
		ws.heap[i] = node{w, int32(i)}
	}
	ws.heap[n] = node{math.Abs(p.Fixed[0] - p.Fixed[1]), int32(n)}
	root, order := mergeLargest(ws.heap, ws.parent, ws.identity(n + 1)[:0])

	// Each load goes to the side opposite its parent's. Parents were merged later, so a backward pass places them
	// first.
	ws.marks = grown(ws.marks, n+1)
	ws.marks[root] = false
	for i := len(order) - 1; i >= 0; i-- {
		ws.marks[order[i]] = !ws.marks[ws.parent[order[i]]]
	}
	mirrored := mustMirror(p, ws.marks)
	for i := range p.Load {
		p.Side[i] = 0
		if ws.marks[i] != mirrored {
			p.Side[i] = 1
		}
	}
}

// mergeLargest merges the two largest values of the heap until one value is left. root is the load of this value.
// merged holds all other loads in the order in which they were merged.
func mergeLargest(heap []node, parent []int32, order []int32) (root int32, merged []int32) {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	for len(heap) > 1 {
		first := heap[0]
		last := len(heap) - 1
		heap[0] = heap[last]
		heap = heap[:last]
		siftDown(heap, 0)
		second := heap[0]
		parent[second.id] = first.id
		order = append(order, second.id)
		heap[0] = node{first.value - second.value, first.id}
		siftDown(heap, 0)
	}
	return heap[0].id, order
}

func siftDown(heap []node, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].above(heap[child]) {
			child++
		}
		if !heap[child].above(heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// mustMirror reports whether the two sides of the plan in marks must be exchanged. If the pinned sums differ, the
// pinned loads must stay on their sides. If the sums are equal, the orientation with fewer moves is taken.
func mustMirror(p Pair, marks []bool) bool {
	pinned := marks[len(p.Load)]
	if p.Fixed[0] != p.Fixed[1] {
		return pinned != (p.Fixed[1] > p.Fixed[0])
	}
	moves := 0
	for i := range p.Load {
		if marks[i] != (p.Side[i] == 1) {
			moves++
		}
	}
	return 2*moves > len(p.Load)
}
