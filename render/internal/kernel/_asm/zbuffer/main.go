// Command zbuffer generates the assembly versions of zbuffer.Merge.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("zbuffer", "zbufferArgs", "holds the arguments and results of a vector twin of Merge.", []Field{
		{Name: "frame", Type: "*uint64"},
		{Name: "size", Type: "int64"}, // number of keys of the frame
		{Name: "start", Type: "*uint32"},
		{Name: "count", Type: "*int32"},
		{Name: "e", Type: "*float32"},
		{Name: "de", Type: "*float32"},
		{Name: "payload", Type: "*uint32"},
		{Name: "spans", Type: "int64"},
		{Name: "most", Type: "int64"}, // the loop returns after long spans with this number of keys
		{Name: "tested", Type: "int64"},
		{Name: "runs", Type: "int64"},
		{Name: "bad", Type: "int64"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}

// zbuffer is the state of the generator while it emits the loop for one instruction set. The loop takes spans a batch
// at a time, one span for each lane, and sorts them by length:
//
//   - all spans: the first key, and the second key or the first again, without a branch;
//   - three or four keys: the third and the last key, one by one;
//   - five to eight keys: two vectors of four keys;
//   - nine to sixteen keys, with AVX-512: two vectors of eight;
//   - longer spans: vectors from the first key on, and two vectors that end at the last key.
//
// It merges one class after the other, so that the processor predicts branches well. Vectors hold only keys of their
// own span: a load that overlaps a narrow store of a neighbouring span still in progress would have to wait for it. For
// the same reason, if vectors of a span overlap, all of them are loaded before any is stored. A pixel in the overlap
// gets the same key from both vectors.
//
// Keys are compared as float64. They are 0, or have a nearness from MinNearness to infinity in their upper half, so
// they are never negative, denormal or NaN.
type zbuffer struct {
	*Lanes
	frame, start, count reg.GPVirtual // addresses of columns
	i                   reg.GPVirtual // first span of the batch
	ahead               reg.GPVirtual // first span whose keys are prefetched
	tested, runs        Vec           // sums of each lane
	least               Vec           // MinNearness
	outside             reg.GPVirtual // one bit for each span of the batch, set if the span leaves the frame

	// Memory for the spans of the batch: keys 0 to 3 (see slotOf), the index of the second key, e, de, and the lower
	// halves of keys.
	keys, second, e, de, low operand.Mem
	classes                  []class
}

// class is a set of spans of a batch that are merged in the same way.
type class struct {
	name, what string
	above      int           // spans of the class have above+1 keys or more, up to the next class's above
	bits       reg.GPVirtual // one bit for each span
	first      func()        // emits code that runs once for the class; may be nil
	merge      func(s reg.GPVirtual)
}

// emit emits the code of zbuffer.Merge for one instruction set.
func emit(f *File, lanes int) {
	z := &zbuffer{Lanes: f.Function("zbuffer", lanes,
		"merges spans as Merge does, a vector of them at a time. It stops before a",
		"batch with a span that leaves the frame, and sets bad to the index of that span plus one.",
		"It also stops when it has merged most keys of long spans; bad is then minus the number of",
		"spans that are merged.")}
	z.begin()
	z.Label("batch")
	spans := z.take()
	z.CMPL(spans, operand.Imm(uint64(z.N)))
	z.JL(operand.LabelRef("few"))
	z.Comment("The first and the second key of every span, or the first twice.")
	for s := range z.N {
		z.firstTwo(s)
	}
	z.Label("classes")
	for _, c := range z.classes {
		z.each(c)
	}
	z.Comment("The next batch, unless it is time to pause.")
	z.ADDQ(operand.Imm(uint64(z.N)), z.i)
	z.CMPQ(z.Arg("most"), operand.Imm(0))
	z.JG(operand.LabelRef("batch"))
	bad := z.Int("spans")
	z.CMPQ(z.i, bad)
	z.JGE(operand.LabelRef("end"))
	z.MOVQ(z.i, bad)
	z.NEGQ(bad)
	z.JMP(operand.LabelRef("paused"))

	z.Label("few")
	few := class{name: "one", what: "The first two keys of the spans of a last, partial batch.", bits: z.GP32(), merge: z.firstTwoOf}
	z.MOVL(operand.I32(-1), few.bits)
	z.BZHIL(spans, few.bits, few.bits)
	z.each(few)
	z.JMP(operand.LabelRef("classes"))
	z.end(bad)
}

// begin loads arguments and constants.
func (z *zbuffer) begin() {
	z.Comment("Columns and constants.")
	z.frame, z.start, z.count = z.Int("frame"), z.Int("start"), z.Int("count")
	z.keys, z.second = z.AllocLocal(4*2*z.Bytes()), z.AllocLocal(z.Bytes())
	z.e, z.de, z.low = z.AllocLocal(z.Bytes()), z.AllocLocal(z.Bytes()), z.AllocLocal(z.Bytes())
	z.i, z.ahead = z.GP64(), z.GP64()
	z.XORQ(z.i, z.i)
	z.tested, z.runs = z.Zero(), z.Zero()
	z.least = z.Broadcast(z.Constant("minNearness", operand.F32(z.GoFloat("MinNearness"))))

	z.classes = []class{
		{name: "four", what: "Spans of three and four keys: the third and the last.", above: 2, first: z.makeMore, merge: z.four},
		{name: "eight", what: "Spans of five to eight keys: the first four and the last four.", above: 4, merge: z.eight},
	}
	if z.N == AVX512 {
		z.classes = append(z.classes, class{name: "sixteen", what: "Spans of nine to sixteen keys: the first eight and the last eight.", above: 8, merge: z.sixteen})
	}
	z.classes = append(z.classes, class{name: "long", what: "Spans of more keys than a vector has lanes.", above: z.N, merge: z.long})
}

// each emits a loop that merges the spans of a class, one after the other.
func (z *zbuffer) each(c class) {
	z.Comment(c.what)
	z.TESTL(c.bits, c.bits)
	z.JZ(operand.LabelRef(c.name + "Done"))
	if c.first != nil {
		c.first()
	}
	z.Label(c.name)
	s := z.GP64()
	z.TZCNTL(c.bits, s.As32())
	z.BLSRL(c.bits, c.bits)
	c.merge(s)
	z.TESTL(c.bits, c.bits)
	z.JNZ(operand.LabelRef(c.name))
	z.Label(c.name + "Done")
}

// end stores the results and returns.
func (z *zbuffer) end(bad reg.GPVirtual) {
	z.Label("end")
	z.MOVQ(operand.I32(-1), bad)
	z.JMP(operand.LabelRef("return"))
	z.Label("outside")
	z.TZCNTL(z.outside, bad.As32())
	z.ADDQ(z.i, bad)
	z.Label("return")
	z.INCQ(bad)
	z.Label("paused")
	z.Comment("Results: the counters' lanes are added up.")
	z.MOVQ(bad, z.Arg("bad"))
	z.MOVQ(z.sum(z.tested), z.Arg("tested"))
	z.MOVQ(z.sum(z.runs), z.Arg("runs"))
	z.Return()
}

// sum adds up the lanes of a counter.
func (z *zbuffer) sum(counter Vec) reg.GPVirtual {
	total, lane := z.GP64(), z.GP64()
	z.Store(counter, z.keys)
	z.XORQ(total, total)
	for s := range z.N {
		z.MOVL(z.keys.Offset(4*s), lane.As32())
		z.ADDQ(lane, total)
	}
	return total
}
