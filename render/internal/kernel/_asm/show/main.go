// Command show generates the loops that find which triangles pixels with four samples show.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

type loop struct {
	*Lanes
	i reg.GPVirtual // next pixel
}

func main() {
	f := NewFile("show", "showArgs", "holds the arguments and results of a call of a loop.", []Field{
		{Name: "upper", Type: "*uint64"},
		{Name: "lower", Type: "*uint64"},
		{Name: "pixels", Type: "int64"}, // number of pixels, a multiple of Lanes
		{Name: "x", Type: "int64"},
		{Name: "triangles", Type: "*uint32"},
		{Name: "places", Type: "*uint32"},
		{Name: "nearness", Type: "*float32"},
		{Name: "points", Type: "int64"},
		{Name: "shown", Type: "int64"},
		{Name: "distances", Type: "*float32"},
		{Name: "near", Type: "float64"},
		{Name: "middle", Type: "float64"},
		{Name: "scale", Type: "float64"},
		{Name: "product", Type: "float32"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		fours(f, lanes)
		distances(f, lanes)
		quotients(f, lanes)
	}
	f.Write()
}

func begin(f *File, name string, lanes int, doc string) *loop {
	l := &loop{Lanes: f.Function(name, lanes, doc)}
	l.i = l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("loop")
	l.CMPQ(l.i, l.Arg("pixels"))
	l.JGE(operand.LabelRef("done"))
	l.Forget()
	return l
}

func (l *loop) end() {
	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
	l.Return()
}

// fours emits the loop of Fours. A row of keys of a vector of pixels is four vectors. They are transposed in each 128
// bits. The result is the lower and the upper halves of the left keys and of the right keys. The key of pixel p of
// vector r is then in lane 4p + r. Transposing again restores the order.
func fours(f *File, lanes int) {
	l := begin(f, "fours", lanes, "finds the triangles that pixels with four samples show.")
	points, shown := l.Int("points"), l.Int("shown")
	upper, lower := l.keys("upper"), l.keys("lower")
	any := l.OrBits(upper[0], lower[0])
	for r := 1; r < 4; r++ {
		any = l.OrBits(any, l.OrBits(upper[r], lower[r]))
	}
	l.JumpIfZero(any, "empty")

	upper, lower = l.turn(upper), l.turn(lower)
	l.Comment("The nearness of the first sample that is covered.")
	low := [4]Kept{l.Keep(upper[0]), l.Keep(upper[2]), l.Keep(lower[0]), l.Keep(lower[2])}
	near := lower[3]
	for k, v := range []Vec{lower[1], upper[3], upper[1]} {
		near = l.Blend(l.IsZero(l.Again(low[2-k])), near, v)
	}
	bits := l.Bits(l.nonZero(near))
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), shown)
	l.Store(l.Permute(near, l.order("pixels")), l.At("nearness", l.i))

	l.Comment("Triangles that an earlier sample shows are dropped there, and add to its place.")
	pixel := l.GP64()
	l.MOVQ(l.Arg("x"), pixel)
	l.ADDQ(l.i, pixel)
	first := l.AddInt(l.BroadcastInt(pixel), l.order("lanes"))
	var places [4]Kept
	for k := range places {
		places[k] = l.Keep(l.AddInt(first, l.place("Sample", k)))
	}
	triangles := low
	for later := 1; later < 4; later++ {
		triangles[later] = l.Keep(l.copied(l.Again(low[later])))
		for earlier := range later {
			same := l.IsZero(l.Xor(l.Again(low[later]), l.Use(low[earlier])))
			more := l.AddInt(l.Again(places[earlier]), l.place("More", later))
			l.Set(places[earlier], l.Blend(same, more, l.Again(places[earlier])))
			l.Set(triangles[later], l.Blend(same, l.Zero(), l.Again(triangles[later])))
		}
	}
	byPixel, placesByPixel := l.turn(l.all(triangles)), l.turn(l.all(places))
	for _, name := range []string{"triangles", "places"} {
		l.ahead(l.At(name, points), 2)
	}
	l.ahead(l.At("nearness", l.i), 1)
	for r := range byPixel {
		there := l.nonZero(byPixel[r])
		bits := l.Bits(there)
		packing := l.Packing(there, bits)
		l.Store(l.Xor(l.Pack(packing, byPixel[r]), l.Constant("minusOne", operand.I32(-1))), l.At("triangles", points))
		l.Store(l.Pack(packing, placesByPixel[r]), l.At("places", points))
		l.POPCNTL(bits, bits)
		l.ADDQ(bits.As64(), points)
	}
	l.MOVQ(points, l.Arg("points"))
	l.MOVQ(shown, l.Arg("shown"))
	l.JMP(operand.LabelRef("next"))
	l.Label("empty")
	l.Store(l.Zero(), l.At("nearness", l.i))
	l.end()
}

// bytesAhead is the number of bytes by which memory is prefetched ahead. The loop reads two rows of keys and writes
// three streams, which all start anew with every row of pixels. From 512 bytes on, prefetching saved a tenth of the
// time.
const bytesAhead = 512

// ahead prefetches the given number of cache lines.
func (l *loop) ahead(from operand.Mem, lines int) {
	const line = 64
	for n := range lines {
		l.PREFETCHT0(from.Offset(bytesAhead + n*line))
	}
}

// keys loads a row of keys of a vector of pixels.
func (l *loop) keys(name string) (v [4]Vec) {
	at := l.GP64()
	l.MOVQ(l.i, at)
	l.SHLQ(operand.Imm(4), at)
	l.ADDQ(l.Arg(name), at)
	l.ahead(operand.Mem{Base: at}, 4*l.Bytes()/64)
	for r := range v {
		v[r] = l.Load(operand.Mem{Base: at, Disp: r * l.Bytes()})
	}
	return v
}

func (l *loop) all(k [4]Kept) (v [4]Vec) {
	for i := range k {
		v[i] = l.Again(k[i])
	}
	return v
}

// copied returns a copy of v in a new register.
func (l *loop) copied(v Vec) Vec {
	c := l.Vec()
	l.Move(v, c)
	return c
}

// nonZero selects the lanes that are not 0.
func (l *loop) nonZero(v Vec) Mask {
	return l.Without(l.IsZero(l.Zero()), l.IsZero(v))
}

// turn transposes the 4 x 4 elements in each 128 bits of four vectors.
func (l *loop) turn(p [4]Vec) [4]Vec {
	low01, low23 := l.UnpackLow(p[0], p[1]), l.UnpackLow(p[2], p[3])
	high01, high23 := l.UnpackHigh(p[0], p[1]), l.UnpackHigh(p[2], p[3])
	return [4]Vec{l.UnpackLowPairs(low01, low23), l.UnpackHighPairs(low01, low23), l.UnpackLowPairs(high01, high23), l.UnpackHighPairs(high01, high23)}
}

// order returns a table with the pixel of each lane if `of` is "lanes", or with the lane of each pixel otherwise.
func (l *loop) order(of string) operand.Mem {
	var lanes, pixels [AVX512]operand.Constant
	for r := range 4 {
		for p := range l.N / 4 {
			lane, pixel := 4*p+r, l.N/4*r+p
			lanes[lane], pixels[pixel] = operand.U32(pixel), operand.U32(lane)
		}
	}
	suffix := map[int]string{AVX512: "16", AVX2: "8"}[l.N]
	if of == "lanes" {
		return l.Table("lanes"+suffix, lanes[:l.N]...)
	}
	return l.Table("pixels"+suffix, pixels[:l.N]...)
}

// place returns a constant of package show. Its name consists of the given name, Sample or More, and the digit k.
func (l *loop) place(name string, k int) Operand {
	name += string(rune('0' + k))
	v := l.Broadcast(l.Constant(name, operand.U32(l.Go(name))))
	return v
}

// distances emits the loop of Distances.
func distances(f *File, lanes int) {
	l := begin(f, "distances", lanes, "computes distances from the middle of the mesh.")
	wide := func(name string) WideScalar { return WideScalar{l.Arg(name)} }
	e := l.Load(l.At("nearness", l.i))
	var halves Halves
	for h := range halves {
		d := l.DivWide(l.BroadcastWide(wide("near")), l.WideFloat(e, h))
		halves[h] = l.MulWide(l.SubWide(d, wide("middle")), wide("scale"))
	}
	l.Store(l.NarrowWide(halves), l.At("distances", l.i))
	l.end()
}

// quotients emits the loop of Distances for a middle of 0. The results are distances from the eye.
func quotients(f *File, lanes int) {
	l := begin(f, "quotients", lanes, "computes distances from the eye.")
	l.Store(l.Div(l.Broadcast(l.Scalar("product")), l.At("nearness", l.i)), l.At("distances", l.i))
	l.end()
}
