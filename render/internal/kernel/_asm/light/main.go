// Command light generates the loops that light points of triangles.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// uniforms are the vectors of light.View, in the order of its fields.
var uniforms = []string{"origin", "originX", "originY", "forward", "forwardX", "forwardY", "key", "fill", "rim", "up", "right", "above", "near"}

type loop struct {
	*Lanes
	i reg.GPVirtual // first of the current points, which fill a vector
	// columns, notes and found are the addresses of Batch.Columns, Batch.notes and Batch.found.
	columns, notes, found reg.GPVirtual
	run                   reg.GPVirtual // run of the first current point
	among                 Kept          // number of each current point's run, counted from field run
	aims                  bool          // weights and sides are stored
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
	fields = append(fields, mirroring...)
	f := NewFile("light", "lightArgs", "holds the arguments and results of a call of a loop.", fields)
	for _, lanes := range []int{AVX512, AVX2} {
		seek(f, lanes)
		prepare(f, lanes)
		emit(f, lanes)
		aim(f, lanes)
		shine(f, lanes)
		mirror(f, lanes)
		normals(f, lanes)
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

// normals emits the loop that computes only the normals, in camera space.
func normals(f *File, lanes int) {
	l := begin(f, "normals", lanes, "computes the normals of points in camera space.")
	l.points("loop", func() {
		p := l.aimed(false)
		for a, axis := range []string{"right", "above", "near"} {
			l.Store(l.towards(p.normal, axis), l.At([]string{"normalX", "normalY", "normalZ"}[a], l.i))
		}
	})
	l.Return()
}

// emit emits the loop that lights points.
func emit(f *File, lanes int) {
	l := begin(f, "light", lanes, "lights points.")
	l.points("loop", func() { l.shine(l.aimed(true)) })
	l.Return()
}

// shine emits the loop that lights points with normals that aim has stored.
func shine(f *File, lanes int) {
	l := begin(f, "shine", lanes, "lights points that aim has found.")
	l.points("loop", func() {
		p := point{forward: l.noted("Forward"), normal: l.noted("Normal")}
		p.away = l.Keep(l.dotKept(p.normal, l.triple(p.forward)))
		l.shine(p)
	})
	l.Return()
}

// A point holds the values that the loop has computed for the current points.
type point struct {
	x, y            Kept
	forward, normal [3]Kept
	away            Kept // scalar product of forward and normal
}

// aimed computes the inputs of lighting for the current points, except colours. If skies is set, it also stores the
// open share of the sky above the points.
func (l *loop) aimed(skies bool) point {
	inside := l.inside()
	var p point
	pixel, samples := l.place(inside, &p)
	if skies {
		l.sky(inside, pixel, samples)
	}
	p.forward = l.line("forward", p.x, p.y)
	l.interpolate(&p)
	l.turn(&p)
	return p
}

// shine lights the current points.
func (l *loop) shine(p point) {
	key := l.Keep(l.towards(p.normal, "key"))
	diffuse, specular := l.Keep(l.diffuse(p, key)), l.specular(p, key)
	for a := range 3 {
		c := l.Add(l.Mul(l.Again(diffuse), l.column("Base", a)), l.Use(specular))
		c = l.Min(c, l.number("one", 1))
		l.Store(l.Mul(c, l.column("Weight", 0)), l.column("Color", a))
	}
}

// noteAll stores a vector of each current point in three columns of notes. noted reads it from there.
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

// inside selects the current points that are in the batch.
func (l *loop) inside() KeptMask {
	rest := l.Int("points")
	l.SUBQ(l.i, rest)
	return l.KeepMask(l.First(rest))
}

// column returns the memory of a column of the batch for the current points.
func (l *loop) column(name string, axis int) operand.Mem { return l.columnAt(name, axis, l.i) }

// columnAt returns the memory of a column of the batch, for the points from number at on.
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

// line emits half of Lens.line: the origin or the direction. name selects one of them.
func (l *loop) line(name string, x, y Kept) (k [3]Kept) {
	for a := range k {
		v := l.Add(l.Mul(l.Again(x), l.uniform(name+"X", a)), l.uniform(name, a))
		k[a] = l.Keep(l.Add(v, l.Mul(l.Again(y), l.uniform(name+"Y", a))))
	}
	return k
}

// unit emits float3.Vector.Unit.
func (l *loop) unit(k [3]Kept) (v [3]Vec) {
	length := l.Sqrt(l.dotKept(k, l.triple(k)))
	per := l.Div(l.Broadcast(l.number("one", 1)), length)
	none := l.AtLeast(l.Zero(), length, nil)
	for a := range v {
		v[a] = l.Choose(none, l.Zero(), l.Mul(per, l.Use(k[a])))
	}
	return v
}

// shares emits triangleShape.unnormalizedWeights. sign has the sign bit set for points that show the back of their
// triangle, because the values there have the opposite sign.
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
func (l *loop) interpolate(p *point) {
	l.beginRuns()
	shares, sign := l.shares(p.forward, l.line("origin", p.x, p.y))
	if l.aims {
		l.storeWeights(shares)
		l.Store(l.Again(sign), l.At("sides", l.i))
	}
	var n [3]Kept
	for a := range n {
		sum := l.Add(l.Mul(l.ofRun("Normal0", a), l.Use(shares[0])), l.Mul(l.ofRun("Normal1", a), l.Use(shares[1])))
		n[a] = l.Keep(l.Add(sum, l.Mul(l.ofRun("Normal2", a), l.Use(shares[2]))))
	}
	unit := l.unit(n)
	flat := l.KeepMask(l.Negative(l.ofRun("Flat", 0)))
	for a := range unit {
		unit[a] = l.Xor(l.Choose(l.Mask(flat), l.ofRun("Normal0", a), unit[a]), l.Use(sign))
	}
	p.normal = l.keep(unit)
}

// turn turns normals that point away from the eye until they are perpendicular to the line of sight, as Scene.pointAt
// does. Scene.pointAt tests for a negative product with the direction to the eye. Here the product is positive,
// because forward points away from the eye.
func (l *loop) turn(p *point) {
	n, forward := &p.normal, l.triple(p.forward)
	away := l.dotKept(*n, forward)
	p.away = l.Keep(away)
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
		l.Set(p.away, l.dotKept(*n, forward))
	})
	size := l.And(l.OrBits(l.OrBits(l.Again(n[0]), l.Again(n[1])), l.Again(n[2])), l.magnitude())
	l.ifAny(l.IsZero(size), "turned", "Some have no normal.", func(m func() Mask) {
		unit := l.unit(p.forward)
		for a := range n {
			l.Set(n[a], l.Choose(m(), l.Xor(unit[a], l.sign()), l.Again(n[a])))
		}
		l.Set(p.away, l.dotKept(*n, forward))
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
	v := l.Mul(l.Again(n[0]), l.uniform(light, 0))
	v = l.Add(v, l.Mul(l.Again(n[1]), l.uniform(light, 1)))
	return l.Add(v, l.Mul(l.Again(n[2]), l.uniform(light, 2)))
}

// diffuse emits Lights.diffuse.
func (l *loop) diffuse(p point, key Kept) Vec {
	n := p.normal
	shine := func(towards Vec, strength string) Vec {
		return l.Mul(l.Max(towards, l.Nothing()), l.constant(strength))
	}
	half := l.number("half", 0.5)
	direct := l.Add(shine(l.Again(key), "KeyLight"), shine(l.towards(n, "fill"), "FillLight"))
	// The direction to the eye is the negative of the line of sight.
	facing := l.Div(l.Xor(l.Again(p.away), l.sign()), l.Sqrt(l.dotKept(p.forward, l.triple(p.forward))))
	direct = l.Add(direct, shine(facing, "EyeLight"))
	sky := l.Add(l.Mul(l.towards(n, "up"), half), half)
	sky = l.Add(l.Mul(sky, l.constant("SkyLight")), l.constant("GroundLight"))
	open := l.Load(l.note("Open", 0))
	direct = l.Mul(direct, l.Add(l.Mul(open, half), half))
	return l.Add(l.Add(direct, shine(l.towards(n, "rim"), "RimLight")), l.Mul(sky, open))
}

// specular emits Lights.specular. Most vectors of points have no highlight. A test finds these vectors and skips the
// exact steps. The test uses an approximate direction to the eye, whose length is wrong by at most 0.2 %. The error
// of the test is less than glintError, and the error of the squared cosine less than 0.003, so no highlight is
// skipped.
func (l *loop) specular(p point, key Kept) Kept {
	const square = 0.565 // as in Lights.specular
	specular := l.Keep(l.Zero())
	per := l.Keep(l.aboutPerSqrt(l.dotKept(p.forward, l.triple(p.forward))))
	half := l.Mul(l.Mul(l.towards(p.forward, "key"), l.Use(per)), l.number("glintPart", 2*square))
	half = l.Sub(l.Broadcast(l.number("glintWhole", 2*square-0.003)), half) // a bound for the squared product of the normal and the sum of the directions to the light and to the eye
	d := l.Sub(l.Add(l.Again(key), l.number("glintError", 0.01)), l.Mul(l.Again(p.away), l.Use(per)))
	may := l.AtLeast(l.Mul(d, d), half, nil)
	l.ifAny(l.Greater(d, l.Nothing(), &may), "dull", "Some may have a highlight.", func(func() Mask) {
		v := l.unit(p.forward)
		var h [3]Kept
		for a := range h {
			h[a] = l.Keep(l.Add(l.Xor(v[a], l.sign()), l.uniform("key", a)))
		}
		c := l.Div(l.dotKept(p.normal, l.triple(h)), l.Sqrt(l.dotKept(h, l.triple(h))))
		// Lanes without a highlight are set to 0, because a product that underflows takes a hundred times as long.
		c = l.Choose(l.AtLeast(c, l.constant("MinHighlightCos"), nil), c, l.Zero())
		c = l.Mul(c, c)
		l.Set(specular, l.Mul(l.power(l.Mul(c, c)), l.constant("SpecularLight")))
	})
	return specular
}

// aboutPerSqrt returns 1 divided by the square root, to within 0.2 %. The result is the same on all processors.
// aboutPerSqrt halves the exponent and does a step of Newton's method.
func (l *loop) aboutPerSqrt(square Vec) Vec {
	first := l.SubInt(l.Broadcast(l.Constant("halfExponent", operand.U32(0x5f375a86))), l.ShiftRight(square, 1))
	step := l.Mul(l.Mul(l.Mul(square, l.number("half", 0.5)), first), first)
	return l.Mul(first, l.Sub(l.Broadcast(l.number("threeHalves", 1.5)), step))
}

// power returns the sixth power of c4, multiplied in the order of power24.
func (l *loop) power(c4 Vec) Vec {
	c8 := l.Mul(c4, c4)
	return l.Mul(l.Mul(c8, c8), c8)
}
