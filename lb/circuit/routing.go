package circuit

import "math"

// A routing seeks the flow of least sum over a network's edges: successive shortest
// paths on the graph with a sink, to which every element passes what it keeps. All
// paths of one shortest-path forest are used before the next is sought, which is right as
// their arcs have reduced cost 0. Source: R. K. Ahuja, T. L. Magnanti and J. B. Orlin,
// "Network Flows", 1993, Section 9.7.
type routing struct {
	n    int // elements; the sink is number n
	arcs []routeArc
	out  [][]int32 // arcs from each element and from the sink; arc a^1 is a's reverse
	room []float64 // left on each arc
}

type routeArc struct {
	to   int32
	cost int32
}

// newRouting returns the network of the edges: arcs 4i and 4i+2 lead along edge i and
// back, and those of the elements to the sink follow.
func newRouting(elements int, edges []Edge) *routing {
	r := &routing{n: elements, out: make([][]int32, elements+1)}
	for _, e := range edges {
		r.add(e.U, e.V, 1)
		r.add(e.V, e.U, 1)
	}
	for u := range int32(elements) {
		r.add(u, int32(elements), 0)
	}
	r.room = make([]float64, len(r.arcs))
	return r
}

func (r *routing) add(u, v, cost int32) {
	at := int32(len(r.arcs))
	r.arcs = append(r.arcs, routeArc{v, cost}, routeArc{u, -cost})
	r.out[u], r.out[v] = append(r.out[u], at), append(r.out[v], at+1)
}

// least returns what flows from U to V over every edge so that all totals come between
// low and high, with the least sum of amounts. Where that cannot be, as the sum of the
// totals is beyond the sum of the limits or the graph falls into parts, it comes as near
// as it can.
func (r *routing) least(totals, low, high []float64) []float64 {
	edges := (len(r.arcs) - 2*r.n) / 4
	for a := range r.room {
		r.room[a] = 0
		if a < 4*edges && a%2 == 0 {
			r.room[a] = math.Inf(1)
		}
	}
	supply, sum := make([]float64, r.n+1), 0.0
	for u, t := range totals {
		supply[u] = t - low[u]
		supply[r.n] -= supply[u]
		r.room[4*edges+2*u] = high[u] - low[u]
		sum += math.Abs(t)
	}
	nothing := sum * 1e-12 // differences below are rounding
	for r.push(supply, nothing) {
	}
	flow := make([]float64, edges)
	for i := range flow {
		flow[i] = r.room[4*i+1] - r.room[4*i+3]
		if math.Abs(flow[i]) <= nothing {
			flow[i] = 0
		}
	}
	return flow
}

// push finds the shortest ways from supplies to demands, uses them, and tells whether
// there were any.
func (r *routing) push(supply []float64, nothing float64) (pushed bool) {
	length, from := r.shortest(supply, nothing)
	for v, demand := range supply {
		if demand >= -nothing || length[v] == math.MaxInt32 {
			continue
		}
		amount, u := -demand, int32(v)
		for ; from[u] >= 0; u = r.arcs[from[u]^1].to {
			amount = min(amount, r.room[from[u]])
		}
		if amount = min(amount, supply[u]); amount <= nothing {
			continue
		}
		pushed = true
		supply[u] -= amount
		supply[v] += amount
		for u := int32(v); from[u] >= 0; u = r.arcs[from[u]^1].to {
			r.room[from[u]] -= amount
			r.room[from[u]^1] += amount
		}
	}
	return pushed
}

// shortest returns how far every element is from the nearest supply, and the arc on which
// it is reached, -1 for a supply: Bellman and Ford's algorithm with a queue, as
// arcs back have negative costs.
func (r *routing) shortest(supply []float64, nothing float64) (length, from []int32) {
	length, from = make([]int32, r.n+1), make([]int32, r.n+1)
	waits := make([]bool, r.n+1)
	var queue []int32
	for u, s := range supply {
		length[u], from[u] = math.MaxInt32, -1
		if s > nothing {
			length[u], waits[u] = 0, true
			queue = append(queue, int32(u))
		}
	}
	for len(queue) > 0 {
		u := queue[0]
		queue, waits[u] = queue[1:], false
		for _, a := range r.out[u] {
			x := r.arcs[a]
			if r.room[a] <= nothing || length[u]+x.cost >= length[x.to] {
				continue
			}
			length[x.to], from[x.to] = length[u]+x.cost, a
			if !waits[x.to] {
				waits[x.to] = true
				queue = append(queue, x.to)
			}
		}
	}
	return length, from
}
