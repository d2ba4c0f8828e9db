// Command light generates the loops that light points of triangles.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// uniforms are the vectors of light.View, in the order of its fields. The method mirroringPoint.eachLight needs key,
// fill, rim and up to be adjacent and in this order.
var uniforms = []string{"origin", "originX", "originY", "forward", "forwardX", "forwardY", "key", "fill", "rim", "up", "right", "above", "near"}

type loop struct {
	*Lanes
	i reg.GPVirtual // first of the current points, which fill a vector
	// columns, notes and found are the addresses of Batch.Columns, Batch.notes and Batch.found.
	columns, notes, found reg.GPVirtual
	run                   reg.GPVirtual // run of the first current point
	among                 Kept          // for each current point, number of its run minus the field run
	rare                  []func()      // code of onlyFor
}

func main() {
	fields := []Field{{Name: "columns", Type: "*float32"}, {Name: "notes", Type: "*float32"}, {Name: "pixels", Type: "*int32"}, {Name: "points", Type: "int64"}, {Name: "task", Type: "int32"}}
	for _, name := range uniforms {
		fields = append(fields, Field{Name: name, Type: "[3]float32"})
	}
	fields = append(fields, preparing...)
	fields = append(fields, placing...)
	fields = append(fields, blending...)
	fields = append(fields, aiming...)
	fields = append(fields, mirroring...)
	f := NewFile("light", "lightArgs", "holds the arguments and results of a call of a loop.", fields)
	for _, lanes := range []int{AVX512, AVX2} {
		seek(f, lanes)
		prepare(f, lanes)
		emit(f, lanes)
		mirror(f, lanes)
		blend(f, lanes)
	}
	f.Write()
}

// begin starts a function that works on the points of a batch.
func begin(f *File, name string, lanes int, doc string) *loop {
	l := &loop{Lanes: f.Function(name, lanes, doc)}
	l.columns, l.notes, l.found, l.i = l.Int("columns"), l.Int("notes"), l.Int("found"), l.GP64()
	return l
}

// points emits a loop over all points of the batch. An iteration processes a vector of points.
func (l *loop) points(name string, do func()) {
	l.XORQ(l.i, l.i)
	l.Label(name)
	l.Forget()
	do()
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("points"))
	l.JLT(operand.LabelRef(name))
}

// onlyFor emits code for one task of the loop. The code comes after the loop, so that other tasks take no jump. The
// loop goes on at the label next.
func (l *loop) onlyFor(task, next string, do func()) {
	l.CMPL(l.Arg("task"), operand.Imm(uint64(l.Go(task))))
	l.JEQ(operand.LabelRef(task))
	l.rare = append(l.rare, func() {
		l.Label(task)
		do()
		l.JMP(operand.LabelRef(next))
	})
}

// emit emits the loop for points, whose tasks are constants of package light.
func emit(f *File, lanes int) {
	l := begin(f, "light", lanes, "lights points, or computes inputs of their colours.")
	l.points("loop", func() {
		p := l.point()
		l.onlyFor("taskShine", "shine", func() { l.restore(p) })
		l.aimed(p)
		l.onlyFor("taskAim", "next", func() { l.aim(p) })
		l.onlyFor("taskNormals", "next", func() { l.storeNormals(p) })
		l.Label("shine")
		l.shine(p)
		l.Label("next")
	})
	l.JMP(operand.LabelRef("end"))
	for _, emit := range l.rare {
		emit()
	}
	l.Label("end")
	l.besides()
	l.Return()
}

// storeNormals stores the normals in camera space.
func (l *loop) storeNormals(p point) {
	for a, axis := range []string{"right", "above", "near"} {
		l.Store(l.towards(p.normal, axis), l.At([]string{"normalX", "normalY", "normalZ"}[a], l.i))
	}
}

// A point holds the values that the loop has computed for the current points. All but away can be saved in notes.
type point struct {
	x, y            Kept
	forward, normal [3]Kept
	away            Kept // scalar product of forward and normal
}

// point returns a point without values.
func (l *loop) point() (p point) {
	p.x, p.y, p.away = l.Variable(l.note("X", 0)), l.Variable(l.note("Y", 0)), l.Slot()
	for a := range 3 {
		p.forward[a], p.normal[a] = l.Variable(l.note("Forward", a)), l.Variable(l.note("Normal", a))
	}
	return p
}

// restore reads the values that shine needs from notes, and computes away.
func (l *loop) restore(p point) {
	l.Restore(p.forward[:]...)
	l.Restore(p.normal[:]...)
	l.Set(p.away, l.dotKept(p.normal, l.triple(p.forward)))
}

// aimed computes the inputs of lighting for the current points, except colours. Unless only normals are wanted, it also
// stores the open share of the sky above the points.
func (l *loop) aimed(p point) {
	inside := l.inside()
	pixel, samples := l.place(inside, p)
	l.CMPL(l.Arg("task"), operand.Imm(uint64(l.Go("taskNormals"))))
	l.JEQ(operand.LabelRef("placed"))
	l.sky(inside, pixel, samples)
	l.Label("placed")
	l.line(p.forward, "forward", p.x, p.y)
	l.interpolate(p)
	l.turn(p)
}

// inside selects the current points that are in the batch.
func (l *loop) inside() KeptMask {
	rest := l.Int("points")
	l.SUBQ(l.i, rest)
	return l.KeepMask(l.First(rest))
}

// column returns the memory of a column of the batch for the current points.
func (l *loop) column(name string, axis int) operand.Mem { return l.columnAt(name, axis, l.i) }

// columnAt returns the memory of a column of the batch, for the points from number `at` on.
func (l *loop) columnAt(name string, axis int, at reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: l.columns, Index: at, Scale: 4, Disp: 4 * l.Go("Capacity") * (l.Go(name) + axis)}
}

// note returns the memory of a column of notes for the current points.
func (l *loop) note(name string, axis int) operand.Mem {
	return operand.Mem{Base: l.notes, Index: l.i, Scale: 4, Disp: 4 * l.Go("Capacity") * (l.Go("note"+name) + axis)}
}

func (l *loop) uniform(name string, axis int) Scalar { return Scalar{l.Arg(name).Offset(4 * axis)} }

func (l *loop) number(name string, x float32) Scalar { return l.Constant(name, operand.F32(x)) }

func (l *loop) constant(name string) Scalar { return l.number(name, l.GoFloat(name)) }

func (l *loop) keep(v [3]Vec) (k [3]Kept) {
	for a := range v {
		k[a] = l.Keep(v[a])
	}
	return k
}

// triple returns a vector's components as second operands of instructions.
func (l *loop) triple(k [3]Kept) (o [3]Operand) {
	for a := range k {
		o[a] = l.Use(k[a])
	}
	return o
}

// of returns three columns of the current points' triangles as second operands of instructions.
func (l *loop) of(name string) (o [3]Operand) {
	for a := range o {
		o[a] = l.ofRun(name, a)
	}
	return o
}

func (l *loop) cross(u [3]Kept, w [3]Operand) (n [3]Vec) {
	for a := range n {
		b, c := (a+1)%3, (a+2)%3
		n[a] = l.Sub(l.Mul(l.Again(u[b]), w[c]), l.Mul(l.Again(u[c]), w[b]))
	}
	return n
}

func (l *loop) dot(u [3]Vec, w [3]Operand) Vec {
	return l.Add(l.Add(l.Mul(u[0], w[0]), l.Mul(u[1], w[1])), l.Mul(u[2], w[2]))
}

func (l *loop) dotKept(u [3]Kept, w [3]Operand) Vec {
	sum := l.Mul(l.Again(u[0]), w[0])
	sum = l.Add(sum, l.Mul(l.Again(u[1]), w[1]))
	return l.Add(sum, l.Mul(l.Again(u[2]), w[2]))
}

// line emits half of the code of Lens.lineOfSight: the origin or the direction. name selects one of them.
func (l *loop) line(to [3]Kept, name string, x, y Kept) {
	for a, k := range to {
		v := l.Add(l.Mul(l.Again(x), l.uniform(name+"X", a)), l.uniform(name, a))
		l.Set(k, l.To(k).Add(v, l.Mul(l.Again(y), l.uniform(name+"Y", a))))
	}
}

// newLine is line with vectors of its own.
func (l *loop) newLine(name string, x, y Kept) [3]Kept {
	k := [3]Kept{l.Slot(), l.Slot(), l.Slot()}
	l.line(k, name, x, y)
	return k
}

// unit emits the code of float3.Vector.Unit.
func (l *loop) unit(k [3]Kept) (v [3]Vec) {
	length := l.Sqrt(l.dotKept(k, l.triple(k)))
	per := l.Div(l.Broadcast(l.number("one", 1)), length)
	none := l.AtLeast(l.Zero(), length, nil)
	for a := range v {
		v[a] = l.Choose(none, l.Zero(), l.Mul(per, l.Use(k[a])))
	}
	return v
}

// shares emits the code of triangleShape.unnormalizedWeights. sign has the sign bit set for points that show the back
// of their triangle, because the values there have the opposite sign.
func (l *loop) shares(forward, from [3]Kept) (shares [3]Kept, sign Kept) {
	for a := range from {
		from[a] = l.Keep(l.Sub(l.Again(from[a]), l.ofRun("Corner", a)))
	}
	side := l.dotKept(forward, l.of("Plane"))
	sign = l.Keep(l.Choose(l.Greater(side, l.Nothing(), nil), l.Broadcast(l.sign()), l.Zero()))
	all := l.Keep(l.And(side, l.magnitude()))
	u := l.Keep(l.Max(l.Xor(l.dot(l.cross(forward, l.of("Edge2")), l.triple(from)), l.Use(sign)), l.Nothing()))
	q := l.cross(from, l.of("Edge1"))
	v := l.Keep(l.Max(l.Xor(l.dot(q, l.triple(forward)), l.Use(sign)), l.Nothing()))
	w := l.Keep(l.Max(l.Sub(l.Sub(l.Again(all), l.Use(u)), l.Use(v)), l.Nothing()))
	sum := l.Add(l.Add(l.Again(u), l.Use(v)), l.Use(w))
	seen := l.Greater(l.Mul(l.Again(all), l.number("edgeOn", 1e6)), sum, nil)
	power := l.And(sum, l.Constant("exponents", operand.U32(255<<23)))
	per := l.SubInt(l.Broadcast(l.Constant("twice127", operand.U32(254<<23))), power)
	third := l.Broadcast(l.number("third", 1./3))
	for k, share := range []Kept{w, u, v} {
		shares[k] = l.Keep(l.Choose(seen, l.Mul(per, l.Use(share)), third))
	}
	return shares, sign
}

// interpolate computes the normals of the current points, on the visible side of the triangle.
func (l *loop) interpolate(p point) {
	l.beginRuns()
	shares, sign := l.shares(p.forward, l.newLine("origin", p.x, p.y))
	l.CMPL(l.Arg("task"), operand.Imm(uint64(l.Go("taskAim"))))
	l.JEQ(operand.LabelRef("weights"))
	l.rare = append(l.rare, func() {
		l.Label("weights")
		l.storeWeights(shares)
		l.Store(l.Again(sign), l.At("sides", l.i))
		l.JMP(operand.LabelRef("weighed"))
	})
	l.Label("weighed")
	var n [3]Kept
	for a := range n {
		sum := l.Add(l.Mul(l.ofRun("Normal0", a), l.Use(shares[0])), l.Mul(l.ofRun("Normal1", a), l.Use(shares[1])))
		n[a] = l.Keep(l.Add(sum, l.Mul(l.ofRun("Normal2", a), l.Use(shares[2]))))
	}
	unit := l.unit(n)
	flat := l.KeepMask(l.Negative(l.ofRun("Flat", 0)))
	for a := range unit {
		n := l.Choose(l.Mask(flat), l.ofRun("Normal0", a), unit[a])
		l.Set(p.normal[a], l.To(p.normal[a]).Xor(n, l.Use(sign)))
	}
}

// turn turns normals that point away from the eye until they are perpendicular to the line of sight, as Scene.pointAt
// does. Such normals have a positive scalar product with forward, because forward points away from the eye.
// Scene.pointAt uses the direction to the eye, and tests for a negative product.
func (l *loop) turn(p point) {
	n, forward := p.normal, l.triple(p.forward)
	away := l.dotKept(n, forward)
	l.Set(p.away, away)
	l.ifAny(l.Greater(away, l.Nothing(), nil), "seen", "Some turn away from the eye.", func(m func() Mask) {
		per := l.Keep(l.Div(l.Again(p.away), l.dotKept(p.forward, forward)))
		var aside [3]Kept
		for a := range n {
			aside[a] = l.Keep(l.Sub(l.Again(n[a]), l.Mul(l.Again(per), forward[a])))
		}
		edge := l.unit(aside)
		for a := range n {
			l.Set(n[a], l.Choose(m(), edge[a], l.Again(n[a])))
		}
		l.Set(p.away, l.dotKept(n, forward))
	})
	size := l.And(l.OrBits(l.OrBits(l.Again(n[0]), l.Again(n[1])), l.Again(n[2])), l.magnitude())
	l.ifAny(l.IsZero(size), "turned", "Some have no normal.", func(m func() Mask) {
		unit := l.unit(p.forward)
		for a := range n {
			l.Set(n[a], l.Choose(m(), l.Xor(unit[a], l.sign()), l.Again(n[a])))
		}
		l.Set(p.away, l.dotKept(n, forward))
	})
}

// ifAny emits the code of the function do. It also emits a jump over this code, to label, that is taken if mask m
// selects no lane.
func (l *loop) ifAny(m Mask, label, comment string, do func(m func() Mask)) {
	kept := l.KeepMask(m)
	l.JumpIfNone(m, label)
	l.Comment(comment)
	do(func() Mask { return l.Mask(kept) })
	l.Label(label)
}

func (l *loop) magnitude() Scalar { return l.Constant("magnitude", operand.U32(1<<31-1)) }

func (l *loop) sign() Scalar { return l.Constant("sign", operand.U32(1<<31)) }

// towards returns the cosine between a normal and the direction to a light.
func (l *loop) towards(n [3]Kept, light string) Vec {
	return l.along(n, [3]Scalar{l.uniform(light, 0), l.uniform(light, 1), l.uniform(light, 2)})
}

// along returns the scalar product of n and a direction.
func (l *loop) along(n [3]Kept, direction [3]Scalar) Vec {
	v := l.Mul(l.Again(n[0]), direction[0])
	v = l.Add(v, l.Mul(l.Again(n[1]), direction[1]))
	return l.Add(v, l.Mul(l.Again(n[2]), direction[2]))
}
