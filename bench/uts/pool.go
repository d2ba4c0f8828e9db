package uts

import (
	"encoding/binary"
	"slices"
)

// Counts holds the numbers of nodes and leaves of a tree, or of a part of it.
type Counts struct {
	Nodes, Leaves int64
	Depth         int64 // depth of the deepest node; that of the root is 0
}

// Add adds the counts of another part of the tree.
func (c *Counts) Add(o Counts) {
	c.Nodes += o.Nodes
	c.Leaves += o.Leaves
	c.Depth = max(c.Depth, o.Depth)
}

// A parent is a node with unvisited children. The unvisited children have the numbers low to high-1. state is the
// node's SHA-1 hash. The assembly depends on this layout.
type parent struct {
	state     [5]uint32
	depth     uint32
	low, high uint32
}

const parentBytes = 8 * 4

// A Pool is a set of unvisited nodes of a tree. It implements overlay.Pool and overlay.Accountable. A step of work
// visits a node. The amount of work is the number of nodes in the pool, without their descendants.
type Pool struct {
	tree    *Tree
	stack   []parent // parents of the nodes, oldest first
	pending int      // number of unvisited nodes
	counts  Counts
}

// NewPool returns an empty pool.
func (t *Tree) NewPool() *Pool { return &Pool{tree: t} }

// Plant visits the root and adds its children to the pool.
func (p *Pool) Plant() { p.addVisited(p.tree.rootState(), 0) }

// addVisited counts a node. If it has children, addVisited puts it on the stack.
func (p *Pool) addVisited(state [5]uint32, depth uint32) {
	p.counts.Add(Counts{Nodes: 1, Depth: int64(depth)})
	n := p.tree.children(p.tree.tableIndex(depth), depth, state[4]&lastRandom)
	if n == 0 {
		p.counts.Leaves++
		return
	}
	p.stack = append(p.stack, parent{state: state, depth: depth, high: uint32(n)})
	p.pending += n
}

// Counts returns the counts since the last call of Result.
func (p *Pool) Counts() Counts { return p.counts }

// Empty implements overlay.Pool.
func (p *Pool) Empty() bool { return p.pending == 0 }

// Amount implements overlay.Pool.
func (p *Pool) Amount() float64 { return float64(p.pending) }

// Work implements overlay.Pool.
func (p *Pool) Work(steps int) int {
	b := p.tree.scratch.Get().(*batch)
	defer p.tree.scratch.Put(b)
	done := 0
	for done < steps && p.pending > 0 {
		done += p.visitBatch(b, min(steps-done, batchSize))
	}
	p.counts.Nodes += int64(done)
	return done
}

// visitBatch visits children of the newest parents, and returns how many it visited. The argument `most` limits this
// number. It removes parents without unvisited children from the stack, and adds the visited nodes that have children.
func (p *Pool) visitBatch(b *batch, most int) int {
	n, top, deepest := uint32(0), len(p.stack), uint32(0)
	b.runs = b.runs[:0]
	for n < uint32(most) && top > 0 {
		v := &p.stack[top-1]
		deepest = max(deepest, v.depth+1)
		count := b.add(top-1, v, n, uint32(most)-n, p.tree.tableIndex(v.depth+1))
		n += count
		v.low += count
		if v.low == v.high {
			top--
		}
	}
	p.counts.Depth = max(p.counts.Depth, int64(deepest))
	p.stack = slices.Grow(p.stack, int(n)+overrun)
	found, children := p.tree.kernel(p.tree, b, p.stack[:cap(p.stack)], top, int(n))
	p.stack = p.stack[:top+found]
	p.pending += children - int(n)
	p.counts.Leaves += int64(int(n) - found)
	return int(n)
}

// Split implements overlay.Pool. In a binomial tree all nodes of the pool have the same expected work, so the oldest
// nodes are given away. In other trees older nodes have more work. So from every parent the given fraction of its
// children is given away.
func (p *Pool) Split(fraction float64) []byte {
	if fraction >= 1 {
		return p.takeOldest(p.pending)
	}
	want := max(1, int(fraction*float64(p.pending)))
	if p.pending < 2 {
		return nil
	}
	if p.tree.params.Kind == Binomial {
		return p.takeOldest(want)
	}
	return p.takeFromAll(fraction)
}

// Take implements overlay.Pool.
func (p *Pool) Take(units int) []byte {
	if p.pending < 2 {
		return nil
	}
	return p.takeOldest(min(units, p.pending-1))
}

// takeOldest removes n children of the oldest parents and returns them as a parcel.
func (p *Pool) takeOldest(n int) []byte {
	p.pending -= n
	var parcel []byte
	for n > 0 {
		first := &p.stack[0]
		if here := int(first.high - first.low); here > n {
			parcel = first.splitOff(parcel, n)
			break
		} else {
			n -= here
			parcel = first.splitOff(parcel, here)
			p.stack = p.stack[1:]
		}
	}
	return parcel
}

// takeFromAll removes a fraction of the children of all parents in the stack. It returns them as a parcel.
func (p *Pool) takeFromAll(fraction float64) []byte {
	var parcel []byte
	due, kept, before := 0.0, p.stack[:0], p.pending
	for _, v := range p.stack {
		here := int(v.high - v.low)
		due += fraction * float64(here)
		n := min(here, int(due))
		if n > 0 {
			parcel = v.splitOff(parcel, n)
			due -= float64(n)
			p.pending -= n
		}
		if v.low < v.high {
			kept = append(kept, v)
		}
	}
	p.stack = kept
	if p.pending == before {
		return p.takeOldest(1)
	}
	return parcel
}

// splitOff moves the last n unvisited children of v to a parcel, and returns it.
func (v *parent) splitOff(parcel []byte, n int) []byte {
	given := *v
	given.low = v.high - uint32(n)
	v.high = given.low
	for _, w := range given.state {
		parcel = binary.LittleEndian.AppendUint32(parcel, w)
	}
	parcel = binary.LittleEndian.AppendUint32(parcel, given.depth)
	parcel = binary.LittleEndian.AppendUint32(parcel, given.low)
	return binary.LittleEndian.AppendUint32(parcel, given.high)
}

// Merge implements overlay.Pool.
func (p *Pool) Merge(parcel []byte) {
	for ; len(parcel) >= parentBytes; parcel = parcel[parentBytes:] {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(parcel[4*i:]) }
		v := parent{state: [5]uint32{word(0), word(1), word(2), word(3), word(4)}, depth: word(5), low: word(6), high: word(7)}
		p.stack = append(p.stack, v)
		p.pending += int(v.high - v.low)
	}
}

// Result implements overlay.Accountable.
func (p *Pool) Result() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(p.counts.Nodes))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.counts.Leaves))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.counts.Depth))
	p.counts = Counts{}
	return b
}

// Credit implements overlay.Accountable.
func (p *Pool) Credit(result []byte) {
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(result[8*i:])) }
	p.counts.Add(Counts{word(0), word(1), word(2)})
}

// Count visits a whole tree and returns its counts.
func (t *Tree) Count() Counts {
	p := t.NewPool()
	p.Plant()
	for p.pending > 0 {
		p.Work(1 << 16)
	}
	return p.counts
}
