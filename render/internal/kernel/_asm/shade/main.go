// Command shade generates the vector twins of kernel.Shade.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func fields() []Field {
	var f []Field
	for k := range 9 {
		f = append(f, Field{Name: column(k), Type: "*float32"})
	}
	return append(f,
		Field{Name: "payload", Type: "*uint32"},
		Field{Name: "table", Type: "*uint32"}, // by intensity
		Field{Name: "polygons", Type: "int64"},
		Field{Name: "eyeX", Type: "float32"},
		Field{Name: "eyeY", Type: "float32"},
		Field{Name: "eyeZ", Type: "float32"},
	)
}

func column(k int) string { return fmt.Sprint("q", k) }

func main() {
	f := NewFile("shadeArgs", "shadeArgs is what the vector twins of Shade work on.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		for _, orthographic := range []bool{false, true} {
			emit(f, lanes, orthographic, false)
			emit(f, lanes, orthographic, true)
		}
	}
	f.Write()
}

// loop is the state of the generator of one function.
type loop struct {
	*Lanes
	orthographic bool
	i            reg.GPVirtual // next polygon
}

// emit writes the twin for one projection, which stores payloads from the table
// or the bits of intensities.
func emit(f *File, lanes int, orthographic, intensities bool) {
	name, what := "shadePerspective", "shades the polygons of a perspective view"
	if orthographic {
		name, what = "shadeOrthographic", "shades the polygons of an orthographic view"
	}
	if intensities {
		name, what = "intensity"+name[len("shade"):], what+" and stores the bits of their intensities as payloads"
	}
	l := &loop{Lanes: f.Function(name, lanes, what+"."), orthographic: orthographic, i: f.GP64()}
	polygons := l.Int("polygons")
	l.XORQ(l.i, l.i)
	l.Label("loop")
	l.CMPQ(l.i, polygons)
	l.JGE(operand.LabelRef("done"))
	light := l.intensity()
	if intensities {
		l.Store(light, l.At("payload", l.i))
	} else {
		l.lookUp(light)
	}
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
	l.Return()
}

// intensity is View.intensity for the polygons from i on.
func (l *loop) intensity() Vec {
	var corner [3][3]Vec
	for k := range corner {
		for a := range 3 {
			corner[k][a] = l.Load(l.At(column(3*k+a), l.i))
		}
	}
	var toEye, u, w [3]Vec
	for a, eye := range []string{"eyeX", "eyeY", "eyeZ"} {
		toEye[a] = l.Broadcast(l.Scalar(eye))
		if !l.orthographic {
			toEye[a] = l.Sub(toEye[a], l.Add(l.Add(corner[0][a], corner[1][a]), corner[2][a]))
		}
		u[a], w[a] = l.Sub(corner[1][a], corner[0][a]), l.Sub(corner[2][a], corner[0][a])
	}
	normal := l.cross(u, w)
	size := l.Sqrt(l.Mul(l.dot(normal, normal), l.dot(toEye, toEye)))
	towards := l.And(l.dot(normal, toEye), l.Constant("sizeBits", operand.U32(0x7fffffff)))
	// 0/0 is not a number; Max then returns its second operand.
	cos := l.Min(l.Max(l.Div(towards, size), l.Zero()), l.Constant("one", operand.F32(1)))
	return l.Add(l.Mul(cos, l.Constant("diffuse", operand.F32(0.85))), l.Constant("ambient", operand.F32(0.15)))
}

func (l *loop) cross(u, w [3]Vec) (n [3]Vec) {
	for a := range n {
		b, c := (a+1)%3, (a+2)%3
		n[a] = l.Sub(l.Mul(u[b], w[c]), l.Mul(u[c], w[b]))
	}
	return n
}

func (l *loop) dot(a, b [3]Vec) Vec {
	return l.Add(l.Add(l.Mul(a[0], b[0]), l.Mul(a[1], b[1])), l.Mul(a[2], b[2]))
}

// lookUp stores the payloads of intensities. The indices pass through memory
// and one lane after the other is looked up: with the gather instruction of a
// Zen 5 the whole loop took 1.4 times as long.
func (l *loop) lookUp(light Vec) {
	scaled := l.Mul(light, l.Constant("lastStep", operand.F32(4095)))
	index := l.Truncate(l.Add(scaled, l.Constant("half", operand.F32(0.5))))
	payload, table := l.Int("payload"), l.Int("table")
	l.LEAQ(operand.Mem{Base: payload, Index: l.i, Scale: 4}, payload)
	l.Store(index, operand.Mem{Base: payload})
	for lane := range l.N {
		entry, at := l.GP64(), operand.Mem{Base: payload, Disp: 4 * lane}
		l.MOVL(at, entry.As32())
		l.MOVL(operand.Mem{Base: table, Index: entry, Scale: 4}, entry.As32())
		l.MOVL(entry.As32(), at)
	}
}
