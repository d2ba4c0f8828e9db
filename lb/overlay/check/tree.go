package check

import "encoding/binary"

// A Tree is a pool of the nodes of a random tree. One step of work visits one node, which takes very little time. It
// implements overlay.Accountable.
type Tree struct {
	// Visited counts the nodes that this pool has visited.
	Visited int64

	shape  Shape
	open   []node // the oldest node first
	result int64  // number of nodes visited since the last call of Result
}

// A Shape determines the tree. The root has Root children. A node above the depth Depth has Branches possible children,
// each with probability Chance.
type Shape struct {
	Seed     uint64
	Root     int
	Branches int
	Chance   float64
	Depth    int
}

type node struct {
	key   uint64
	depth uint32
}

const nodeBytes = 12

// NewTree returns an empty pool.
func NewTree(s Shape) *Tree { return &Tree{shape: s} }

// Plant adds the root.
func (t *Tree) Plant() { t.open = append(t.open, node{mix(t.shape.Seed), 0}) }

// Nodes returns the number of nodes of the tree.
func (s Shape) Nodes() int64 {
	t := NewTree(s)
	t.Plant()
	for !t.Empty() {
		t.Work(1 << 20)
	}
	return t.Visited
}

// mix is the finalizer of SplitMix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Empty reports whether no node is open.
func (t *Tree) Empty() bool { return len(t.open) == 0 }

// Amount returns the number of open nodes.
func (t *Tree) Amount() float64 { return float64(len(t.open)) }

// Split removes a fraction of the open nodes, oldest first, and returns them as a parcel.
func (t *Tree) Split(fraction float64) []byte {
	if fraction >= 1 {
		return t.remove(len(t.open))
	}
	return t.remove(min(max(1, int(fraction*float64(len(t.open)))), len(t.open)-1))
}

// Take removes the oldest nodes and returns them as a parcel. It always leaves one node in the pool.
func (t *Tree) Take(units int) []byte { return t.remove(min(units, len(t.open)-1)) }

func (t *Tree) remove(n int) []byte {
	if n <= 0 {
		return nil
	}
	b := make([]byte, 0, n*nodeBytes)
	for _, v := range t.open[:n] {
		b = binary.LittleEndian.AppendUint64(b, v.key)
		b = binary.LittleEndian.AppendUint32(b, v.depth)
	}
	t.open = append(t.open[:0], t.open[n:]...)
	return b
}

// Merge adds the nodes of a parcel.
func (t *Tree) Merge(parcel []byte) {
	for ; len(parcel) >= nodeBytes; parcel = parcel[nodeBytes:] {
		t.open = append(t.open, node{binary.LittleEndian.Uint64(parcel), binary.LittleEndian.Uint32(parcel[8:])})
	}
}

// Work visits up to steps nodes and returns how many it has visited.
func (t *Tree) Work(steps int) int {
	done := 0
	for ; done < steps && len(t.open) > 0; done++ {
		v := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.expand(v)
	}
	t.Visited += int64(done)
	t.result += int64(done)
	return done
}

func (t *Tree) expand(v node) {
	if v.depth == 0 {
		for i := range t.shape.Root {
			t.open = append(t.open, node{mix(v.key + uint64(i)), 1})
		}
		return
	}
	if int(v.depth) >= t.shape.Depth {
		return
	}
	for i := range t.shape.Branches {
		key := mix(v.key + uint64(i))
		if float64(key>>11)/(1<<53) < t.shape.Chance {
			t.open = append(t.open, node{key, v.depth + 1})
		}
	}
}

// Result returns the number of nodes visited since the last call, as 8 bytes.
func (t *Tree) Result() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(t.result))
	t.result = 0
	return b
}

// Credit adds a result of another pool.
func (t *Tree) Credit(result []byte) { t.result += int64(binary.LittleEndian.Uint64(result)) }
