// Command light generates the loops that light points of smooth triangles.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// uniforms are the vectors of light.View, in its order.
var uniforms = []string{"origin", "originX", "originY", "forward", "forwardX", "forwardY", "key", "fill", "rim", "up", "right", "above", "near"}

type loop struct {
	*Lanes
	i reg.GPVirtual // the first point at hand
	// columns, notes and found are those of the batch.
	columns, notes, found reg.GPVirtual
	run                   reg.GPVirtual // of the first point at hand
	among                 Kept          // the numbers of the points' runs from that on
	aims                  bool          // whether weights and sides are stored
}

func main() {
	fields := []Field{{Name: "columns", Type: "*float32"}, {Name: "notes", Type: "*float32"}, {Name: "pixels", Type: "*int32"}, {Name: "points", Type: "int64"}}
	for _, name := range uniforms {
		fields = append(fields, Field{Name: name, Type: "[3]float32"})
	}
	fields = append(fields, preparing...)
	fields = append(fields, placing...)
	fields = append(fields, blending...)
	fields = append(fields, aiming...)
	f := NewFile("light", "lightArgs", "is what the loops work on.", fields)
	for _, lanes := range []int{AVX512, AVX2} {
		seek(f, lanes)
		prepare(f, lanes)
		emit(f, lanes)
		aim(f, lanes)
		shine(f, lanes)
		normals(f, lanes)
		blend(f, lanes)
	}
	f.Write()
}

// begin starts a function over the points of a batch.
func begin(f *File, name string, lanes int, doc string) *loop {
	l := &loop{Lanes: f.Function(name, lanes, doc)}
	l.columns, l.notes, l.found, l.i = l.Int("columns"), l.Int("notes"), l.Int("found"), l.GP64()
	return l
}

// points emits a loop over all points. What a batch wants is done in several loops: each is so short
// that a processor works on some vectors at once, and waits for no division.
func (l *loop) points(name string, do func()) {
	l.XORQ(l.i, l.i)
	l.Label(name)
	l.Forget()
	do()
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("points"))
	l.JLT(operand.LabelRef(name))
}

// normals writes the loops that find the normals alone, in camera space.
func normals(f *File, lanes int) {
	l := begin(f, "normals", lanes, "finds the normals of points in camera space.")
	l.points("sight", func() {
		l.place(l.inside())
		l.sight()
	})
	l.points("normal", func() {
		normal := l.turned(l.interpolated(), l.noted("ToEye"))
		for a, axis := range []string{"right", "above", "near"} {
			l.Store(l.towards(normal, axis), l.At([]string{"normalX", "normalY", "normalZ"}[a], l.i))
		}
	})
	l.Return()
}

// emit writes the loops for one instruction set.
func emit(f *File, lanes int) {
	l := begin(f, "light", lanes, "lights points.")
	l.aim()
	l.points("shine", l.shine)
	l.Return()
}

// shine writes the loop that lights points whose normals are noted.
func shine(f *File, lanes int) {
	l := begin(f, "shine", lanes, "lights points that aim has found.")
	l.points("shine", l.shine)
	l.Return()
}

// shine lights the points at hand.
func (l *loop) shine() {
	normal, toEye := l.noted("Normal"), l.noted("ToEye")
	diffuse, specular := l.diffuse(normal), l.Keep(l.specular(normal, toEye))
	for a := range 3 {
		c := l.Add(l.Mul(diffuse, l.column("Base", a)), l.Use(specular))
		c = l.Min(c, l.number("one", 1))
		l.Store(l.Mul(c, l.column("Weight", 0)), l.column("Color", a))
	}
}

// sight notes the lines through the points at hand, and the directions to the eye.
func (l *loop) sight() {
	forward := l.line("forward")
	l.noteAll("Forward", forward)
	toEye := l.unit(forward)
	for a := range toEye {
		l.Store(l.Xor(toEye[a], l.Constant("sign", operand.U32(1<<31))), l.note("ToEye", a))
	}
}

// noteAll notes a vector of the points at hand, noted reads it.
func (l *loop) noteAll(name string, v [3]Kept) {
	for a := range v {
		l.Store(l.Again(v[a]), l.note(name, a))
	}
}

func (l *loop) noted(name string) (k [3]Kept) {
	for a := range k {
		from := l.note(name, a)
		if l.N == AVX512 {
			k[a] = l.KeptIn(l.Load(from), from)
		} else {
			k[a] = l.KeptIn(nil, from)
		}
	}
	return k
}

// inside selects the points at hand that are in the batch.
func (l *loop) inside() KeptMask {
	rest := l.Int("points")
	l.SUBQ(l.i, rest)
	return l.KeepMask(l.First(rest))
}

// column is the memory of a column of the batch, for the points at hand.
func (l *loop) column(name string, axis int) operand.Mem { return l.columnAt(name, axis, l.i) }

// columnAt is the same for the points from number at on.
func (l *loop) columnAt(name string, axis int, at reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: l.columns, Index: at, Scale: 4, Disp: 4 * l.Go("Capacity") * (l.Go(name) + axis)}
}

// note is the memory of what is noted of the points at hand.
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

// triple is a vector as second operands.
func (l *loop) triple(k [3]Kept) (o [3]Operand) {
	for a := range k {
		o[a] = l.Use(k[a])
	}
	return o
}

// of returns three columns of the points' triangles as second operands of instructions.
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

// line is a part of Lens.line.
func (l *loop) line(name string) (k [3]Kept) {
	return l.lineAt(name, l.Load(l.note("X", 0)), l.Load(l.note("Y", 0)))
}

func (l *loop) lineAt(name string, x, y Vec) (k [3]Kept) {
	for a := range k {
		v := l.Add(l.Mul(x, l.uniform(name+"X", a)), l.uniform(name, a))
		k[a] = l.Keep(l.Add(v, l.Mul(y, l.uniform(name+"Y", a))))
	}
	return k
}

// unit is vec.unit.
func (l *loop) unit(k [3]Kept) (v [3]Vec) {
	length := l.Sqrt(l.dotKept(k, l.triple(k)))
	per := l.Div(l.Broadcast(l.number("one", 1)), length)
	none := l.AtLeast(l.Zero(), length, nil)
	for a := range v {
		v[a] = l.Choose(none, l.Zero(), l.Mul(per, l.Use(k[a])))
	}
	return v
}

// weights is shell.weights.
func (l *loop) weights(forward, from [3]Kept) (weights [3]Vec) {
	for a := range from {
		from[a] = l.Keep(l.Sub(l.Again(from[a]), l.ofRun("Corner", a)))
	}
	p := l.cross(forward, l.of("Edge2"))
	det := l.Keep(l.dot(p, l.of("Edge1")))
	u := l.Keep(l.Max(l.Div(l.dot(p, l.triple(from)), l.Use(det)), l.Nothing()))
	q := l.cross(from, l.of("Edge1"))
	v := l.Keep(l.Max(l.Div(l.dot(q, l.triple(forward)), l.Use(det)), l.Nothing()))
	one := l.Broadcast(l.number("one", 1))
	w := l.Keep(l.Max(l.Sub(l.Sub(one, l.Use(u)), l.Use(v)), l.Nothing()))
	sum := l.Add(l.Add(l.Again(u), l.Use(v)), l.Use(w))
	edgeOn, third := l.AtLeast(sum, l.number("far", 1e6), nil), l.Broadcast(l.number("third", 1./3))
	per := l.Div(one, sum)
	for k, weight := range []Kept{w, u, v} {
		weights[k] = l.Choose(edgeOn, third, l.Mul(per, l.Use(weight)))
	}
	return weights
}

// interpolated is the normal at the weights of the points at hand.
func (l *loop) interpolated() [3]Kept {
	l.beginRuns()
	weights := l.weights(l.noted("Forward"), l.line("origin"))
	l.storeWeights(weights, 0)
	var n [3]Kept
	for a := range n {
		sum := l.Add(l.Mul(weights[0], l.ofRun("Normal0", a)), l.Mul(weights[1], l.ofRun("Normal1", a)))
		n[a] = l.Keep(l.Add(sum, l.Mul(weights[2], l.ofRun("Normal2", a))))
	}
	unit := l.unit(n)
	flat := l.KeepMask(l.Negative(l.ofRun("Flat", 0)))
	for a := range unit {
		unit[a] = l.Choose(l.Mask(flat), l.ofRun("Normal0", a), unit[a])
	}
	return l.keep(unit)
}

// turned turns a normal to the eye as Scene.at does.
func (l *loop) turned(n, toEye [3]Kept) [3]Kept {
	sign := l.Constant("sign", operand.U32(1<<31))
	side := l.dotKept(toEye, l.of("Plane"))
	if l.aims {
		l.Store(side, l.At("sides", l.i))
	}
	front := l.AtLeast(side, l.Nothing(), nil)
	for a := range n {
		v := l.Again(n[a])
		n[a] = l.Keep(l.Choose(front, v, l.Xor(v, sign)))
	}
	d := l.dotKept(n, l.triple(toEye))
	seen := l.AtLeast(d, l.Nothing(), nil)
	bits := l.Bits(seen)
	l.CMPL(bits, operand.U32(1<<l.N-1))
	l.JEQ(operand.LabelRef("seen"))
	l.Comment("Some turn away from the eye.")
	var aside [3]Kept
	for a := range n {
		aside[a] = l.Keep(l.Sub(l.Again(n[a]), l.Mul(d, l.Use(toEye[a]))))
	}
	edge := l.unit(aside)
	for a := range n {
		l.Set(n[a], l.Choose(seen, l.Again(n[a]), edge[a]))
	}
	l.Label("seen")
	none := l.AtLeast(l.Zero(), l.dotKept(n, l.triple(n)), nil)
	for a := range n {
		n[a] = l.Keep(l.Choose(none, l.Again(toEye[a]), l.Again(n[a])))
	}
	return n
}

// towards is the cosine between a normal and a light.
func (l *loop) towards(n [3]Kept, light string) Vec {
	v := l.Mul(l.Again(n[0]), l.uniform(light, 0))
	v = l.Add(v, l.Mul(l.Again(n[1]), l.uniform(light, 1)))
	return l.Add(v, l.Mul(l.Again(n[2]), l.uniform(light, 2)))
}

// diffuse is the first part of Lights.At.
func (l *loop) diffuse(n [3]Kept) Vec {
	shine := func(light, strength string) Vec {
		return l.Mul(l.Max(l.towards(n, light), l.Nothing()), l.constant(strength))
	}
	half := l.number("half", 0.5)
	direct := l.Add(shine("key", "KeyLight"), shine("fill", "FillLight"))
	sky := l.Add(l.Mul(l.towards(n, "up"), half), half)
	sky = l.Add(l.Mul(sky, l.constant("SkyLight")), l.constant("GroundLight"))
	open := l.Load(l.note("Open", 0))
	direct = l.Mul(direct, l.Add(l.Mul(open, half), half))
	return l.Add(l.Add(direct, shine("rim", "RimLight")), l.Mul(sky, open))
}

// specular is Lights.specular.
func (l *loop) specular(n, toEye [3]Kept) Vec {
	var h [3]Kept
	for a := range h {
		h[a] = l.Keep(l.Add(l.Again(toEye[a]), l.uniform("key", a)))
	}
	c := l.Div(l.dotKept(n, l.triple(h)), l.Sqrt(l.dotKept(h, l.triple(h))))
	// What is left out is 0 before it underflows: a product that does takes a hundred times as long.
	c = l.Choose(l.AtLeast(c, l.number("half", 0.5), nil), c, l.Zero())
	c = l.Mul(c, c)
	return l.Mul(l.power(l.Mul(c, c)), l.constant("SpecularLight"))
}

// power returns the tenth power of c, in the order of power40.
func (l *loop) power(c4 Vec) Vec {
	c8 := l.Mul(c4, c4)
	c16 := l.Mul(c8, c8)
	return l.Mul(l.Mul(c16, c16), c8)
}
