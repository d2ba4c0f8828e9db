package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// preparing are the arguments of the loop that prepares triangles, besides facets, and from,
// which says where they go.
var preparing = []Field{
	{Name: "triangles", Type: "*uint32"},
	{Name: "records", Type: "*uint32"}, // by triangle
	{Name: "scale", Type: "float32"},
	{Name: "pivot", Type: "[3]float32"},
	{Name: "base", Type: "[3]float32"},
}

// prepare writes the loop of Scene.prepare.
func prepare(f *File, lanes int) {
	l := begin(f, "prepare", lanes, "prepares triangles for their points.")
	l.Forget()
	records := l.records()
	var corners [3][3]Kept
	var packed [3]Kept
	for g, at := range []*[3]Kept{&corners[0], &corners[1], &corners[2], &packed} {
		for a := range at {
			v := l.Again(records[3*g+a])
			if g < 3 {
				v = l.Mul(l.Sub(v, l.uniform("pivot", a)), l.Scalar("scale"))
			}
			if g == 1 || g == 2 {
				v = l.Sub(v, l.Use(corners[0][a]))
			}
			at[a] = l.Keep(v)
		}
	}
	corner, edge1, edge2 := corners[0], corners[1], corners[2]
	plane := l.keep(l.cross(edge1, l.triple(edge2)))
	l.scatter(0, corner[0], corner[1], corner[2], edge1[0])
	l.scatter(1, edge1[1], edge1[2], edge2[0], edge2[1])
	l.scatter(2, edge2[2], plane[0], plane[1], plane[2])

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

func (l *loop) nothing() Scalar { return l.Constant("nothing", operand.U32(0)) }

// records loads the records of the triangles, turned to columns.
func (l *loop) records() (columns [12]Kept) {
	triangles, records := l.Int("triangles"), l.Int("records")
	var rows [3][4]Vec
	for r := range 4 {
		for part := range l.N / 4 {
			at := l.GP64()
			l.MOVL(operand.Mem{Base: triangles, Index: l.i, Scale: 4, Disp: 4 * (r + 4*part)}, at.As32())
			l.LEAQ(operand.Mem{Base: at, Index: at, Scale: 2}, at)
			l.SHLQ(operand.Imm(4), at) // 48 bytes each
			for g := range rows {
				l.part(&rows[g][r], part, operand.Mem{Base: records, Index: at, Scale: 1, Disp: 16 * g})
			}
		}
	}
	for g, p := range rows {
		for c, v := range l.turn(p) {
			columns[4*g+c] = l.Keep(v)
		}
	}
	return columns
}

// turn exchanges rows and columns in each 128 bits of four vectors.
func (l *loop) turn(p [4]Vec) [4]Vec {
	low01, low23 := l.UnpackLow(p[0], p[1]), l.UnpackLow(p[2], p[3])
	high01, high23 := l.UnpackHigh(p[0], p[1]), l.UnpackHigh(p[2], p[3])
	return [4]Vec{l.UnpackLowPairs(low01, low23), l.UnpackHighPairs(low01, low23), l.UnpackLowPairs(high01, high23), l.UnpackHighPairs(high01, high23)}
}

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
	rows := l.turn([4]Vec{l.Again(a), l.Again(b), l.Again(c), l.Again(d)})
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
