package main

import (
	"strconv"

	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// mirroring are the arguments of the loops that light points with a finish.
var mirroring = []Field{
	{Name: "finishes", Type: "*float32"},
	{Name: "mirrored", Type: "*float32"},
	{Name: "passing", Type: "*float32"},
	{Name: "lobes", Type: "*float32"},
	{Name: "shares", Type: "*float32"},
}

// mirror emits the loop that lights points with a finish. It is Scene.lightSpecial for finishes without coat and
// sheen, but adds no light from behind the surface.
func mirror(f *File, lanes int) {
	l := begin(f, "mirror", lanes, "lights points that aim has found and that have a finish.")
	l.points("loop", func() {
		p := l.point()
		l.restore(p)
		m := &mirroringPoint{loop: l, point: p}
		m.look()
		m.share()
		m.reflect()
		m.lit()
	})
	l.Return()
}

// A mirroringPoint holds the results of the stages of mirroring for the current points.
type mirroringPoint struct {
	*loop
	point
	eye             [3]Kept // direction to the eye
	steep           Kept
	metallic, rough Kept
	row, part       Kept // position in the tables for the roughness of the points
	shares          [3]Kept
	around          [3]Kept // light that arrives from the mirrored direction
}

// finish returns the memory of a column of finishes for the current points.
func (m *mirroringPoint) finish(name string, axis int) operand.Mem {
	return operand.Mem{Base: m.Int("finishes"), Index: m.i, Scale: 4, Disp: 4 * m.Go("Capacity") * (m.Go(name) + axis)}
}

// look computes the cosine between normal and direction to the eye, and the position in the tables.
func (m *mirroringPoint) look() {
	unit := m.unit(m.forward)
	for a := range unit {
		m.eye[a] = m.Keep(m.Xor(unit[a], m.sign()))
	}
	m.steep = m.Keep(m.Max(m.dotKept(m.normal, m.triple(m.eye)), m.Nothing()))
	m.metallic, m.rough = m.Keep(m.Load(m.finish("Metallic", 0))), m.Keep(m.Load(m.finish("Roughness", 0)))
	m.row, m.part = m.tableStep(m.Again(m.rough), m.Go("RoughSteps"))
}

// tableStep emits the code of the function tableStep of package surface.
func (l *loop) tableStep(x Vec, n int) (i, part Kept) {
	x = l.Min(l.Max(x, l.Nothing()), l.number("one", 1))
	x = l.Mul(x, l.number("last"+strconv.Itoa(n), float32(n-1)))
	at := l.MinInt(l.Truncate(x), l.Constant("before"+strconv.Itoa(n), operand.U32(n-2)))
	return l.Keep(at), l.Keep(l.Sub(x, l.ToFloat(at)))
}

// between emits the code of the function between of package surface, which interpolates in a table. It interpolates by
// the fraction part between entries index and index+1, and by the fraction m.part between the current row and the next.
// The next row starts width entries later.
func (m *mirroringPoint) between(table string, first, width int, index, part Kept) Vec {
	read := func(offset int) Vec {
		at := m.Again(index)
		if offset > 0 {
			at = m.AddInt(at, m.Constant("offset"+strconv.Itoa(offset), operand.U32(offset)))
		}
		return m.Gather(table, at, m.IsZero(m.Zero()), m.Constant("nothing", operand.U32(0)))
	}
	mix := func(from int) Kept {
		low := m.Keep(read(from))
		step := m.Mul(m.Sub(read(from+1), m.Use(low)), m.Use(part))
		return m.Keep(m.Add(step, m.Use(low)))
	}
	a := mix(first)
	b := mix(first + width)
	return m.Add(m.Mul(m.Sub(m.Again(b), m.Use(a)), m.Use(m.part)), m.Use(a))
}

// share computes the mirrored share of the arriving light for each colour. It emits the code of
// environment.mirroredShares and the first half of environment.reflect.
func (m *mirroringPoint) share() {
	steps := m.Go("SteepSteps")
	i, part := m.tableStep(m.Again(m.steep), steps)
	index := m.Keep(m.AddInt(m.MulInt(m.Again(m.row), m.Constant("steepRow", operand.U32(steps))), m.Use(i)))
	factor := m.Keep(m.between("shares", 0, steps, index, part))
	rest := m.between("shares", steps*m.Go("RoughSteps"), steps, index, part)
	one := m.number("one", 1)
	lacks := m.Sub(m.Broadcast(one), m.finish("Edge", 0))
	edge := m.Add(m.Mul(lacks, m.Use(m.metallic)), m.finish("Edge", 0))
	kept := m.Keep(m.Mul(rest, edge))
	whole := m.Max(m.Add(m.Again(factor), m.Use(kept)), m.number("quarter", 0.25))
	lost := m.Keep(m.Sub(m.Div(m.Broadcast(one), whole), one))
	plain := m.Keep(m.Sub(m.Broadcast(one), m.Use(m.metallic)))
	for a := range 3 {
		c := m.Mul(m.Again(m.metallic), m.column("Base", a))
		specular := m.Keep(m.Add(m.Mul(m.Again(plain), m.finish("Specular", a)), c))
		once := m.Add(m.Mul(m.Again(specular), m.Use(factor)), m.Use(kept))
		again := m.Add(m.Mul(m.Again(specular), m.Use(lost)), one)
		m.shares[a] = m.Keep(m.Min(m.Mul(once, again), one))
	}
}

// reflect computes the light that arrives from the mirrored direction. It emits the second half of environment.reflect.
func (m *mirroringPoint) reflect() {
	twice := m.Keep(m.Mul(m.Again(m.steep), m.number("two", 2)))
	bend := m.Keep(m.Mul(m.Again(m.rough), m.Use(m.rough)))
	var d [3]Kept
	for a := range d {
		straight := m.Keep(m.Sub(m.Mul(m.Again(m.normal[a]), m.Use(twice)), m.Use(m.eye[a])))
		d[a] = m.Keep(m.Add(m.Mul(m.Sub(m.Again(m.normal[a]), m.Use(straight)), m.Use(bend)), m.Use(straight)))
	}
	d = m.keep(m.unit(d))
	for a := range m.around {
		m.around[a] = m.Keep(m.Zero())
	}
	width := m.Go("AroundSteps")
	row := m.Keep(m.MulInt(m.Again(m.row), m.Constant("aroundRow", operand.U32(width))))
	m.eachLight(func(direction, tint [3]Scalar) {
		half := m.number("half", 0.5)
		i, part := m.tableStep(m.Add(m.Mul(m.along(d, direction), half), half), width)
		index := m.Keep(m.AddInt(m.Again(row), m.Use(i)))
		arrives := m.Keep(m.between("lobes", 0, width, index, part))
		for a := range m.around {
			m.Set(m.around[a], m.Add(m.Mul(m.Again(arrives), tint[a]), m.Use(m.around[a])))
		}
		m.Set(row, m.AddInt(m.Again(row), m.Constant("nextLobes", operand.U32(width*m.Go("RoughSteps")))))
	})
}

// eachLight emits a loop over the lights that mirrors show, in the order of Environment.Lobes.
func (m *mirroringPoint) eachLight(do func(direction, tint [3]Scalar)) {
	var tints []operand.Constant
	lights := []string{"KeyTint", "FillTint", "FillTint", "SkyTint"}
	for _, light := range lights {
		for _, channel := range []string{"Red", "Green", "Blue"} {
			tints = append(tints, operand.F32(m.GoFloat(light+channel)))
		}
	}
	offset, table := m.GP64(), m.GP64()
	m.LEAQ(m.Table("tints", tints...), table)
	m.XORQ(offset, offset)
	m.Label("lights")
	var direction, tint [3]Scalar
	for a := range 3 {
		direction[a], tint[a] = m.uniform("key", a), Scalar{operand.Mem{Base: table, Disp: 4 * a}}
		direction[a].Index, direction[a].Scale = offset, 1
		tint[a].Index, tint[a].Scale = offset, 1
	}
	do(direction, tint)
	m.ADDQ(operand.Imm(3*4), offset)
	m.CMPQ(offset, operand.Imm(uint64(3*4*len(lights))))
	m.JLT(operand.LabelRef("lights"))
}

// lit stores the colours of the points and the passing shares. It emits the end of Scene.lightFinished.
func (m *mirroringPoint) lit() {
	one := m.number("one", 1)
	key := m.Keep(m.towards(m.normal, "key"))
	most := m.Max(m.Max(m.Again(m.shares[0]), m.Use(m.shares[1])), m.Use(m.shares[2]))
	inside := m.Keep(m.Mul(m.Sub(m.Broadcast(one), most), m.Sub(m.Broadcast(one), m.Use(m.metallic))))
	m.Store(m.Mul(m.Again(inside), m.finish("Transmitted", 0)), operand.Mem{Base: m.Int("passing"), Index: m.i, Scale: 4})
	diffuse := m.Mul(m.diffuse(m.point, key), m.Use(inside))
	scattered := m.Keep(m.Mul(diffuse, m.Sub(m.Broadcast(one), m.finish("Transmitted", 0))))
	open := m.Keep(m.Load(m.note("Open", 0)))
	under := m.Mul(m.Sub(m.Broadcast(one), m.Use(m.rough)), m.number("half", 0.5))
	under = m.Mul(under, m.Sub(m.Broadcast(one), m.Use(open)))
	seen := m.Keep(m.Add(under, m.Use(open)))
	to := m.Int("mirrored")
	for a := range 3 {
		shine := m.Mul(m.Mul(m.Again(m.around[a]), m.Use(m.shares[a])), m.Use(seen))
		c := m.Min(m.Add(m.Mul(m.Again(scattered), m.column("Base", a)), shine), one)
		c = m.Min(m.Add(c, m.finish("Glow", a)), one)
		m.Store(c, operand.Mem{Base: to, Index: m.i, Scale: 4, Disp: 4 * m.Go("Capacity") * a})
	}
}
