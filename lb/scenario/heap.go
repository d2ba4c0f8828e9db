package scenario

// A node holds the iteration that a path has reached, and the values that order paths in the queue.
type node struct {
	at      int     // the next iteration
	cost    float64 // cost so far
	bound   float64 // lower bound of the cost of the whole run
	dropped bool    // the search has found n better paths that balance before the same iteration
}

// A heap is a binary heap of paths. The path with the least bound is on top. At equal bounds, the path that has reached
// a later iteration comes first, and then the path whose last balancing is earliest. The type does not use
// container/heap: expanding a node replaces the top, for which container/heap makes three interface calls per level.
type heap struct{ p []*path }

func (h *heap) Len() int   { return len(h.p) }
func (h *heap) top() *path { return h.p[0] }

func less(a, b *path) bool {
	if a.bound != b.bound {
		return a.bound < b.bound
	}
	if a.at != b.at {
		return a.at > b.at
	}
	return a.start < b.start
}

func (h *heap) push(x *path) {
	h.p = append(h.p, x)
	i := len(h.p) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !less(x, h.p[up]) {
			break
		}
		h.p[i] = h.p[up]
		i = up
	}
	h.p[i] = x
}

// pop removes the top.
func (h *heap) pop() {
	last := len(h.p) - 1
	h.p[0] = h.p[last]
	h.p[last] = nil
	h.p = h.p[:last]
	if last > 0 {
		h.fix()
	}
}

// fix restores the order after the top has changed.
func (h *heap) fix() {
	x := h.p[0]
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h.p) {
			break
		}
		if r := down + 1; r < len(h.p) && less(h.p[r], h.p[down]) {
			down = r
		}
		if !less(h.p[down], x) {
			break
		}
		h.p[i] = h.p[down]
		i = down
	}
	h.p[i] = x
}
