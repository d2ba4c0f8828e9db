// Command zbuffer generates the vector twins of kernel.ZBuffer.
package main

import (
	"flag"
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	flag.Parse()
	ConstraintExpr("amd64,!purego")
	for _, z := range []*zbuffer{{name: "zbufferAVX512", lanes: 16}, {name: "zbufferAVX2", lanes: 8}} {
		z.generate()
	}
	Generate()
}

// zbuffer is the generator of one twin. It takes spans a batch at a time, one a
// lane, and sorts them by length:
//
//   - all spans: the first key, and the second or the first again, without a branch;
//   - of three and four keys: the third and the last, one by one;
//   - of five to eight: two vectors of four keys;
//   - of nine to sixteen, with AVX-512: two of eight;
//   - longer ones: vectors from the first key on, and two that end at the last.
//
// One class after the other, so that the processor foretells what is next. Vectors
// hold nothing but keys of their span: one that overlaps a narrow store of a
// neighbour still under way has to wait for it. Where vectors of a span overlap all
// are loaded before one is stored, for the same reason; the key of a pixel comes
// out the same in each.
//
// Keys are compared as float64: they are 0, or have a nearness from MinNearness to
// infinity in their upper half, so they are never negative, denormal or NaN.
type zbuffer struct {
	name  string
	lanes int // of a batch, and of a vector of nearnesses

	frame, start, count reg.GPVirtual  // columns
	i                   reg.GPVirtual  // the batch's first span
	ahead               reg.GPVirtual  // the first span whose keys are asked for
	tested, runs        reg.VecVirtual // by lane
	least               reg.VecVirtual // MinNearness
	size                Mem            // of the frame
	most                Mem            // keys of long spans until the twin pauses
	outside             reg.GPVirtual  // spans of the batch that leave it

	// Of the spans of the batch: keys 0 to 3, see slotOf, the index of the second key,
	// e, de, and the lower halves of keys.
	keys, second, e, de, low Mem
	slots                    Mem // slotOf
	classes                  []class
}

// class is spans of a batch that are merged the same way.
type class struct {
	name  string
	above int32            // they have more keys than that, and not more than the next class
	bits  reg.GPVirtual    // a bit a span
	first func(z *zbuffer) // what there is to do for the class; may be nil
	merge func(z *zbuffer, s reg.GPVirtual)
}

func (z *zbuffer) generate() {
	TEXT(z.name, 0, "func(frame []uint64, start []uint32, count []int32, e, de []float32, payload []uint32, most int64) (tested, runs, bad int64)")
	Doc(fmt.Sprintf("%s merges spans as ZBuffer does, %d at a time. It stops before a batch with a", z.name, z.lanes),
		"span that leaves the frame and returns the index of the first plus one in bad.",
		"After a batch with the last of most keys in long spans it pauses; -bad spans are done.")
	z.begin()
	Label("batch")
	spans := z.take()
	CMPL(spans, Imm(uint64(z.lanes)))
	JL(LabelRef("few"))
	for s := range z.lanes {
		z.firstTwo(s)
	}
	Label("classes")
	for _, c := range z.classes {
		z.each(c)
	}
	ADDQ(Imm(uint64(z.lanes)), z.i)
	CMPQ(z.most, Imm(0))
	JG(LabelRef("batch"))
	bad := GP64()
	MOVQ(argument(Param("start").Len()), bad)
	CMPQ(z.i, bad)
	JGE(LabelRef("end"))
	MOVQ(z.i, bad)
	NEGQ(bad)
	JMP(LabelRef("paused"))

	Label("few")
	few := class{name: "one", bits: GP32(), merge: (*zbuffer).firstTwoOf}
	MOVL(I32(-1), few.bits)
	BZHIL(spans, few.bits, few.bits)
	z.each(few)
	JMP(LabelRef("classes"))
	z.end(bad)
}

// begin loads arguments and constants.
func (z *zbuffer) begin() {
	z.frame, z.start, z.count = column("frame"), column("start"), column("count")
	z.keys, z.second = AllocLocal(4*8*z.lanes), AllocLocal(4*z.lanes)
	z.e, z.de, z.low = AllocLocal(4*z.lanes), AllocLocal(4*z.lanes), AllocLocal(4*z.lanes)
	z.size, z.most, z.slots = AllocLocal(8), argument(Param("most")), z.makeSlots()
	size := GP64()
	MOVQ(argument(Param("frame").Len()), size)
	MOVQ(size, z.size)
	z.outside = GP32()
	z.i, z.ahead = GP64(), GP64()
	XORQ(z.i, z.i)
	z.tested, z.runs, z.least = z.int(0), z.int(0), z.fill(minNearness)

	z.classes = []class{{name: "four", above: 2, first: (*zbuffer).makeMore, merge: (*zbuffer).four}, {name: "eight", above: 4, merge: (*zbuffer).eight}}
	if z.lanes == 16 {
		z.classes = append(z.classes, class{name: "sixteen", above: 8, merge: (*zbuffer).sixteen})
	}
	z.classes = append(z.classes, class{name: "long", above: int32(z.lanes), merge: (*zbuffer).long})
	for i := range z.classes {
		z.classes[i].bits = GP32()
	}
}

// each merges the spans of a class, one after the other.
func (z *zbuffer) each(c class) {
	TESTL(c.bits, c.bits)
	JZ(LabelRef(c.name + "Done"))
	if c.first != nil {
		c.first(z)
	}
	Label(c.name)
	s := GP64()
	TZCNTL(c.bits, s.As32())
	BLSRL(c.bits, c.bits)
	c.merge(z, s)
	TESTL(c.bits, c.bits)
	JNZ(LabelRef(c.name))
	Label(c.name + "Done")
}

// end returns.
func (z *zbuffer) end(bad reg.GPVirtual) {
	Label("end")
	MOVQ(I32(-1), bad)
	JMP(LabelRef("return"))
	Label("outside")
	TZCNTL(z.outside, bad.As32())
	ADDQ(z.i, bad)
	Label("return")
	INCQ(bad)
	Label("paused")
	Store(bad, Return("bad"))
	Store(z.sum(z.tested), Return("tested"))
	Store(z.sum(z.runs), Return("runs"))
	VZEROUPPER()
	RET()
}

// sum adds the lanes of a counter.
func (z *zbuffer) sum(lanes reg.VecVirtual) reg.GPVirtual {
	total, lane := GP64(), GP64()
	z.store(lanes, z.keys)
	XORQ(total, total)
	for s := range z.lanes {
		MOVL(z.keys.Offset(4*s), lane.As32())
		ADDQ(lane, total)
	}
	return total
}
