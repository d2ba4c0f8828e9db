package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

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

// diffuse emits the code of Lights.diffuse.
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

// specular emits the code of Lights.specular. Most vectors of points have no highlight. A test finds these vectors and
// skips the exact steps. The test uses an approximate direction to the eye, whose length is wrong by at most 0.2 %. The
// error of the test is less than glintError, and the error of the squared cosine less than 0.003, so no highlight is
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
