// Command shape generates the loops that compute the normals of triangles and the weights of their corners.
package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

type loop struct {
	*Lanes
	i reg.GPVirtual
}

func main() {
	fields := []Field{{Name: "triangles", Type: "int64"}, {Name: "scale", Type: "float32"}}
	for _, axis := range []string{"x", "y", "z"} {
		for _, corner := range []string{"0", "1", "2"} {
			fields = append(fields, Field{Name: axis + corner, Type: "*float32"})
		}
	}
	fields = append(fields, Field{Name: "columns", Type: "*float32"})
	f := NewFile("shape", "shapeArgs", "holds the arguments and results of a call of a loop.", fields)
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}

// emit emits the loop of welder.shapeOf of package normals.
func emit(f *File, lanes int) {
	l := &loop{Lanes: f.Function("shape", lanes, "computes the normals of triangles and the weights of their corners.")}
	triangles := l.Int("triangles")
	l.i = l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("loop")
	l.CMPQ(l.i, triangles)
	l.JGE(operand.LabelRef("done"))
	l.Forget()

	var corners, edges [3][3]Kept
	for k := range corners {
		for axis, name := range []string{"x", "y", "z"} {
			v := l.Load(operand.Mem{Base: l.Int(name + string(rune('0'+k))), Index: l.i, Scale: 4})
			corners[k][axis] = l.Keep(l.Mul(v, l.Scalar("scale")))
		}
	}
	for k := range edges { // edge k goes from corner k to the next
		for a := range edges[k] {
			edges[k][a] = l.Keep(l.Sub(l.Again(corners[(k+1)%3][a]), l.Use(corners[k][a])))
		}
	}
	normal := l.keep(l.cross(edges[0], edges[1]))
	area := l.Keep(l.Sqrt(l.dot(normal, normal)))
	some := l.Greater(l.Again(area), l.Zero(), nil)
	finite := l.AtLeast(l.Zero(), l.Sub(l.Again(area), l.Use(area)), nil)
	valid := l.KeepMask(l.MaskAnd(some, finite))

	for k := range edges {
		edges[k] = l.keep(l.unit(edges[k]))
	}
	for k := range edges { // computes the angle between the edges that meet at corner k
		cos := l.Xor(l.dot(edges[k], edges[(k+2)%3]), l.sign())
		weight := l.Mul(l.acos(cos), l.Use(area))
		l.Store(l.Blend(l.Mask(valid), weight, l.Zero()), l.column("Weight", k))
	}
	packed := l.Keep(l.Blend(l.Mask(valid), l.packed(normal), l.Zero()))
	l.Store(l.Again(packed), l.column("Packed", 0))
	for a, v := range l.unpacked(packed) {
		l.Store(v, l.column("Normal", a))
	}

	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
	l.Return()
}

// column returns the memory of a column of the batch for the current triangles.
func (l *loop) column(name string, axis int) operand.Mem {
	return operand.Mem{Base: l.Int("columns"), Index: l.i, Scale: 4, Disp: 4 * l.Go("Capacity") * (l.Go(name) + axis)}
}

func (l *loop) number(name string, x float32) Scalar { return l.Constant(name, operand.F32(x)) }
func (l *loop) one() Scalar                          { return l.number("one", 1) }
func (l *loop) sign() Scalar                         { return l.Constant("sign", operand.U32(1<<31)) }

func (l *loop) abs(v Vec) Vec { return l.And(v, l.Constant("magnitude", operand.U32(1<<31-1))) }

func (l *loop) keep(v [3]Vec) (k [3]Kept) {
	for a := range v {
		k[a] = l.Keep(v[a])
	}
	return k
}

func (l *loop) cross(u, w [3]Kept) (n [3]Vec) {
	for a := range n {
		b, c := (a+1)%3, (a+2)%3
		n[a] = l.Sub(l.Mul(l.Again(u[b]), l.Use(w[c])), l.Mul(l.Again(u[c]), l.Use(w[b])))
	}
	return n
}

func (l *loop) dot(u, w [3]Kept) Vec {
	sum := l.Mul(l.Again(u[0]), l.Use(w[0]))
	sum = l.Add(sum, l.Mul(l.Again(u[1]), l.Use(w[1])))
	return l.Add(sum, l.Mul(l.Again(u[2]), l.Use(w[2])))
}

// unit emits the code of float3.Vector.Unit, except for lengths that are NaN.
func (l *loop) unit(k [3]Kept) (v [3]Vec) {
	length := l.Sqrt(l.dot(k, k))
	per := l.Div(l.Broadcast(l.one()), length)
	none := l.AtLeast(l.Zero(), length, nil)
	for a := range v {
		v[a] = l.Blend(none, l.Zero(), l.Mul(per, l.Use(k[a])))
	}
	return v
}

// acos emits the code of function acos of package normals.
func (l *loop) acos(cos Vec) Vec {
	x := l.Keep(cos)
	a := l.Keep(l.Min(l.abs(l.Again(x)), l.one()))
	p := l.Mul(l.Again(a), l.number("acos3", -0.0187293))
	p = l.Mul(l.Add(p, l.number("acos2", 0.0742610)), l.Use(a))
	p = l.Mul(l.Sub(p, l.number("acos1", 0.2121144)), l.Use(a))
	p = l.Add(p, l.number("acos0", 1.5707288))
	p = l.Mul(l.Sqrt(l.Sub(l.Broadcast(l.one()), l.Use(a))), p)
	obtuse := l.Greater(l.Zero(), l.Again(x), nil)
	return l.Blend(obtuse, l.Sub(l.Broadcast(l.number("pi", math.Pi)), p), p)
}

// packed emits the code of normals.Pack for vectors whose length is above 0 and not NaN.
func (l *loop) packed(v [3]Kept) Vec {
	sum := l.Add(l.abs(l.Again(v[0])), l.abs(l.Again(v[1])))
	sum = l.Add(sum, l.abs(l.Again(v[2])))
	x, y := l.Keep(l.Div(l.Again(v[0]), sum)), l.Keep(l.Div(l.Again(v[1]), sum))
	l.fold(x, y, l.Greater(l.Zero(), l.Again(v[2]), nil))
	half := l.number("packHalf", float32(l.Go("PackHalf")))
	quantized := func(k Kept) Vec {
		v := l.Add(l.Mul(l.Again(k), half), half)
		return l.And(l.Truncate(l.Add(v, l.number("oneAndHalf", 1.5))), l.Constant("low", operand.U32(0xffff)))
	}
	return l.OrBits(quantized(x), l.ShiftLeft(quantized(y), 16))
}

// fold emits the code of the function fold of package normals, for the lanes that the mask `where` selects.
func (l *loop) fold(x, y Kept, where Mask) {
	folded := l.KeepMask(where)
	turned := func(v Vec, as Kept) Vec {
		negative := l.Greater(l.Zero(), l.Again(as), nil)
		return l.Blend(negative, l.Xor(v, l.sign()), v)
	}
	foldX := turned(l.Sub(l.Broadcast(l.one()), l.abs(l.Again(y))), x)
	foldY := turned(l.Sub(l.Broadcast(l.one()), l.abs(l.Again(x))), y)
	l.Set(x, l.Blend(l.Mask(folded), foldX, l.Again(x)))
	l.Set(y, l.Blend(l.Mask(folded), foldY, l.Again(y)))
}

// unpacked emits the code of normals.Unpack.
func (l *loop) unpacked(packed Kept) [3]Vec {
	half := l.Go("PackHalf")
	place := func(v Vec) Vec {
		v = l.ToFloat(l.SubInt(l.And(v, l.Constant("low", operand.U32(0xffff))), l.Constant("middle", operand.I32(1+half))))
		return l.Mul(v, l.number("perHalf", 1/float32(half)))
	}
	x, y := l.Keep(place(l.Again(packed))), l.Keep(place(l.ShiftRight(l.Again(packed), 16)))
	z := l.Keep(l.Sub(l.Sub(l.Broadcast(l.one()), l.abs(l.Again(x))), l.abs(l.Again(y))))
	l.fold(x, y, l.Greater(l.Zero(), l.Again(z), nil))
	n := l.unit([3]Kept{x, y, z})
	none := l.IsZero(l.Again(packed))
	for a := range n {
		n[a] = l.Blend(none, l.Zero(), n[a])
	}
	return n
}
