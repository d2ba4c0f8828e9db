package draco

// A traversal visits the vertices of a surface in the order in which their values are stored.
type traversal struct {
	*surface
	seen       []bool  // for each triangle, whether it was visited
	entry      []int32 // for each vertex, the index of its entry; `none`: not visited yet
	order      []int32 // the corner at which each entry was visited
	stacks     [3][]int32
	degree     []uint8 // for each vertex, how often priority was called for it before it was visited, at most 2
	firstStack int     // all stacks with lower indices are empty
}

// traverse returns two lists. order has one corner for each entry of a surface. entries has the index of the entry of
// each corner. Both lists are nil after an error.
func (d *decoder) traverse(s *surface, byDegree bool) (order, entries []int32) {
	if !d.spendWork(6*int64(d.faces)) || !d.reserveMemory(22*int64(d.faces)+9*int64(s.n)) {
		return nil, nil
	}
	t := traversal{surface: s, seen: make([]bool, d.faces), entry: make([]int32, s.n), order: make([]int32, 0, s.n)}
	for i := range t.entry {
		t.entry[i] = none
	}
	if byDegree {
		t.degree = make([]uint8, s.n)
	}
	for f := range int32(d.faces) {
		if byDegree {
			t.visitByDegree(3 * f)
		} else {
			t.visitDepthFirst(3 * f)
		}
	}
	entries = make([]int32, 3*d.faces)
	for c, v := range s.vertex {
		entries[c] = t.entry[v]
	}
	d.held -= 10*int64(d.faces) + 5*int64(s.n)
	return t.order, entries
}

// visit gives the vertex of corner c the next entry. It returns false if the vertex already has an entry.
func (t *traversal) visit(c int32) bool {
	v := t.vertex[c]
	if t.entry[v] >= 0 {
		return false
	}
	t.entry[v] = int32(len(t.order))
	t.order = append(t.order, c)
	return true
}

// isVisited reports whether the triangle of corner c was visited, or c is `none`.
func (t *traversal) isVisited(c int32) bool { return c < 0 || t.seen[c/3] }

// visitDepthFirst visits all triangles that can be reached from the triangle of corner c.
func (t *traversal) visitDepthFirst(c int32) {
	if t.isVisited(c) {
		return
	}
	t.visit(next(c))
	t.visit(previous(c))
	stack := append(t.stacks[0][:0], c)
	for len(stack) > 0 {
		last := len(stack) - 1
		c := stack[last]
		if t.isVisited(c) {
			stack = stack[:last]
			continue
		}
		for {
			t.seen[c/3] = true
			right := t.across(next(c))
			if t.visit(c) && !t.edge[t.position[c]] && right >= 0 {
				c = right
				continue
			}
			left := t.across(previous(c))
			if t.isVisited(right) {
				if t.isVisited(left) {
					stack = stack[:last]
					break
				}
				c = left
			} else if t.isVisited(left) {
				c = right
			} else {
				stack[last] = left
				stack = append(stack, right)
				break
			}
		}
	}
	t.stacks[0] = stack
}

// visitByDegree is like visitDepthFirst, but prefers triangles whose next vertex borders on several visited triangles.
func (t *traversal) visitByDegree(c int32) {
	if t.isVisited(c) {
		return
	}
	t.visit(next(c))
	t.visit(previous(c))
	t.visit(c)
	t.push(c, 0)
	for c = t.pop(); c >= 0; c = t.pop() {
		for !t.seen[c/3] {
			t.seen[c/3] = true
			t.visit(c)
			right, left := t.across(next(c)), t.across(previous(c))
			rightSeen := t.isVisited(right)
			if !t.isVisited(left) {
				if priority := t.priority(left); rightSeen && priority <= t.firstStack {
					c = left
					continue
				} else {
					t.push(left, priority)
				}
			}
			if !rightSeen {
				if priority := t.priority(right); priority <= t.firstStack {
					c = right
				} else {
					t.push(right, priority)
				}
			}
		}
	}
}

// priority returns the index of the stack for the triangle of corner c. Lower stacks are emptied first. The result is
//
//   - 0 if the vertex of c was visited
//   - 1 if priority was called for the vertex before
//   - 2 otherwise
func (t *traversal) priority(c int32) int {
	v := t.vertex[c]
	if t.entry[v] >= 0 {
		return 0
	}
	if t.degree[v]++; t.degree[v] > 1 {
		t.degree[v] = 2
		return 1
	}
	return 2
}

func (t *traversal) push(c int32, priority int) {
	t.stacks[priority] = append(t.stacks[priority], c)
	t.firstStack = min(t.firstStack, priority)
}

// pop returns the next corner, or `none` if all stacks are empty.
func (t *traversal) pop() int32 {
	for ; t.firstStack < len(t.stacks); t.firstStack++ {
		if s := &t.stacks[t.firstStack]; len(*s) > 0 {
			c := (*s)[len(*s)-1]
			*s = (*s)[:len(*s)-1]
			return c
		}
	}
	return none
}
