// Command small generates the AVX-512 versions of the loops of geometry.Small. There are no versions for AVX2, because
// AVX2 needs many instructions to look up places, and Small would be slower than Project.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	var fields []Field
	add := func(typ string, names ...string) {
		for _, name := range names {
			fields = append(fields, Field{Name: name, Type: typ})
		}
	}
	add("*uint8", "groups")    // the groups, as leaves.Group
	add("*uint64", "covering") // results: a mask of triangles for each group
	add("int64", "n")          // number of groups
	add("float32", "pivotX", "pivotY", "pivotZ", "scale", "near")
	// depth is the row W of the view's matrix in perspective, and the row E in orthographic views.
	for _, row := range []string{"rowX", "rowY", "depth"} {
		for k := range 4 {
			add("float32", fmt.Sprint(row, k))
		}
	}
	add("int32", "orthographic") // not 0 in orthographic views
	// below is compared with the vector room of loop.depth, both as integers. A vertex is not cut off at the near plane
	// if its room is greater.
	add("int32", "below")
	add("int32", "snapX", "snapY") // the picture's centre minus snapMagicBits, added to the bits of rounded coordinates
	add("[placesSize]uint16", "places")
	f := NewFile("geometry", "smallArgs", "holds the arguments and results of the vector loops of Small.", fields)
	emit(f)
	f.Write()
}

// loop is the state of the generator while it emits one function.
type loop struct {
	*Lanes
	tail     KeptMask
	group    reg.GPVirtual // address of the current leaves.Group
	words    reg.GPVirtual // address of its words
	vertices reg.GPVirtual // its number of vertices
	i        reg.GPVirtual // index of the current vertex
	// afterLoop emits the code for orthographic views. It comes after the loop, so that perspective views take no jump.
	afterLoop func()
}

// Offsets in bytes of fields of a leaves.Group, and its size.
const (
	groupWords    = 0
	groupVertices = 24
	groupSize     = 32
)

const (
	// groupsAhead is the number of groups by which the loop prefetches. The processor does not do so by itself, because
	// groups are left out in between.
	groupsAhead = 8
	// prefetchLines is the number of cache lines of a group that are prefetched: those of a group of 54 vertices.
	prefetchLines = 14
)

// emit emits the code of Small.coverEach. There is no code for distant views, in which every mask contains all
// triangles.
func emit(f *File) {
	l := &loop{Lanes: f.Function("small", AVX512, "does what Small.coverEach does.")}
	l.tail = l.NewTail()
	l.group, l.words, l.vertices, l.i = l.Int("groups"), l.GP64(), l.GP64(), l.GP64()
	covering, left := l.Int("covering"), l.Int("n")
	l.Label("group")
	l.TESTQ(left, left)
	l.JZ(operand.LabelRef("done"))
	l.prefetch()
	l.MOVQ(operand.Mem{Base: l.group, Disp: groupWords}, l.words)
	l.MOVQ(operand.Mem{Base: l.group, Disp: groupVertices}, l.vertices)
	l.CMPQ(l.vertices, operand.U32(l.Go("SmallVertices")))
	l.JGT(operand.LabelRef("none"))
	l.place("none")
	result := l.compare()
	l.Label("store")
	l.MOVQ(result, operand.Mem{Base: covering})
	l.ADDQ(operand.Imm(8), covering)
	l.ADDQ(operand.Imm(groupSize), l.group)
	l.DECQ(left)
	l.JMP(operand.LabelRef("group"))
	l.Label("none")
	l.Comment("A vertex has no place, or there are too many: all triangles may cover samples.")
	l.MOVQ(operand.I32(-1), result)
	l.JMP(operand.LabelRef("store"))
	l.afterLoop()
	l.Label("done")
	l.Return()
}

// prefetch prefetches the words of a later group. The list of groups has enough entries after the last group.
func (l *loop) prefetch() {
	ahead := l.GP64()
	l.MOVQ(operand.Mem{Base: l.group, Disp: groupWords + groupsAhead*groupSize}, ahead)
	for line := range prefetchLines {
		l.PREFETCHT1(operand.Mem{Base: ahead, Disp: 64 * line})
	}
}

// place emits the code of Small.place. It jumps to the label none if a vertex has no place.
func (l *loop) place(none string) {
	var first [2]Scalar
	home := l.AllocLocal(2 * l.Bytes())
	for a := range first {
		first[a] = Scalar{Mem: home.Offset(a * l.Bytes())}
	}
	l.SetAll()
	l.XORQ(l.i, l.i)
	l.Label("vertices")
	left := l.GP64()
	l.MOVQ(l.vertices, left)
	l.SUBQ(l.i, left)
	l.CMPQ(left, operand.Imm(uint64(l.N)))
	l.JGE(operand.LabelRef("full"))
	l.TESTQ(left, left)
	l.JLE(operand.LabelRef("placed"))
	l.Shorten(l.tail, left)
	l.Label("full")
	l.Comment("Project the vertices, and find the first sample at or after each.")
	at, ok := l.project(l.local())
	l.TESTQ(l.i, l.i)
	l.JNZ(operand.LabelRef("relative"))
	for a := range at {
		l.Store(at[a], first[a].Mem)
	}
	l.Label("relative")
	l.Comment("Compare with the first vertex of the group.")
	byteMask := l.Constant("byteMask", operand.U32(255))
	half := l.Constant("halfRange", operand.U32(128))
	var offset [2]Vec
	for a := range at {
		offset[a] = l.AddInt(l.SubInt(at[a], first[a]), half)
	}
	large := l.And(l.OrBits(offset[0], offset[1]), l.Constant("aboveByte", operand.U32(1<<32-256)))
	ok = l.MaskAnd(ok, l.IsZero(large))
	bits := l.Bits(l.Without(l.Mask(l.tail), ok))
	l.TESTL(bits, bits)
	l.JNZ(operand.LabelRef(none))
	to := l.Arg("places")
	to.Index, to.Scale = l.i, 2
	l.VPMOVDW(l.OrBits(l.And(offset[0], byteMask), l.ShiftLeft(l.And(offset[1], byteMask), 8)), to)
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.JMP(operand.LabelRef("vertices"))
	l.Label("placed")
}

// SetAll makes the tail select all lanes again.
func (l *loop) SetAll() {
	all := l.K()
	l.KXNORW(all, all, all)
	l.SetMask(l.tail, Mask512(all))
}

// local loads vertices from index i on, and converts them to the coordinates of q.
func (l *loop) local() (q [3]Kept) {
	scale := l.Broadcast(l.Scalar("scale"))
	from := l.GP64()
	l.MOVQ(l.words, from)
	for a := range q {
		v := l.LoadMasked(operand.Mem{Base: from, Index: l.i, Scale: 4}, l.Mask(l.tail))
		q[a] = l.Keep(l.Mul(l.Sub(v, l.Scalar("pivot"+string(rune('X'+a)))), scale))
		if a < 2 {
			l.LEAQ(operand.Mem{Base: from, Index: l.vertices, Scale: 4}, from)
		}
	}
	return q
}

// row applies a row of the view's matrix.
func (l *loop) row(name string, q *[3]Kept) Vec {
	var sum Vec
	for a := range q {
		term := l.Mul(l.Again(q[a]), l.Scalar(fmt.Sprint(name, a)))
		if a == 0 {
			sum = term
		} else {
			sum = l.Add(sum, term)
		}
	}
	return l.Add(sum, l.Scalar(name+"3"))
}

// project returns the first sample at or after each vertex along both axes, and a mask of the vertices that need no
// clipping, see View.inside. Absolute values of coordinates are compared as integers, because NaN and infinity are then
// larger than all numbers. If w is NaN, x is NaN as well.
func (l *loop) project(q [3]Kept) (at [2]Vec, ok Mask) {
	inverse, room := l.depth(q)
	valid := l.Mask(l.tail)
	ok = l.GreaterInt(room, l.Scalar("below"), &valid)
	for a, name := range []string{"rowX", "rowY"} {
		p := l.Mul(l.row(name, &q), inverse)
		size := l.And(p, l.Constant("sizeBits", operand.U32(0x7fffffff)))
		ok = l.LessInt(size, l.Constant("beyondGuard", operand.U32(math.Float32bits(l.GoFloat("Guard"))+1)), &ok)
		snapped := l.AddInt(l.Add(p, l.Constant("snapMagic", operand.F32(l.GoFloat("snapMagic")))), l.Scalar([]string{"snapX", "snapY"}[a]))
		at[a] = l.ShiftRight(l.AddInt(snapped, l.Constant("halfLess", operand.U32(l.Go("Half")-1))), l.Go("SubBits"))
	}
	return at, ok
}

// depth returns 1/w in perspective, and 1 in orthographic views, which changes no bit of a coordinate. A vertex is not
// cut off at the near plane if room, read as an integer, is above the argument named below. In orthographic views this
// also tests that the nearness is not below 0.
func (l *loop) depth(q [3]Kept) (inverse, room Vec) {
	room = l.row("depth", &q)
	inverse = l.Broadcast(l.Constant("one", operand.F32(1)))
	l.CMPL(l.Arg("orthographic"), operand.Imm(0))
	l.JNE(operand.LabelRef("orthographic"))
	l.Into(inverse).Div(inverse, room)
	l.Label("near")
	l.afterLoop = func() {
		l.Label("orthographic")
		l.Comment("Near - e is negative if e is above near, and e is negative if it is below 0.")
		l.Move(l.OrBits(l.SubInt(l.Broadcast(l.Scalar("near")), room), room), room)
		l.JMP(operand.LabelRef("near"))
	}
	return inverse, room
}

// compare emits the code of Small.compare. Tables of 32 places fill a register, and the corners of 32 triangles are
// looked up at a time.
func (l *loop) compare() (covering reg.GPVirtual) {
	var table [4]Vec
	for i := range table {
		from := l.Arg("places")
		from.Disp += 64 * i
		table[i] = l.Load(from)
	}
	corners := l.GP64()
	covering = l.GP64()
	l.LEAQ(operand.Mem{Base: l.vertices, Index: l.vertices, Scale: 2}, corners)
	l.LEAQ(operand.Mem{Base: l.words, Index: corners, Scale: 4}, corners)
	low, high := l.Broadcast(l.Constant("lowBytes", operand.U32(0x00ff00ff))), l.Broadcast(l.Constant("highBytes", operand.U32(0xff00ff00)))
	for half := range 2 {
		var place [3]Vec
		for k := range place {
			place[k] = l.lookUp(operand.Mem{Base: corners, Disp: 64*k + 32*half}, table)
		}
		differ := l.ZMM()
		l.VPXORD(place[0], place[1], differ)
		l.VPXORD(place[0], place[2], place[2])
		l.VPORD(place[2], differ, differ)
		x, y := l.K(), l.K()
		l.VPTESTMW(low, differ, x)
		l.VPTESTMW(high, differ, y)
		l.KANDD(x, y, x)
		bits := l.GP64()
		l.KMOVD(x, bits.As32())
		if half == 0 {
			l.MOVQ(bits, covering)
		} else {
			l.SHLQ(operand.Imm(32), bits)
			l.ORQ(bits, covering)
		}
	}
	return covering
}

// lookUp returns the places of 32 vertices, whose indices are bytes in memory. The instruction VPERMI2W looks up one of
// 64 words. Bit 6 of an index selects one of two such tables.
func (l *loop) lookUp(indices operand.Mem, table [4]Vec) Vec {
	index, place, other, second := l.ZMM(), l.ZMM(), l.ZMM(), l.K()
	l.VPMOVZXBW(indices, index)
	l.VPSLLW(operand.U8(9), index, other)
	l.VPMOVW2M(other, second)
	l.VMOVDQA32(index, place)
	l.VPERMI2W(table[1], table[0], place)
	l.VMOVDQA32(index, other)
	l.VPERMI2W(table[3], table[2], other)
	l.VMOVDQU16(other, second, place)
	return place
}
