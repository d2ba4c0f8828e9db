package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// preparing are the arguments of the loop that prepares triangles, besides facets, and from,
// which says where they go.
var preparing = []Field{
	{Name: "triangles", Type: "*uint32"},
	// By triangle.
	{Name: "x0", Type: "*float32"}, {Name: "y0", Type: "*float32"}, {Name: "z0", Type: "*float32"},
	{Name: "x1", Type: "*float32"}, {Name: "y1", Type: "*float32"}, {Name: "z1", Type: "*float32"},
	{Name: "x2", Type: "*float32"}, {Name: "y2", Type: "*float32"}, {Name: "z2", Type: "*float32"},
	{Name: "normals", Type: "*uint32"}, // by corner
	{Name: "smooth", Type: "int32"},    // -1, or 0: there are no normals
	{Name: "scale", Type: "float32"},
	{Name: "pivot", Type: "[3]float32"},
	{Name: "base", Type: "[3]float32"},
}

// prepare writes the loop of Scene.prepare.
func prepare(f *File, lanes int) {
	l := begin(f, "prepare", lanes, "prepares triangles for their points.")
	l.Forget()
	smooth := l.Switch("smooth")
	triangle := l.Keep(l.Load(l.At("triangles", l.i)))
	var corners [3][3]Kept
	for k := range corners {
		for a, axis := range []string{"x", "y", "z"} {
			v := l.Gather(fmt.Sprint(axis, k), l.Again(triangle), l.all(), l.nothing())
			v = l.Mul(l.Sub(v, l.uniform("pivot", a)), l.Scalar("scale"))
			if k > 0 {
				v = l.Sub(v, l.Use(corners[0][a]))
			}
			corners[k][a] = l.Keep(v)
		}
	}
	corner, edge1, edge2 := corners[0], corners[1], corners[2]
	plane := l.keepVectors(l.cross(edge1, l.triple(edge2)))
	l.scatter(0, corner[0], corner[1], corner[2], edge1[0])
	l.scatter(1, edge1[1], edge1[2], edge2[0], edge2[1])
	l.scatter(2, edge2[2], plane[0], plane[1], plane[2])

	first := l.AddInt(l.AddInt(l.Again(triangle), l.Use(triangle)), l.Use(triangle))
	var packed [3]Kept
	for k := range packed {
		at := first
		if k > 0 {
			at = l.AddInt(first, l.Constant(fmt.Sprint("whole", k), operand.I32(k)))
		}
		m := smooth()
		packed[k] = l.Keep(l.Gather("normals", at, l.MaskAnd(*m, *m), l.nothing()))
	}
	different := l.OrBits(l.Xor(l.Again(packed[0]), l.Use(packed[1])), l.Xor(l.Again(packed[0]), l.Use(packed[2])))
	flat := l.KeepMask(l.IsZero(different))
	var normals [3][3]Kept
	for k := range normals {
		normals[k] = l.unpacked(packed[k])
	}
	l.flatten(l.Mask(flat), packed[0], &normals[0], plane)
	nan := l.Broadcast(l.Constant("noNumber", operand.U32(0x7fc00000)))
	l.Set(normals[1][0], l.Blend(l.Mask(flat), nan, l.Again(normals[1][0])))
	l.scatter(3, normals[0][0], normals[0][1], normals[0][2], normals[1][0])
	l.scatter(4, normals[1][1], normals[1][2], normals[2][0], normals[2][1])
	var base [3]Kept
	for a := range base {
		base[a] = l.Keep(l.Broadcast(l.uniform("base", a)))
	}
	l.scatter(5, normals[2][2], base[0], base[1], base[2])
	l.end()
}

// all selects all lanes.
func (l *loop) all() Mask { return l.Negative(l.MinusOne()) }

func (l *loop) nothing() Scalar { return l.Constant("nothing", operand.U32(0)) }

func (l *loop) keepVectors(v [3]Vec) [3]Kept { return l.keep(v) }

// unpacked is unpack.
func (l *loop) unpacked(packed Kept) [3]Kept {
	half := l.Go("PackHalf")
	low := l.Constant("low", operand.U32(0xffff))
	place := func(v Vec) Vec {
		v = l.ToFloat(l.SubInt(l.And(v, low), l.Constant("middle", operand.I32(1+half))))
		return l.Mul(v, l.number("perHalf", 1/float32(half)))
	}
	x, y := l.Keep(place(l.Again(packed))), l.Keep(place(l.ShiftRight(l.Again(packed), 16)))
	magnitude, sign := l.Constant("magnitude", operand.U32(1<<31-1)), l.Constant("sign", operand.U32(1<<31))
	one := l.Broadcast(l.number("one", 1))
	overX, overY := l.And(l.Again(x), magnitude), l.And(l.Again(y), magnitude)
	z := l.Sub(l.Sub(one, overX), overY)
	folded := l.Greater(l.Zero(), z, nil)
	foldX := l.Xor(l.Sub(one, overY), l.And(l.Again(x), sign))
	foldY := l.Xor(l.Sub(one, overX), l.And(l.Again(y), sign))
	l.Set(x, l.Blend(folded, foldX, l.Again(x)))
	l.Set(y, l.Blend(folded, foldY, l.Again(y)))
	n := l.unit([3]Kept{x, y, l.Keep(z)})
	none := l.IsZero(l.Again(packed))
	for a := range n {
		n[a] = l.Blend(none, l.Zero(), n[a])
	}
	return l.keep(n)
}

// flatten turns the normals of flat triangles to the side of their planes, and gives those of
// the planes to triangles that have none.
func (l *loop) flatten(flat Mask, packed Kept, normal *[3]Kept, plane [3]Kept) {
	behind := l.Greater(l.Zero(), l.dotKept(*normal, l.triple(plane)), nil)
	behind = l.MaskAnd(behind, flat)
	none := l.MaskAnd(l.IsZero(l.Again(packed)), flat)
	unit := l.unit(plane)
	for a := range normal {
		n := l.Again(normal[a])
		n = l.Blend(behind, l.Xor(n, l.Constant("sign", operand.U32(1<<31))), n)
		l.Set(normal[a], l.Blend(none, unit[a], n))
	}
}

// scatter brings four columns to the facets, as four floats from number 4*group on.
func (l *loop) scatter(group int, a, b, c, d Kept) {
	from, facets := l.Int("from"), l.Int("facets")
	low01, high01 := l.UnpackLow(l.Again(a), l.Again(b)), l.UnpackHigh(l.Again(a), l.Again(b))
	low23, high23 := l.UnpackLow(l.Again(c), l.Again(d)), l.UnpackHigh(l.Again(c), l.Again(d))
	rows := [4]Vec{l.UnpackLowPairs(low01, low23), l.UnpackHighPairs(low01, low23), l.UnpackLowPairs(high01, high23), l.UnpackHighPairs(high01, high23)}
	for r, row := range rows {
		for part := range l.N / 4 {
			at := l.GP64()
			l.MOVL(operand.Mem{Base: from, Index: l.i, Scale: 4, Disp: 4 * (r + 4*part)}, at.As32())
			to := operand.Mem{Base: facets, Index: at, Scale: 1, Disp: 16 * group}
			switch {
			case part == 0:
				l.VMOVUPS(row.AsX(), to)
			case l.N == AVX512:
				l.VEXTRACTF32X4(operand.Imm(uint64(part)), row, to)
			default:
				l.VEXTRACTF128(operand.Imm(uint64(part)), row, to)
			}
		}
	}
}
