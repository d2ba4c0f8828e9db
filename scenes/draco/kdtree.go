package draco

import (
	"encoding/binary"
	"math/bits"
)

// A kdTree decodes points that are stored as a kd-tree. A point is a row of integers. The integers belong to all
// attributes of a group. A node of the tree is a box of points.
//
// A box is halved along one axis, and the file states how many points are in the lower half. Halving fixes one more
// bit of the points' integers for that axis. If a box has only one or two points, the remaining bits of these points
// are stored as they are.
type kdTree struct {
	*decoder
	*group
	level uint32 // level of compression, which determines how numbers are coded
	width int    // number of integers of a point
	bits  uint32
	done  int // number of points that were delivered
	paid  int // number of nodes for which spendWork was called

	numbers   func(n uint) uint32 // reads half the number of points of a box, minus the number in its smaller half
	remaining wordBits            // remaining bits of points in boxes of one or two points
	axes      wordBits
	halves    wordBits // flags that tell which half of a box has more points

	rows  []uint32 // for each undecoded box: its lowest corner, then the number of fixed bits of each integer
	nodes []kdNode // boxes whose points are not decoded yet
	point []uint32
}

// A kdNode is a box whose points are not decoded yet.
type kdNode struct {
	points, axis uint32 // number of points, and the axis along which the parent was halved
	row          int    // number of the row of the box in kdTree.rows
}

const nodeBytes = 16 // bytes of a kdNode

// Least levels of compression at which a feature of the format is used.
const (
	codedNumbers  = 2 // counts of points are compressed as flags
	foldedNumbers = 4 // each bit position of a count has its own probabilities
	chosenAxes    = 6 // the file tells along which axis a large box is halved
	maxLevel      = 6
)

// From level chosenAxes on, the file stores the axis of each box that has at least chosenPoints points. An axis has
// axisBits bits.
const (
	chosenPoints = 64
	axisBits     = 4
)

// nodesPerCheck is the number of nodes whose work is counted by one call of spendWork.
const nodesPerCheck = 256

// readTree reads the integers of all attributes of a group.
func (d *decoder) readTree(g *group, level uint32) {
	k := &kdTree{decoder: d, group: g, level: level}
	for _, v := range g.values {
		k.width += v.width
	}
	k.prepare()
	for len(k.nodes) > 0 {
		if k.paid == 0 {
			k.paid = nodesPerCheck
			d.spendWork(nodesPerCheck * 2 * int64(k.width))
		}
		if d.err != nil {
			return
		}
		k.paid--
		node := k.nodes[len(k.nodes)-1]
		k.nodes = k.nodes[:len(k.nodes)-1]
		k.decodeNode(node)
		if k.remaining.short || k.axes.short || k.halves.short {
			d.fail("the bits of point %d of %d are not there", k.done, g.n)
		}
	}
}

// prepare reads the data before the tree, allocates memory, and adds the box that contains all points.
func (k *kdTree) prepare() {
	if k.err == nil && k.level > maxLevel {
		k.fail("points in a kd-tree of the level %d", k.level)
	}
	k.bits = k.u32()
	n := k.u32()
	switch {
	case k.err != nil:
		return
	case k.bits > 32:
		k.fail("points of %d bits in a kd-tree", k.bits)
		return
	case int64(n) != int64(k.n):
		k.fail("%d points in a kd-tree, of %d", n, k.n)
		return
	}
	all := int64(n) * int64(k.width)
	if all > maxPoints {
		k.fail("%d numbers of %d points", all, n)
		return
	}
	nodes := k.maxNodes()
	if !k.reserveMemory(4*all+4*int64(k.width)+nodeBytes*int64(nodes)) || !k.spendWork(2*all) {
		return
	}
	for _, v := range k.values {
		v.ints = make([]int32, k.n*v.width)
	}
	if n == 0 {
		return
	}
	k.prepareNumbers()
	for _, b := range []*wordBits{&k.remaining, &k.axes, &k.halves} {
		*b = k.readWordBits()
	}
	k.point = make([]uint32, k.width)
	k.growRows(1)
	k.nodes = append(make([]kdNode, 0, nodes), kdNode{points: n})
}

// maxNodes returns the largest length that k.nodes can reach. No point is in two boxes of the list, so there is at
// most one box per point. Each halving that led to the box decoded last has fixed one bit and left at most one box in
// the list. So there is at most one box for each fixed bit, plus one.
func (k *kdTree) maxNodes() int { return min(k.n, int(k.bits)*k.width+1) }

// prepareNumbers reads the parameters for decoding the counts of points.
func (k *kdTree) prepareNumbers() {
	switch {
	case k.level < codedNumbers:
		b := k.readWordBits()
		k.numbers = func(n uint) uint32 {
			v := b.read(n)
			if b.short {
				k.fail("the numbers of points are not there")
			}
			return v
		}
	case k.level < foldedNumbers:
		f := k.readFlags()
		k.numbers = func(n uint) (v uint32) {
			for range n {
				v = v<<1 | f.nextBit()
			}
			return v
		}
	default:
		var folded [32]flagDecoder
		for i := range folded {
			folded[i] = k.readFlags()
		}
		k.readFlags() // a further sequence of flags, which no tree uses
		k.numbers = func(n uint) (v uint32) {
			for i := range n {
				v = v<<1 | folded[i].nextBit()
			}
			return v
		}
	}
}

// growRows extends k.rows to at least n rows. It reports whether the limits allow that.
func (k *kdTree) growRows(n int) bool {
	have, want := len(k.rows), n*2*k.width
	if want <= have {
		return true
	}
	want = max(want, 2*have)
	if !k.reserveMemory(4 * int64(want)) { // the old rows remain until they are copied
		return false
	}
	rows := make([]uint32, want) // made by hand, because append might allocate more than was reserved
	copy(rows, k.rows)
	k.rows = rows
	return true
}

// row returns the lowest corner of an undecoded box, and the number of fixed bits of each of its integers.
func (k *kdTree) row(i int) (corner, fixed []uint32) {
	row := k.rows[2*k.width*i:][:2*k.width]
	return row[:k.width], row[k.width:]
}

// decodeNode delivers the points of a box, or adds the two halves of the box to k.nodes.
func (k *kdTree) decodeNode(node kdNode) {
	corner, fixed := k.row(node.row)
	axis := k.axis(node, fixed)
	switch {
	case k.err != nil:
	case fixed[axis] == k.bits: // no bits are left to fix, so all points of the box are equal
		for range node.points {
			k.deliver(corner)
		}
	case node.points <= 2:
		for range node.points {
			k.readSinglePoint(axis, corner, fixed)
		}
	default:
		k.halve(node, axis)
	}
}

// axis returns the axis along which a box is halved.
func (k *kdTree) axis(node kdNode, fixed []uint32) int {
	switch {
	case k.level < chosenAxes:
		return (int(node.axis) + 1) % k.width
	case node.points >= chosenPoints:
		axis := int(k.axes.read(axisBits))
		if axis >= k.width {
			k.fail("the axis %d of %d", axis, k.width)
			return 0
		}
		return axis
	}
	least := 0
	for i, n := range fixed {
		if n < fixed[least] {
			least = i
		}
	}
	return least
}

// readSinglePoint reads the remaining bits of a point, starting with the bits along `axis`, and delivers the point.
func (k *kdTree) readSinglePoint(axis int, corner, fixed []uint32) {
	for i := range corner {
		at := axis + i
		if at >= len(corner) {
			at -= len(corner)
		}
		k.point[at] = corner[at] | k.remaining.read(uint(k.bits-fixed[at]))
	}
	k.deliver(k.point)
}

// halve adds the halves of a box to k.nodes. The upper half is decoded first. If the upper half has all points, it
// uses the row of its parent. The reference decoder does not do so. With this rule there are never more rows than
// points.
func (k *kdTree) halve(node kdNode, axis int) {
	half := node.points / 2
	less := k.numbers(uint(bits.Len32(node.points) - 1))
	if less > half {
		k.fail("one half of a box of %d points would have %d - %d points, which is negative", node.points, half, less)
		return
	}
	lower := half - less
	upper := node.points - lower
	if lower != upper && k.halves.read(1) == 0 {
		lower, upper = upper, lower
	}
	corner, fixed := k.row(node.row)
	bit := uint32(1) << (k.bits - fixed[axis] - 1)
	fixed[axis]++
	at := node.row
	if lower > 0 {
		k.nodes = append(k.nodes, kdNode{lower, uint32(axis), at})
		if upper == 0 {
			return
		}
		if !k.growRows(at + 2) {
			return
		}
		corner, fixed = k.row(at)
		above, aboveFixed := k.row(at + 1)
		copy(above, corner)
		copy(aboveFixed, fixed)
		corner, at = above, at+1
	}
	corner[axis] += bit
	k.nodes = append(k.nodes, kdNode{upper, uint32(axis), at})
}

// deliver copies the integers of a point into the attributes.
func (k *kdTree) deliver(point []uint32) {
	for _, v := range k.values {
		to := v.ints[k.done*v.width:][:v.width]
		for i := range to {
			to[i] = int32(point[i])
		}
		point = point[v.width:]
	}
	k.done++
}

func (f *flagDecoder) nextBit() uint32 {
	if f.next() {
		return 1
	}
	return 0
}

// wordBits reads bits that are stored in words of 32 bits, starting with the highest bit of each word. After the last
// word it returns zeros and sets `short`.
type wordBits struct {
	data  []byte
	at    uint // index of the next bit
	short bool
}

// readWordBits reads the size and the words of a sequence of bits.
func (s *source) readWordBits() wordBits {
	n := s.u32()
	if s.err == nil && (n == 0 || n%4 != 0) {
		s.fail("%d bytes of words", n)
	}
	return wordBits{data: s.take(uint64(n))}
}

// read returns the next n bits, at most 32.
func (b *wordBits) read(n uint) uint32 {
	if left := 8*uint(len(b.data)) - b.at; n == 0 || n > left {
		b.short = b.short || n > left
		return 0
	}
	word := b.at / 32 * 4
	held := uint64(binary.LittleEndian.Uint32(b.data[word:])) << 32
	if b.at%32+n > 32 {
		held |= uint64(binary.LittleEndian.Uint32(b.data[word+4:]))
	}
	held <<= b.at % 32
	b.at += n
	return uint32(held >> (64 - n))
}
