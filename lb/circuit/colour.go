package circuit

import (
	"container/heap"
	"slices"
)

// Colour returns a circuit for any graph. It gives the edges at a vertex different colours, and each colour becomes a
// matching. It applies Brelaz's DSATUR rule to the line graph, whose vertices are the edges of g, but does not build
// that graph. The edge whose neighbouring edges have the most different colours comes next. Ties go to the edge with
// more neighbouring edges, then to the smaller index. The edge gets the smallest free colour. The number of colours is
// at least the largest degree d and at most 2d-1.
//
// It takes O(e d log e) time and O(n d) memory. Source: D. Brelaz, "New methods to color the vertices of a graph", CACM
// 1979, as in Demirel and Sbalzarini.
func Colour(g *Graph) Circuit {
	c := newColouring(g)
	for c.queue.Len() > 0 {
		c.paint(heap.Pop(&c.queue).(int32))
	}
	var circuit Circuit
	for i, e := range c.edges {
		for int(c.colour[i]) >= len(circuit.Matchings) {
			circuit.Matchings = append(circuit.Matchings, nil)
		}
		circuit.Matchings[c.colour[i]] = append(circuit.Matchings[c.colour[i]], e)
	}
	return circuit
}

// A colouring is the state of Colour.
type colouring struct {
	edges   []Edge
	edgesAt [][]int32  // edges at each element
	used    [][]uint64 // bit set of the colours at each element
	colour  []int32    // colour of each edge, or -1
	queue   edgeQueue
}

func newColouring(g *Graph) *colouring {
	c := &colouring{edges: g.Edges(), edgesAt: make([][]int32, g.Elements()), used: make([][]uint64, g.Elements())}
	words := (2*g.MaxDegree() + 63) / 64
	for u := range c.edgesAt {
		c.edgesAt[u] = make([]int32, 0, g.Degree(int32(u)))
		c.used[u] = make([]uint64, words)
	}
	n := len(c.edges)
	c.colour = make([]int32, n)
	c.queue = edgeQueue{place: make([]int32, n), saturation: make([]int32, n), degree: make([]int32, n)}
	for i, e := range c.edges {
		c.colour[i] = -1
		c.edgesAt[e.U] = append(c.edgesAt[e.U], int32(i))
		c.edgesAt[e.V] = append(c.edgesAt[e.V], int32(i))
		c.queue.degree[i] = int32(g.Degree(e.U) + g.Degree(e.V) - 2)
		c.queue.place[i] = int32(i)
		c.queue.heap = append(c.queue.heap, int32(i))
	}
	heap.Init(&c.queue)
	return c
}

// paint colours an edge and updates the edges around it.
func (c *colouring) paint(edge int32) {
	e := c.edges[edge]
	k := c.freeColour(e)
	c.colour[edge] = k
	for _, end := range [2]int32{e.U, e.V} {
		c.used[end][k/64] |= 1 << (k % 64)
	}
	for _, end := range [2]int32{e.U, e.V} {
		for _, other := range c.edgesAt[end] {
			if c.colour[other] >= 0 {
				continue
			}
			// The edge `other` now has one more colour among its neighbouring edges, unless an edge at its far end
			// already has colour k.
			far := c.edges[other].U + c.edges[other].V - end
			if c.used[far][k/64]>>(k%64)&1 == 0 {
				c.queue.saturation[other]++
				heap.Fix(&c.queue, int(c.queue.place[other]))
			}
		}
	}
}

func (c *colouring) freeColour(e Edge) int32 {
	for k := int32(0); ; k++ {
		if (c.used[e.U][k/64]|c.used[e.V][k/64])>>(k%64)&1 == 0 {
			return k
		}
	}
}

// An edgeQueue is a heap of the uncoloured edges. The edge to colour next is on top.
type edgeQueue struct {
	heap       []int32
	place      []int32 // position of each edge in heap
	saturation []int32 // number of different colours around each edge
	degree     []int32 // degree of each edge in the line graph
}

func (q *edgeQueue) Len() int { return len(q.heap) }

func (q *edgeQueue) Less(i, j int) bool {
	a, b := q.heap[i], q.heap[j]
	if q.saturation[a] != q.saturation[b] {
		return q.saturation[a] > q.saturation[b]
	}
	if q.degree[a] != q.degree[b] {
		return q.degree[a] > q.degree[b]
	}
	return a < b
}

func (q *edgeQueue) Swap(i, j int) {
	q.heap[i], q.heap[j] = q.heap[j], q.heap[i]
	q.place[q.heap[i]], q.place[q.heap[j]] = int32(i), int32(j)
}

func (q *edgeQueue) Push(x any) { panic("circuit: edges are queued once") }

func (q *edgeQueue) Pop() any {
	last := q.heap[len(q.heap)-1]
	q.heap = slices.Delete(q.heap, len(q.heap)-1, len(q.heap))
	return last
}
