package section_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/quality"
	"lockstep/scenes/section"
)

func mesh(t testing.TB, name string) *scenes.Mesh {
	t.Helper()
	s, err := procedural.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// box returns a closed box. If turned is set, the box is inside out.
func box(lo, hi [3]float32, turned bool) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(12)}
	at := func(i int) (p [3]float32) {
		for axis := range 3 {
			p[axis] = lo[axis]
			if i>>axis&1 != 0 {
				p[axis] = hi[axis]
			}
		}
		return p
	}
	for t, c := range [12][3]int{
		{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
		{2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5},
	} {
		if turned {
			c[1], c[2] = c[2], c[1]
		}
		m.Set(t, [3][3]float32{at(c[0]), at(c[1]), at(c[2])})
	}
	return m
}

// The function both returns a mesh with the triangles of two meshes.
func both(a, b *scenes.Mesh) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(a.Len() + b.Len())}
	for t := range a.Len() {
		m.Set(t, a.Triangle(t))
	}
	for t := range b.Len() {
		m.Set(a.Len()+t, b.Triangle(t))
	}
	return m
}

// volume returns the volume inside a closed surface.
func volume(m *scenes.Mesh) (sum float64) {
	for t := range m.Len() {
		c := m.Triangle(t)
		var p [3][3]float64
		for k := range c {
			for axis, v := range c[k] {
				p[k][axis] = float64(v)
			}
		}
		sum += (p[0][0]*(p[1][1]*p[2][2]-p[1][2]*p[2][1]) + p[0][1]*(p[1][2]*p[2][0]-p[1][0]*p[2][2]) + p[0][2]*(p[1][0]*p[2][1]-p[1][1]*p[2][0])) / 6
	}
	return sum
}

// capArea returns the area of the caps as seen against the direction n. It is negative if the caps face away.
func capArea(m *scenes.Mesh, n [3]float64) (sum float64) {
	for _, part := range m.Parts {
		if part.Name != section.PartName {
			continue
		}
		for t := part.First; t < part.First+part.Count; t++ {
			c := m.Triangle(t)
			var u, v [3]float64
			for axis := range 3 {
				u[axis], v[axis] = float64(c[1][axis])-float64(c[0][axis]), float64(c[2][axis])-float64(c[0][axis])
			}
			sum += (n[0]*(u[1]*v[2]-u[2]*v[1]) + n[1]*(u[2]*v[0]-u[0]*v[2]) + n[2]*(u[0]*v[1]-u[1]*v[0])) / 2
		}
	}
	return sum
}

func cut(t testing.TB, m *scenes.Mesh, planes ...section.Plane) (*scenes.Mesh, section.Report) {
	t.Helper()
	c, report, err := section.Cut(m, planes, section.Options{Cap: 0xff0000, Body: 0x808080})
	if err != nil {
		t.Fatal(err)
	}
	return c, report
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

func TestBoxCutInHalf(t *testing.T) {
	for axis := range 3 {
		for _, sign := range []float64{1, -1} {
			var n [3]float64
			n[axis] = sign
			c, report := cut(t, box([3]float32{0, 0, 0}, [3]float32{2, 3, 5}, false), section.Plane{Normal: n, Offset: sign * 0.5})
			size := [3]float64{2, 3, 5}
			area := 30 / size[axis]
			left := 0.5
			if sign < 0 {
				left = size[axis] - 0.5
			}
			near(t, "cap", capArea(c, n), area, 1e-3)
			near(t, "volume", volume(c), area*left, 1e-3)
			if report.Loose != 0 || report.Bridged != 0 || report.Caps == 0 {
				t.Errorf("axis %d: %+v", axis, report)
			}
		}
	}
}

// TestLifted cuts two boxes whose outlines cross. Their caps must have corners of their own, slightly beyond the plane.
func TestLifted(t *testing.T) {
	m := both(box([3]float32{0, 0, 0}, [3]float32{2, 3, 5}, false), box([3]float32{-1, 1, 1}, [3]float32{3, 2, 7}, false))
	c, report := cut(t, m, section.Plane{Normal: [3]float64{0, 0, 1}, Offset: 4})
	near(t, "cap", capArea(c, [3]float64{0, 0, 1}), 8, 1e-2)
	for k := c.Len() - report.Caps; k < c.Len(); k++ {
		for _, at := range c.Triangle(k) {
			if beyond := at[2] - 4; !(beyond > 0 && beyond < 1e-4) {
				t.Errorf("a corner of a cap lies %g beyond the plane", beyond)
			}
		}
	}
}

// TestHollow cuts a hollow box. The cut must be a ring, whichever way the triangles face.
func TestHollow(t *testing.T) {
	up := section.Plane{Normal: [3]float64{0, 0, 1}, Offset: 0.3}
	for _, turned := range []bool{false, true} {
		m := both(box([3]float32{0, 0, 0}, [3]float32{4, 4, 1}, turned), box([3]float32{1, 1, 0.1}, [3]float32{3, 3, 0.9}, !turned))
		c, _ := cut(t, m, up)
		ring := capArea(c, up.Normal)
		if turned {
			ring = -ring // the whole surface is turned
		}
		near(t, "ring", ring, 12, 1e-3)
	}
	// Two solids that overlap have one common cap.
	m := both(box([3]float32{0, 0, 0}, [3]float32{2, 2, 1}, false), box([3]float32{1, 0, 0}, [3]float32{4, 2, 1}, false))
	c, _ := cut(t, m, up)
	near(t, "union", capArea(c, up.Normal), 8, 1e-3)
}

// TestVolumesAddUp checks that the volumes on both sides of a plane add up to the whole volume.
func TestVolumesAddUp(t *testing.T) {
	whole := mesh(t, "scene:knot?triangles=3000")
	total := volume(whole)
	rapid.Check(t, func(rt *rapid.T) {
		p := section.Plane{Offset: rapid.Float64Range(-0.8, 0.8).Draw(rt, "offset")}
		for axis := range p.Normal {
			p.Normal[axis] = rapid.Float64Range(-1, 1).Draw(rt, "normal")
		}
		p.Normal[rapid.IntRange(0, 2).Draw(rt, "axis")] = 2
		q := p
		for axis := range q.Normal {
			q.Normal[axis] = -q.Normal[axis]
		}
		q.Offset = -q.Offset
		a, ra := cut(t, whole, p)
		b, _ := cut(t, whole, q)
		if ra.Loose != 0 {
			rt.Fatalf("%d loose segments of a closed surface", ra.Loose)
		}
		if got := volume(a) + volume(b); math.Abs(got-total) > 1e-3*math.Abs(total) {
			rt.Fatalf("volumes %g and %g of %g", volume(a), volume(b), total)
		}
	})
}

// TestTwoPlanes cuts by two planes. The cut by each plane must also be closed where the other plane has cut.
func TestTwoPlanes(t *testing.T) {
	m := both(box([3]float32{0, 0, 0}, [3]float32{4, 4, 4}, false), box([3]float32{1, 1, 1}, [3]float32{3, 3, 3}, true))
	x, z := section.Plane{Normal: [3]float64{1, 0, 0}, Offset: 2}, section.Plane{Normal: [3]float64{0, 0, -1}, Offset: -1.5}
	for _, planes := range [][]section.Plane{{x, z}, {z, x}} {
		c, report := cut(t, m, planes...)
		near(t, "volume", volume(c), 2*4*2.5-1*2*1.5, 2e-3)
		near(t, "cap of x", capArea(c, x.Normal), 4*2.5-2*1.5, 2e-3)
		near(t, "cap of z", capArea(c, z.Normal), 2*4-1*2, 2e-3)
		if report.Loose != 0 || report.Bridged != 0 {
			t.Errorf("%+v", report)
		}
	}
}

// TestOpen checks that a sheet gets no cap, and that a box without one small face is closed.
func TestOpen(t *testing.T) {
	sheet := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	sheet.Set(0, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}})
	if c, report := cut(t, sheet, section.Plane{Normal: [3]float64{1, 0, 0}, Offset: 0.5}); report.Caps != 0 || report.Loose != 1 || c.Len() != 2 {
		t.Errorf("a sheet: %d triangles, %+v", c.Len(), report)
	}
	long := box([3]float32{0, 0, 0}, [3]float32{10, 1, 4}, false)
	open := &scenes.Mesh{Block: scenes.MakeBlock(10)}
	for i := range 10 { // leave out the face at x = 10
		open.Set(i, long.Triangle(i))
	}
	up := section.Plane{Normal: [3]float64{0, 0, 1}, Offset: 2}
	c, report := cut(t, open, up)
	near(t, "bridged", capArea(c, up.Normal), 10, 1e-3)
	if report.Bridged != 1 || report.Loose != 0 {
		t.Errorf("a gap: %+v", report)
	}
	if c, report, err := section.Cut(long, []section.Plane{up}, section.Options{Open: true}); err != nil || report.Caps != 0 || c.Colors != nil {
		t.Errorf("an open cut: %+v, %v", report, err)
	}
}

// TestAttributes checks that triangles that no plane crosses are unchanged, and that the pieces of other triangles have
// the right colours and attributes.
func TestAttributes(t *testing.T) {
	m := box([3]float32{0, 0, 0}, [3]float32{1, 1, 1}, false)
	a := &scenes.Attributes{Vertices: 36, Fields: []scenes.Field{{Name: "x", Values: make([]float32, 36)}, {Name: "t", OfTriangles: true, Values: make([]float32, 12)}}}
	for t := range 12 {
		a.Fields[1].Values[t] = float32(t)
		for k := range 3 {
			v := uint32(3*t + k)
			a.Index[k] = append(a.Index[k], v)
			a.TexCoords.Index[k] = append(a.TexCoords.Index[k], v)
			x := m.X[k][t]
			a.Fields[0].Values[v] = x
			a.TexCoords.Values = append(a.TexCoords.Values, [2]float32{x, 0})
		}
	}
	m.Attributes = a
	m.Parts = []scenes.Part{{Name: "low", First: 0, Count: 4}, {Name: "high", First: 4, Count: 8}}
	c, _ := cut(t, m, section.Plane{Normal: [3]float64{1, 0, 0}, Offset: 0.25})
	parts := 0
	for _, p := range c.Parts {
		if p.First != parts {
			t.Errorf("part %q begins at %d, not %d", p.Name, p.First, parts)
		}
		parts += p.Count
	}
	if parts != c.Len() || len(c.Colors) != c.Len() || c.Parts[len(c.Parts)-1].Name != section.PartName {
		t.Fatalf("%d triangles, %d in parts, %d colours", c.Len(), parts, len(c.Colors))
	}
	caps := c.Parts[len(c.Parts)-1]
	for tri := range c.Len() {
		for k := range 3 {
			v := c.Attributes.Fields[0].Values[c.Attributes.Index[k][tri]]
			if isCap := tri >= caps.First; isCap != scenes.IsNoField(v) {
				t.Fatalf("triangle %d: the field is %g", tri, v)
			} else if !isCap && (math.Abs(float64(v-c.X[k][tri])) > 1e-6 || math.Abs(float64(c.Attributes.TexCoords.At(k, tri)[0]-c.X[k][tri])) > 1e-6) {
				t.Fatalf("triangle %d: field %g, texture %g at x %g", tri, v, c.Attributes.TexCoords.At(k, tri)[0], c.X[k][tri])
			}
		}
		if want := uint32(0x808080); tri < caps.First && c.Colors[tri] != want {
			t.Fatalf("colour %x", c.Colors[tri])
		}
	}
	for v := range a.Fields[0].Values {
		a.Fields[0].Values[v] = scenes.NoField()
	}
	c, _ = cut(t, m, section.Plane{Normal: [3]float64{1, 0, 0}, Offset: 0.25})
	for _, v := range c.Attributes.Fields[0].Values {
		if !scenes.IsNoField(v) {
			t.Fatalf("a cut of a mesh that does not have the field has %g", v)
		}
	}
	if len(m.Attributes.Fields[0].Values) != 36 || m.Len() != 12 || m.Colors != nil {
		t.Error("the mesh that was cut has changed")
	}
}

func TestBadPlanes(t *testing.T) {
	m := box([3]float32{0, 0, 0}, [3]float32{1, 1, 1}, false)
	for _, p := range []section.Plane{{}, {Normal: [3]float64{math.NaN(), 0, 0}}, {Normal: [3]float64{1, 0, 0}, Offset: math.Inf(1)}} {
		if _, _, err := section.Cut(m, []section.Plane{p}, section.Options{}); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
}

// closed fails the test unless a mesh is closed.
func closed(t rapid.TB, what string, m *scenes.Mesh) {
	t.Helper()
	r, ok := quality.Of(m)
	if !ok || !r.Closed {
		t.Fatalf("%s: not closed: %+v", what, r)
	}
}

// TestClosedThinRings cuts by planes at small angles to each other. A plane then cuts the caps of earlier planes along
// thin strips, and rounding makes the rings of the strips cross. Random planes seldom do this.
func TestClosedThinRings(t *testing.T) {
	at := func(m *scenes.Mesh, normal, part [3]float64) section.Plane {
		p, b := section.Plane{Normal: normal}, m.Bounds()
		for k, c := range b.Center() {
			p.Offset += normal[k] * (c + b.Size()[k]*part[k])
		}
		return p
	}
	holes := sponge()
	gear := mesh(t, "scene:gear?triangles=3000")
	for name, c := range map[string]struct {
		mesh   *scenes.Mesh
		planes []section.Plane
	}{
		"a ring that rounding moves into the one beside it": {holes, []section.Plane{
			at(holes, [3]float64{0, 1, -0.1478738822042942}, [3]float64{-0.31, 0.003, -0.31}),
			at(holes, [3]float64{0.05, 0, 1}, [3]float64{0.2, -0.31, -0.27}),
			at(holes, [3]float64{0.08399003744125366, 0, 1}, [3]float64{0.003, -0.31, -0.27}),
		}},
		"a sliver that rounding makes wider": {gear, []section.Plane{
			at(gear, [3]float64{0, -1, -0.125}, [3]float64{-0.31, -0.31, -0.27}),
			at(gear, [3]float64{0, -1, 0.18643553181741715}, [3]float64{0.003, -0.31, 0.003}),
			at(gear, [3]float64{0, 1, -0.39501953125}, [3]float64{-0.1, -0.31, 0.2}),
		}},
	} {
		cut, report, err := section.Cut(c.mesh, c.planes, section.Options{Cap: 1})
		if err != nil || cut.Len() == 0 || report.Loose+report.Bridged > 0 {
			t.Fatalf("%s: %d triangles, %+v, %v", name, cut.Len(), report, err)
		}
		closed(t, name, cut)
	}
}

// sponge returns a box with eight cavities.
func sponge() *scenes.Mesh {
	m := box([3]float32{0, 0, 0}, [3]float32{9, 9, 9}, false)
	for i := range 8 {
		x, y := float32(i%4), float32(i/4)
		m = both(m, box([3]float32{1 + 2*x, 1 + 4*y, 1}, [3]float32{2 + 2*x, 3 + 4*y, 8}, true))
	}
	return m
}

// TestClosed checks that cuts of closed meshes by one plane after the other are closed.
func TestClosed(t *testing.T) {
	knot := mesh(t, "scene:knot?triangles=3000")
	gear := mesh(t, "scene:gear?triangles=3000")
	hollow := both(box([3]float32{0, 0, 0}, [3]float32{4, 4, 4}, false), box([3]float32{1, 1, 1}, [3]float32{3, 3, 3}, true))
	turned := both(box([3]float32{0, 0, 0}, [3]float32{4, 4, 4}, true), box([3]float32{1, 1, 1}, [3]float32{3, 3, 3}, false))
	for name, whole := range map[string]*scenes.Mesh{"knot": knot, "gear": gear, "hollow": hollow, "turned": turned, "sponge": sponge()} {
		closed(t, name, whole)
		bounds := whole.Bounds()
		rapid.Check(t, func(rt *rapid.T) {
			var planes []section.Plane
			for range rapid.IntRange(1, 3).Draw(rt, "planes") {
				var p section.Plane
				axis := rapid.IntRange(0, 2).Draw(rt, "axis")
				p.Normal[axis] = 1
				if rapid.Bool().Draw(rt, "turned") {
					p.Normal[axis] = -1
				}
				if rapid.Bool().Draw(rt, "slanted") {
					// Float32 cannot separate cuts by planes that are nearly parallel, or by planes at 45 degrees that meet exactly on
					// the diagonal of a face.
					p.Normal[(axis+1)%3] = rapid.SampledFrom([]float64{-1, 1}).Draw(rt, "side") * rapid.Float64Range(0.05, 0.9).Draw(rt, "normal")
				}
				for k, c := range bounds.Center() {
					p.Offset += p.Normal[k] * (c + bounds.Size()[k]*rapid.SampledFrom([]float64{-0.31, -0.27, -0.1, 0.003, 0.2, 0.37}).Draw(rt, "offset"))
				}
				planes = append(planes, p)
			}
			cut, report, err := section.Cut(whole, planes, section.Options{Cap: 1})
			if err != nil {
				rt.Fatal(err)
			}
			if cut.Len() == 0 {
				return
			}
			if report.Loose+report.Bridged > 0 {
				rt.Fatalf("%v: %+v", planes, report)
			}
			closed(rt, name, cut)
			// All caps must be in one part, which is the last.
			if n := len(cut.Parts); report.Caps > 0 && (cut.Parts[n-1].Name != section.PartName || cut.Parts[n-1].Count != report.Caps || !cut.Parts[n-1].Flat) {
				rt.Fatalf("parts %+v, %d caps", cut.Parts, report.Caps)
			}
		})
	}
}
