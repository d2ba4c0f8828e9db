package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// placing are the arguments of the loops that compute the positions of points in the picture.
var placing = []Field{
	{Name: "places", Type: "*uint32"},
	{Name: "sky", Type: "*float32"}, // open share of the sky above each pixel
	{Name: "left", Type: "float32"},
	{Name: "top", Type: "float32"},
	{Name: "perCount", Type: "int32"}, // twice the grid, see parts
	{Name: "parts", Type: "*float32"}, // 1/(perCount*n) for each number n of samples
}

// blending are the arguments of the loop that computes pixels from points.
var blending = []Field{
	{Name: "opaque", Type: "int32"}, // -1 or 0
	{Name: "samples", Type: "float32"},
	{Name: "perSamples", Type: "float32"},
	{Name: "halfSamples", Type: "float32"},
	{Name: "background", Type: "[3]float32"},
	{Name: "words", Type: "*uint32"}, // see Batch.words
	{Name: "encode", Type: "*uint8"},
	{Name: "pix", Type: "*uint8"},
}

// place computes the positions of the current points in the picture. It returns their pixels, and the number of
// samples of each point.
func (l *loop) place(inside KeptMask, to point) (pixel, samples Kept) {
	p := l.Keep(l.LoadMasked(l.At("places", l.i), l.Mask(inside)))
	field := func(shift, bits int) Vec {
		return l.And(l.ShiftRight(l.Again(p), shift), l.Constant(map[int]string{4: "fourBits", 6: "sixBits"}[bits], operand.U32(1<<bits-1)))
	}
	middle := l.Constant("sumShift", operand.I32(32))
	pixel = l.Keep(l.And(l.Again(p), l.Constant("low", operand.U32(0xffff))))
	fewer := field(16, 4)
	count := l.AddInt(fewer, l.Constant("whole1", operand.I32(1)))
	part := l.Keep(l.part(fewer, count))
	samples = l.Keep(l.ToFloat(count))
	x := l.Add(l.ToFloat(l.Again(pixel)), l.Scalar("left"))
	l.Set(to.x, l.To(to.x).Add(x, l.Mul(l.ToFloat(l.SubInt(field(20, 6), middle)), l.Use(part))))
	down := l.Mul(l.ToFloat(l.SubInt(field(26, 6), middle)), l.Use(part))
	l.Set(to.y, l.To(to.y).Sub(l.Broadcast(l.Scalar("top")), down))
	return pixel, samples
}

// part returns 1/(2*grid*count), the factor that converts a sum of offsets to their mean. count is the number of
// samples. fewer is count-1, the index into a table. With AVX-512, one vector holds the factors of all sixteen
// counts.
func (l *loop) part(fewer, count Vec) Vec {
	if l.N == AVX2 {
		return l.Div(l.Broadcast(l.number("one", 1)), l.ToFloat(l.MulInt(count, l.Scalar("perCount"))))
	}
	v := l.Vec()
	l.VPERMPS(operand.Mem{Base: l.Int("parts")}, fewer, v)
	return v
}

// sky stores the points' pixels, and the open share of the sky above these pixels. In most cases all pixels lie
// within a vector from the first pixel on. Then no gather is needed.
func (l *loop) sky(inside KeptMask, pixel, samples Kept) {
	l.Store(l.Again(samples), l.column("Weight", 0))
	l.Store(l.Again(pixel), l.At("pixels", l.i))
	first := l.GP64()
	l.MOVWLZX(l.At("places", l.i), first.As32())
	from := l.Keep(l.SubInt(l.Again(pixel), l.BroadcastInt(first)))
	far := l.AtLeastUnsigned(l.Again(from), l.Broadcast(l.Constant("lanes"+suffix(l.N), operand.U32(l.N))))
	l.JumpIfNone(far, "together")
	l.Store(l.Gather("sky", l.Again(pixel), l.MaskAnd(l.Mask(inside), l.Mask(inside)), l.nothing()), l.note("Open", 0))
	l.JMP(operand.LabelRef("placed"))
	l.Label("together")
	open := l.Vec()
	l.VPERMPS(l.At("sky", first), l.Again(from), open)
	l.Store(open, l.note("Open", 0))
}

func suffix(lanes int) string { return map[int]string{AVX512: "16", AVX2: "8"}[lanes] }

// blend emits the loop of Loops.Blend.
func blend(f *File, lanes int) {
	l := begin(f, "blend", lanes, "writes pixels.")
	written := l.GP64()
	l.XORQ(written, written)
	l.points("loop", func() { l.average(written) })
	l.write(written)
	l.Return()
}

// average computes the mean colour and the alpha of pixels, and appends their words. It processes the pixels whose
// first points are among the current points.
func (l *loop) average(written reg.GPVirtual) {
	opaque := l.Switch("opaque")
	pixels := l.Int("pixels")
	pixel := l.Keep(l.Load(operand.Mem{Base: pixels, Index: l.i, Scale: 4}))
	covered := l.variable(l.column("Weight", 0))
	var sums [3]Kept
	for a := range sums {
		sums[a] = l.variable(l.column("Color", a))
	}
	// The points of a pixel are adjacent.
	next := l.GP64()
	l.MOVQ(l.i, next)
	l.Label("point")
	l.INCQ(next)
	same := l.IsZero(l.Xor(l.Again(pixel), operand.Mem{Base: pixels, Index: next, Scale: 4}))
	l.JumpIfNone(same, "pixel")
	l.AddTo(covered, same, l.columnAt("Weight", 0, next))
	for a := range sums {
		l.AddTo(sums[a], same, l.columnAt("Color", a, next))
	}
	l.JMP(operand.LabelRef("point"))
	l.Label("pixel")
	alpha := l.Add(l.Mul(l.Again(covered), l.number("full", 255)), l.Scalar("halfSamples"))
	alpha = l.Truncate(l.Mul(alpha, l.Scalar("perSamples")))
	alpha = l.Choose(*opaque(), l.Broadcast(l.Constant("whole255", operand.I32(255))), alpha)
	all := l.Broadcast(l.Scalar("samples"))
	rest := l.Keep(l.Sub(all, l.Use(covered)))
	count := l.Choose(*opaque(), all, l.Again(covered))
	per := l.Keep(l.Div(l.Broadcast(l.number("one", 1)), count))
	blue := l.Keep(l.ShiftLeft(alpha, 24))
	step := func(a int) Vec {
		behind := l.Add(l.Again(sums[a]), l.Mul(l.Again(rest), l.uniform("background", a)))
		c := l.Choose(*opaque(), behind, l.Again(sums[a]))
		return l.step(l.Mul(c, l.Use(per)))
	}
	red := l.Keep(step(0))
	l.pack(pixels, written, l.AddInt(l.ShiftLeft(step(1), 16), l.Use(red)), l.AddInt(step(2), l.Use(blue)), pixel)
}

// variable loads a vector and keeps it; it will change.
func (l *loop) variable(from operand.Mem) Kept { return l.Keep(l.Load(from)) }

// pack appends the words of the pixels whose first points are among the current points. A point is the first of its
// pixel if the point before it has another pixel. Points after the batch have a negative pixel and are left out.
func (l *loop) pack(pixels, written reg.GPVirtual, redGreen, blue Vec, pixel Kept) {
	same := l.IsZero(l.Xor(l.Again(pixel), l.Load(operand.Mem{Base: pixels, Index: l.i, Scale: 4, Disp: -4})))
	first := l.Without(l.Without(l.IsZero(l.Zero()), same), l.Negative(l.Again(pixel)))
	bits := l.Bits(first)
	packing := l.Packing(first, bits)
	for k, v := range []Vec{redGreen, blue, l.Again(pixel)} {
		l.Store(l.Pack(packing, v), l.word(k, written))
	}
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), written)
}

// word returns the memory of word k of pixels.
func (l *loop) word(k int, at reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: l.Int("words"), Index: at, Scale: 4, Disp: 4 * k * (l.Go("Capacity") + l.Go("widest"))}
}

// write computes the pixels from their words and stores them.
func (l *loop) write(written reg.GPVirtual) {
	encode, pix, at := l.Int("encode"), l.Int("pix"), l.GP64()
	l.XORQ(at, at)
	words := l.word(0, at)
	behind := func(k, bytes int) operand.Mem { return words.Offset(4*k*(l.Go("Capacity")+l.Go("widest")) + bytes) }
	l.Label("write")
	pixel, word := l.GP64(), l.GP32()
	l.MOVL(behind(2, 0), pixel.As32())
	l.MOVL(behind(1, 0), word)
	l.ANDL(operand.U32(255<<24), word)
	for a, step := range []operand.Mem{behind(0, 0), behind(0, 2), behind(1, 0)} {
		channel := l.GP64()
		l.MOVWLZX(step, channel.As32())
		l.MOVBLZX(operand.Mem{Base: encode, Index: channel, Scale: 1}, channel.As32())
		if a > 0 {
			l.SHLL(operand.Imm(uint64(8*a)), channel.As32())
		}
		l.ORL(channel.As32(), word)
	}
	l.MOVL(word, operand.Mem{Base: pix, Index: pixel, Scale: 4})
	l.INCQ(at)
	l.CMPQ(at, written)
	l.JLT(operand.LabelRef("write"))
}

// step returns the step of linear light c, like stepOf of package surface.
func (l *loop) step(c Vec) Vec {
	last := l.Go("Steps") - 1
	n := l.Truncate(l.Add(l.Mul(c, l.number("last", float32(last))), l.number("half", 0.5)))
	return l.MinInt(l.MaxInt(n, l.Nothing()), l.Constant("lastStep", operand.I32(last)))
}
