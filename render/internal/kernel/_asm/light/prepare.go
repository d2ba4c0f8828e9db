package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// preparing are the arguments of the loops that read triangles.
var preparing = []Field{
	{Name: "triangles", Type: "*uint32"}, // triangle of each point
	{Name: "runs", Type: "*int32"},
	{Name: "runTriangles", Type: "*uint32"},
	{Name: "runCount", Type: "int64"},
	{Name: "found", Type: "*float32"},
	{Name: "records", Type: "*uint32"}, // record of each triangle
	{Name: "lastRecord", Type: "uint32"},
	{Name: "scale", Type: "float32"},
	{Name: "pivot", Type: "[3]float32"},
	{Name: "normalX", Type: "*float32"},
	{Name: "normalY", Type: "*float32"},
	{Name: "normalZ", Type: "*float32"},
}

// seek emits the loop that finds runs of points. The points of a run show the same triangle. The loop also prefetches
// the records of these triangles.
func seek(f *File, lanes int) {
	l := &loop{Lanes: f.Function("seek", lanes, "finds the runs of points that show one triangle.")}
	l.i = l.GP64()
	count, last := l.GP64(), l.GP64()
	l.XORQ(count, count)
	l.XORQ(l.i, l.i)
	l.MOVL(l.At("triangles", l.i), last.As32())
	l.NOTL(last.As32()) // differs from the first triangle
	l.Label("points")
	l.findRuns(count, last)
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("points"))
	l.JLT(operand.LabelRef("points"))
	l.fetch(count)
	l.MOVQ(count, l.Arg("runCount"))
	l.Return()
}

// prepare emits the loop that does the work of Scene.loadShape for the triangle of each run.
func prepare(f *File, lanes int) {
	l := &loop{Lanes: f.Function("prepare", lanes, "prepares the triangles of runs.")}
	l.notes, l.found, l.i = l.Int("notes"), l.Int("found"), l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("runs")
	l.Forget()
	l.shells()
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("runCount"))
	l.JLT(operand.LabelRef("runs"))
	l.Return()
}

// findRuns finds the runs of the current points. count is the number of earlier runs, and last is the triangle of the
// last run before the current points. findRuns updates both. With AVX-512, all current points of a triangle are one
// run, even if they are not adjacent, because along a nearly level edge pixels alternate between two triangles.
func (l *loop) findRuns(count, last reg.GPVirtual) {
	l.Forget()
	inside := l.inside()
	triangles := l.LoadMasked(l.At("triangles", l.i), l.Mask(inside))
	if l.N == AVX2 {
		l.runsSideBySide(triangles, inside, count, last)
		return
	}
	before, alone, first, lane := l.Vec(), l.K(), l.GP64(), l.Vec()
	l.VPCONFLICTD(triangles, before) // for each lane, the bits of earlier lanes with the same triangle
	l.VPTESTNMD(before, before, alone)
	new := l.Bits(l.MaskAnd(l.Mask(inside), Mask512(alone)))
	l.Comment("The first goes on with the last run, or not. So it has the lowest number.")
	l.VMOVD(triangles.AsX(), first.As32())
	l.XORL(last.As32(), first.As32())
	l.CMPL(first.As32(), operand.Imm(1))
	l.SBBL(first.As32(), first.As32()) // all bits set if the first point shows the triangle of the last run
	l.ANDL(operand.Imm(1), first.As32())
	l.ANDNL(new, first.As32(), new)
	highestOf := l.GP32() // its highest bit is the highest lane with a new run, or the first lane if there is no new run
	l.MOVL(new, highestOf)
	l.ORL(operand.Imm(1), highestOf)

	l.DECQ(count) // runs are numbered from 0
	numbers := l.counts(new, count)
	l.Comment("The others have the number of the first lane that has the same.")
	earliest := l.And(before, l.SubInt(l.Zero(), before))
	l.VPLZCNTD(earliest, lane)
	lane = l.SubInt(l.Broadcast(l.Constant("lastBit", operand.I32(31))), lane)
	lane = l.Choose(Mask512(alone), l.Load(l.Iota()), lane)
	at := l.GP64()
	l.LEAQ(operand.Mem{Base: count, Disp: 1}, at)
	packed := l.K()
	l.KMOVW(new, packed)
	l.Store(l.Pack(l.Packing(Mask512(packed), new), triangles), l.At("runTriangles", at))
	to := l.Vec()
	l.VPERMD(numbers, lane, to)
	l.Store(to, l.At("runs", l.i))
	l.POPCNTL(new, new)
	l.LEAQ(operand.Mem{Base: count, Index: new.As64(), Scale: 1, Disp: 1}, count)
	highest := l.GP64()
	l.BSRL(highestOf, highest.As32())
	l.ADDQ(l.i, highest)
	l.MOVL(l.At("triangles", highest), last.As32())
}

// runsSideBySide is findRuns for AVX2, where only adjacent points form a run.
func (l *loop) runsSideBySide(triangles Vec, inside KeptMask, count, last reg.GPVirtual) {
	rotated, one := l.Permute(triangles, l.rotation()), l.GP64()
	l.MOVQ(operand.I32(1), one)
	before := l.Choose(l.First(one), l.BroadcastInt(last), rotated)
	l.VMOVD(rotated.AsX(), last.As32())
	first := l.Without(l.Mask(inside), l.IsZero(l.Xor(triangles, before)))
	bits := l.Bits(first)
	l.Store(l.Pack(l.Packing(first, bits), triangles), l.At("runTriangles", count))
	l.DECQ(count) // runs are numbered from 0
	l.Store(l.counts(bits, count), l.At("runs", l.i))
	l.POPCNTL(bits, bits)
	l.LEAQ(operand.Mem{Base: count, Index: bits.As64(), Scale: 1, Disp: 1}, count)
}

// fetch prefetches the records of all runs.
func (l *loop) fetch(count reg.GPVirtual) {
	records, at := l.Int("records"), l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("fetch")
	l.MOVL(l.At("runTriangles", l.i), at.As32())
	l.recordAt(at)
	for _, end := range []int{0, 47} {
		l.PREFETCHT0(operand.Mem{Base: records, Index: at, Scale: 1, Disp: end})
	}
	l.INCQ(l.i)
	l.CMPQ(l.i, count)
	l.JLT(operand.LabelRef("fetch"))
}

// recordAt converts the number of a triangle to the offset of its record.
func (l *loop) recordAt(number reg.GPVirtual) {
	l.LEAQ(operand.Mem{Base: number, Index: number, Scale: 2}, number)
	l.SHLQ(operand.Imm(4), number) // a record has 48 bytes
}

// rotation returns a table with the number of the previous lane for each lane.
func (l *loop) rotation() operand.Mem {
	numbers := make([]operand.Constant, l.N)
	for lane := range numbers {
		numbers[lane] = operand.U32((lane + l.N - 1) % l.N)
	}
	return l.Table("before"+suffix(l.N), numbers...)
}

// counts returns, for every lane, the number before plus the number of bits that are set in lanes up to this lane.
func (l *loop) counts(bits, before reg.GPVirtual) Vec {
	table, half := l.GP64(), l
	l.LEAQ(GoTable("LaneCounts"), table)
	if l.N == AVX512 {
		half = &loop{Lanes: l.Half()}
	}
	of := func(bits, before reg.GPVirtual) Vec {
		v := half.Vec()
		l.VPMOVZXBD(operand.Mem{Base: table, Index: bits.As64(), Scale: 8}, v)
		return half.AddInt(v, half.BroadcastInt(before))
	}
	if l.N == AVX2 {
		return of(bits, before)
	}
	low, high, more := l.GP64(), l.GP64(), l.GP64()
	l.MOVBLZX(bits.As8(), low.As32())
	l.MOVL(bits.As32(), high.As32())
	l.SHRL(operand.Imm(8), high.As32())
	l.POPCNTL(low.As32(), more.As32())
	l.ADDQ(before, more)
	v := l.Vec()
	l.VINSERTI64X4(operand.Imm(1), of(high, more), of(low, before).AsZ(), v)
	return v
}

// shells prepares the triangles of the current runs. Lanes after the last run hold arbitrary numbers, which the
// method records limits to numbers of triangles.
func (l *loop) shells() {
	records := l.records()
	var corners [3][3]Kept
	for k := range corners {
		for a := range 3 {
			v := l.Mul(l.Sub(l.Again(records[3*k+a]), l.uniform("pivot", a)), l.Scalar("scale"))
			if k > 0 {
				v = l.Sub(v, l.Use(corners[0][a]))
			}
			corners[k][a] = l.foundOf(v, []string{"Corner", "Edge1", "Edge2"}[k], a)
		}
	}
	plane := l.cross(corners[1], l.triple(corners[2]))
	for a := range plane {
		l.foundOf(plane[a], "Plane", a)
	}
	packed := [3]Kept(records[9:])
	different := l.OrBits(l.Xor(l.Again(packed[0]), l.Use(packed[1])), l.Xor(l.Again(packed[0]), l.Use(packed[2])))
	flat := l.KeepMask(l.IsZero(different))
	l.foundOf(l.Choose(l.Mask(flat), l.MinusOne(), l.Zero()), "Flat", 0)
	for k := range packed {
		for a, v := range l.unpacked(packed[k]) {
			l.foundOf(v, "Normal0", 3*k+a)
		}
	}
	l.JumpIfNone(l.Mask(flat), "round")
	l.flatten(flat, packed[0])
	l.Label("round")
}

// foundAt returns the memory of a column of found for the runs from number `at` on.
func (l *loop) foundAt(name string, axis int, at reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: l.found, Index: at, Scale: 4, Disp: 4 * (l.Go("Capacity") + l.Go("widest")) * (l.Go("run"+name) + axis)}
}

// foundOf stores v in a column of found for the current runs. It returns v as a Kept.
func (l *loop) foundOf(v Vec, name string, axis int) Kept {
	to := l.foundAt(name, axis, l.i)
	l.Store(v, to)
	return l.KeptIn(v, to)
}

// beginRuns loads the run numbers of the current points for ofRun.
func (l *loop) beginRuns() {
	l.run = l.GP64()
	l.MOVL(l.At("runs", l.i), l.run.As32())
	l.among = l.Keep(l.SubInt(l.Load(l.At("runs", l.i)), l.BroadcastInt(l.run)))
}

// ofRun returns a column of found for the triangles of the current points. The runs of these points all lie within a
// vector.
func (l *loop) ofRun(name string, axis int) Vec {
	v := l.Vec()
	l.VPERMPS(l.foundAt(name, axis, l.run), l.Again(l.among), v)
	return v
}

func (l *loop) nothing() Scalar { return l.Constant("nothing", operand.U32(0)) }

// index returns the memory of the index of a current run's record.
func (l *loop) index(run int) operand.Mem { return operand.Mem{Base: l.notes, Disp: 4 * run} }

// records loads the records of the current runs and transposes them to columns.
func (l *loop) records() (columns [12]Kept) {
	l.Store(l.MinUnsigned(l.Load(l.At("runTriangles", l.i)), l.Scalar("lastRecord")), l.index(0))
	records := l.Int("records")
	var rows [3][4]Vec
	for r := range 4 {
		for part := range l.N / 4 {
			at := l.GP64()
			l.MOVL(l.index(r+4*part), at.As32())
			l.recordAt(at)
			for g := range rows {
				l.loadPart(&rows[g][r], part, operand.Mem{Base: records, Index: at, Scale: 1, Disp: 16 * g})
			}
		}
	}
	for g, p := range rows {
		for c, v := range l.transpose(p) {
			columns[4*g+c] = l.Keep(v)
		}
	}
	return columns
}

// transpose transposes the 4 x 4 elements in each 128 bits of four vectors.
func (l *loop) transpose(p [4]Vec) [4]Vec {
	low01, low23 := l.UnpackLow(p[0], p[1]), l.UnpackLow(p[2], p[3])
	high01, high23 := l.UnpackHigh(p[0], p[1]), l.UnpackHigh(p[2], p[3])
	return [4]Vec{l.UnpackLowPairs(low01, low23), l.UnpackHighPairs(low01, low23), l.UnpackLowPairs(high01, high23), l.UnpackHighPairs(high01, high23)}
}

// unpacked emits the code of normals.Unpack.
func (l *loop) unpacked(packed Kept) [3]Vec {
	half := l.Go("PackHalf")
	low := l.Constant("low", operand.U32(0xffff))
	place := func(v Vec) Vec {
		v = l.ToFloat(l.SubInt(l.And(v, low), l.Constant("middle", operand.I32(1+half))))
		return l.Mul(v, l.number("perHalf", 1/float32(half)))
	}
	x, y := l.Keep(place(l.Again(packed))), l.Keep(place(l.ShiftRight(l.Again(packed), 16)))
	magnitude, sign := l.magnitude(), l.sign()
	one := l.Broadcast(l.number("one", 1))
	overX, overY := l.And(l.Again(x), magnitude), l.And(l.Again(y), magnitude)
	z := l.Sub(l.Sub(one, overX), overY)
	folded := l.Greater(l.Zero(), z, nil)
	foldX := l.Xor(l.Sub(one, overY), l.And(l.Again(x), sign))
	foldY := l.Xor(l.Sub(one, overX), l.And(l.Again(y), sign))
	l.Set(x, l.Choose(folded, foldX, l.Again(x)))
	l.Set(y, l.Choose(folded, foldY, l.Again(y)))
	n := l.unit([3]Kept{x, y, l.Keep(z)})
	none := l.IsZero(l.Again(packed))
	for a := range n {
		n[a] = l.Choose(none, l.Zero(), n[a])
	}
	return n
}

// loadPart loads 128 bits into a vector. Part 0 is the lowest part and must be loaded first.
func (l *loop) loadPart(v *Vec, part int, from operand.Mem) {
	if part == 0 {
		// Other parts are overwritten later, but avo requires that the whole register has been written.
		*v = l.Vec()
		if l.N == AVX512 {
			l.VBROADCASTF32X4(from, *v)
		} else {
			l.VBROADCASTF128(from, *v)
		}
		return
	}
	if l.N == AVX512 {
		l.VINSERTF32X4(operand.Imm(uint64(part)), from, *v, *v)
	} else {
		l.VINSERTF128(operand.Imm(uint64(part)), from, *v, *v)
	}
}

// flatten turns the normals of flat triangles to the front side of the triangles' planes. A flat triangle without a
// normal gets the normal of its plane.
func (l *loop) flatten(flat KeptMask, packed Kept) {
	var normal, plane [3]Kept
	for a := range plane {
		normal[a], plane[a] = l.Keep(l.Load(l.foundAt("Normal0", a, l.i))), l.Keep(l.Load(l.foundAt("Plane", a, l.i)))
	}
	behind := l.KeepMask(l.MaskAnd(l.Greater(l.Zero(), l.dotKept(normal, l.triple(plane)), nil), l.Mask(flat)))
	none := l.KeepMask(l.MaskAnd(l.IsZero(l.Again(packed)), l.Mask(flat)))
	unit := l.unit(plane)
	for a := range normal {
		n := l.Again(normal[a])
		n = l.Choose(l.Mask(behind), l.Xor(n, l.Constant("sign", operand.U32(1<<31))), n)
		l.foundOf(l.Choose(l.Mask(none), unit[a], n), "Normal0", a)
	}
}
