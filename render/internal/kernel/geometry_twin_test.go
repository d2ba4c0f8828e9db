package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
	"pgregory.net/rapid"
)

// randomView returns a view of the neighbourhood of the origin, from a random direction and distance, sometimes from
// inside.
func randomView(r *rand.Rand) *geometry.View {
	axis := func() (a [3]float64) {
		for i := range a {
			a[i] = r.NormFloat64()
		}
		return unit(a)
	}
	forward := axis()
	right := unit(crossProduct(forward, axis()))
	down := crossProduct(forward, right)
	v := &geometry.View{
		Scale: float32(math.Ldexp(1, r.IntN(5)-2)), Orthographic: r.IntN(2) == 0,
		Width: 1 + r.Int32N(2000), Height: 1 + r.Int32N(2000),
		CullFront: r.IntN(3) == 0, CullBack: r.IntN(3) == 0,
	}
	v.CenterX, v.CenterY = v.Width*array.Half, v.Height*array.Half
	distance, zoom := 3*r.Float64(), float64(v.Height)*array.Sub*math.Exp2(6*r.Float64()-3)
	for i := range 3 {
		v.Pivot[i] = float32(r.NormFloat64() / 8)
		v.X[i], v.Y[i] = float32(zoom*right[i]), float32(zoom*down[i])
		v.W[i], v.E[i] = float32(forward[i]), float32(-forward[i]/4)
		v.Eye[i] = float32(-3 * distance * forward[i])
	}
	v.W[3], v.E[3], v.Near = float32(distance), 0.75, 1e-3
	switch {
	case v.Orthographic:
		v.Near = 1 - r.Float32()/4
	case r.IntN(3) == 0: // the eye may be inside, where slopes hardly exceed 1
		v.Distant, v.Near = true, 1
		near, slope := distance/2, float32(1+r.Float64())
		for i := range v.E {
			v.E[i] = (1 - slope) * v.W[i]
		}
		v.E[3] += slope * float32(near)
	}
	return v
}

func unit(a [3]float64) [3]float64 {
	size := math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2])
	return [3]float64{a[0] / size, a[1] / size, a[2] / size}
}

func crossProduct(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// coordinates returns the nine coordinate slices of a block.
func coordinates(b *scenes.Block) [9]*[]float32 {
	return [9]*[]float32{&b.X[0], &b.Y[0], &b.Z[0], &b.X[1], &b.Y[1], &b.Z[1], &b.X[2], &b.Y[2], &b.Z[2]}
}

// fillTriangles fills a block with triangles of all sizes around the origin. In about `odd` of 1000 triangles, one
// coordinate is a special number such as NaN or infinity. In about as many, one coordinate is multiplied by up to
// 2^139.
func fillTriangles(r *rand.Rand, b *scenes.Block, odd int) {
	c := coordinates(b)
	for t := range b.Len() {
		size := math.Exp2(-12 * r.Float64())
		center := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		for i := range c {
			(*c[i])[t] = float32(0.5*center[i%3] + size*r.NormFloat64())
		}
		if r.IntN(1000) < odd {
			c := *c[r.IntN(9)]
			c[t] = oddFloats[r.IntN(len(oddFloats))]
		}
		if r.IntN(1000) < odd { // a huge coordinate
			c := *c[r.IntN(9)]
			c[t] *= float32(math.Exp2(float64(r.IntN(140))))
		}
	}
}

// A guardedPolygons is a polygon array with guards around every column.
type guardedPolygons struct {
	*array.Polygons
	columns []interface{ check() error }
}

func newGuardedPolygons(capacity, offset int) *guardedPolygons {
	g := &guardedPolygons{Polygons: array.MakePolygons(capacity)}
	ints := func(s *[]int32) {
		c := newGuarded[int32](capacity, offset, array.Lanes)
		*s, g.columns = c.slice, append(g.columns, c)
	}
	floats := func(s *[]float32) {
		c := newGuarded[float32](capacity, offset, array.Lanes)
		*s, g.columns = c.slice, append(g.columns, c)
	}
	for k := range 3 {
		ints(&g.X[k])
		ints(&g.Y[k])
		floats(&g.E[k])
	}
	ints(&g.First)
	ints(&g.Rows)
	ints(&g.Source)
	payload := newGuarded[uint32](capacity, offset, array.Lanes)
	g.Payload, g.columns = payload.slice, append(g.columns, payload)
	return g
}

func (g *guardedPolygons) check() error {
	for i, c := range g.columns {
		if err := c.check(); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// samePolygons compares everything that geometry writes.
func samePolygons(got, want *array.Polygons) error {
	type head struct{ n, rows, minX, maxX, minY, maxY int }
	headOf := func(p *array.Polygons) head {
		return head{p.N, int(p.MaxRows), int(p.MinX), int(p.MaxX), int(p.MinY), int(p.MaxY)}
	}
	if headOf(got) != headOf(want) {
		return fmt.Errorf("%+v, want %+v", headOf(got), headOf(want))
	}
	n := want.N
	for k := range 3 {
		if err := sameBytes(got.X[k][:n], want.X[k][:n]); err != nil {
			return fmt.Errorf("X[%d]: %w", k, err)
		}
		if err := sameBytes(got.Y[k][:n], want.Y[k][:n]); err != nil {
			return fmt.Errorf("Y[%d]: %w", k, err)
		}
		if err := sameBytes(got.E[k][:n], want.E[k][:n]); err != nil {
			return fmt.Errorf("E[%d]: %w", k, err)
		}
	}
	if err := sameBytes(got.First[:n], want.First[:n]); err != nil {
		return fmt.Errorf("First: %w", err)
	}
	if err := sameBytes(got.Rows[:n], want.Rows[:n]); err != nil {
		return fmt.Errorf("Rows: %w", err)
	}
	if err := sameBytes(got.Source[:n], want.Source[:n]); err != nil {
		return fmt.Errorf("Source: %w", err)
	}
	if err := sameBytes(got.Payload[:n], want.Payload[:n]); err != nil {
		return fmt.Errorf("intensities: %w", err)
	}
	return nil
}

// geometryLoop is the type of Loops.Geometry.
type geometryLoop = func(*geometry.View, *scenes.Block, *array.Polygons, []int32, *geometry.Counts) []int32

// compareGeometry runs a vector loop and the specification on a block. The columns start `offset` elements after the
// start of an allocation, and already have some polygons.
func compareGeometry(twin geometryLoop, v *geometry.View, b *scenes.Block, offset int) error {
	before := offset % 5
	capacity := b.Len() + before
	want, got := array.MakePolygons(capacity), newGuardedPolygons(capacity, offset)
	for _, p := range []*array.Polygons{want, got.Polygons} {
		for range before {
			p.Push(array.Vertex{}, array.Vertex{}, array.Vertex{}, array.Box{X0: 3, X1: 4, Y0: 5, Y1: 6}, 0.5, 7)
		}
	}
	boxes := newGuardedSpans(b.Len()*4+before, offset)
	if offset%3 > 0 {
		deferred := array.Deferred{First: 1000, Stride: 2500, MaxRows: int32(offset%4 + 1)}
		mine, twins := deferred, deferred
		mine.Boxes, twins.Boxes = array.MakeSpans(b.Len()*4+before), boxes.Spans
		mine.Boxes.N, twins.Boxes.N = before, before
		want.Deferred, got.Deferred = &mine, &twins
	}
	toClip := newGuarded[int32](b.Len(), offset, 0)
	wantCounts, gotCounts := geometry.Counts{Dropped: 1, Culled: 2, Clipped: 3, Drawn: 4}, geometry.Counts{Dropped: 1, Culled: 2, Clipped: 3, Drawn: 4}
	wantToClip := geometry.Project(v, b, want, make([]int32, b.Len()), &wantCounts)
	gotToClip := twin(v, b, got.Polygons, toClip.slice, &gotCounts)
	if err := sameBytes(gotToClip, wantToClip); err != nil {
		return fmt.Errorf("toClip: %w", err)
	}
	if wantCounts != gotCounts {
		return fmt.Errorf("counts %+v, want %+v", gotCounts, wantCounts)
	}
	if err := samePolygons(got.Polygons, want); err != nil {
		return err
	}
	if err := toClip.check(); err != nil {
		return fmt.Errorf("toClip: %w", err)
	}
	if err := boxes.check(); err != nil {
		return fmt.Errorf("boxes: %w", err)
	}
	if want.Deferred != nil {
		if err := sameBoxes(got.Deferred.Boxes, want.Deferred.Boxes, before); err != nil {
			return err
		}
	}
	return got.check()
}

// TestGeometryTwins compares every vector loop with the specification, at all lengths and alignments and at the end of
// accessible memory.
func TestGeometryTwins(t *testing.T) {
	for _, level := range twinLevels(t) {
		t.Run(level.String(), func(t *testing.T) {
			twin := Select(level).Geometry
			r := rand.New(rand.NewPCG(21, 22))
			var fences [9]*fence
			for i := range fences {
				fences[i] = newFence(t, 4*128)
			}
			for n := range 71 {
				for offset := range 16 {
					var b scenes.Block
					for i, c := range coordinates(&b) {
						*c = atFence[float32](fences[i], n+offset)
					}
					fillTriangles(r, &b, []int{0, 20, 400}[r.IntN(3)])
					front, back := b.Slice(0, n), b.Slice(offset, n+offset)
					v := randomView(r)
					for _, part := range []*scenes.Block{&front, &back} {
						if err := compareGeometry(twin, v, part, offset); err != nil {
							t.Fatalf("%d triangles, offset %d, view %+v: %v", n, offset, v, err)
						}
					}
				}
			}
		})
	}
}

// TestGeometryTwinsCullAlike tests all combinations of projection and culling, on blocks that are longer than a batch
// of the assembly loop.
func TestGeometryTwinsCullAlike(t *testing.T) {
	for _, level := range twinLevels(t) {
		twin := Select(level).Geometry
		r := rand.New(rand.NewPCG(23, 24))
		b := scenes.MakeBlock(8192 - 5)
		for mode := range 8 {
			fillTriangles(r, &b, mode)
			v := randomView(r)
			v.Orthographic, v.CullFront, v.CullBack = mode&1 != 0, mode&2 != 0, mode&4 != 0
			if err := compareGeometry(twin, v, &b, mode); err != nil {
				t.Errorf("%v, view %+v: %v", level, v, err)
			}
		}
	}
}

// TestGeometryTwinsLightAlike magnifies triangles that are so small that products of their sides underflow. Coordinates
// of the eye may be special numbers such as NaN or infinity.
func TestGeometryTwinsLightAlike(t *testing.T) {
	for _, level := range twinLevels(t) {
		twin := Select(level).Geometry
		r := rand.New(rand.NewPCG(26, 27))
		edgeOn := 0
		for round := range 300 {
			b := scenes.MakeBlock(40)
			fillTriangles(r, &b, 0)
			v := randomView(r)
			size := float32(math.Ldexp(1, -r.IntN(62)))
			for _, c := range coordinates(&b) {
				for i := range *c {
					(*c)[i] *= size
				}
			}
			for i := range 3 {
				v.Pivot[i] = 0
				v.X[i], v.Y[i] = v.X[i]/size, v.Y[i]/size
				if r.IntN(4) == 0 {
					v.Eye[i] = oddFloats[r.IntN(len(oddFloats))]
				}
			}
			if err := compareGeometry(twin, v, &b, round); err != nil {
				t.Fatalf("%v, view %+v: %v", level, v, err)
			}
			want := array.MakePolygons(40)
			geometry.Project(v, &b, want, make([]int32, 40), new(geometry.Counts))
			for _, bits := range want.Payload[:want.N] {
				if math.Float32frombits(bits) == geometry.Ambient {
					edgeOn++
				}
			}
		}
		if edgeOn < 100 {
			t.Errorf("%d triangles lit as if seen edge-on: too few", edgeOn)
		}
	}
}

// drawFloat returns a generator of coordinates. Numbers at the limits of the loop are frequent.
func drawFloat() *rapid.Generator[float32] {
	limits := []float32{array.Guard, -array.Guard, array.Guard + 0.5, geometry.SmallExtent, geometry.SmallExtent - 1, 0.5, 1.5, 127.5, 128, 128.5}
	return rapid.OneOf(
		rapid.Float32(), rapid.Float32Range(-2, 2), rapid.Float32Range(-1e5, 1e5),
		rapid.SampledFrom(append(limits, oddFloats...)))
}

// TestGeometryTwinsProperty gives the corners of triangles in subpixels, so that some corners lie exactly at the limits
// of View.inside and of small polygons.
func TestGeometryTwinsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := subpixelViews()[rapid.SampledFrom([]string{"perspective", "orthographic", "distant"}).Draw(t, "projection")]
		v.Width, v.Height = rapid.Int32Range(1, 40000).Draw(t, "width"), rapid.Int32Range(1, 40000).Draw(t, "height")
		v.CullFront, v.CullBack = rapid.Bool().Draw(t, "cull front"), rapid.Bool().Draw(t, "cull back")
		b := scenes.MakeBlock(rapid.IntRange(0, 40).Draw(t, "triangles"))
		for i, c := range coordinates(&b) {
			for k := range *c {
				(*c)[k] = drawFloat().Draw(t, "c")
				if i%3 == 2 && rapid.Bool().Draw(t, "unit depth") {
					(*c)[k] = 1
				}
			}
		}
		for _, level := range twinLevels(t) {
			if err := compareGeometry(Select(level).Geometry, v, &b, b.Len()%16); err != nil {
				t.Fatalf("%v: %v", level, err)
			}
		}
	})
}

// FuzzGeometryTwins compares the vector loops on blocks in which one triangle is repeated with small changes.
func FuzzGeometryTwins(f *testing.F) {
	f.Add(uint64(1), uint8(20), float32(0.1), float32(0.2), float32(0.3))
	f.Add(uint64(2), uint8(1), float32(math.Inf(1)), float32(math.Copysign(0, -1)), float32(math.NaN()))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, x, y, z float32) {
		r := rand.New(rand.NewPCG(seed, 25))
		b := scenes.MakeBlock(int(n))
		fillTriangles(r, &b, r.IntN(1000))
		for i := range n {
			k := r.IntN(3)
			b.X[k][i], b.Y[k][i], b.Z[k][i] = x, y, z
		}
		v := randomView(r)
		for _, level := range twinLevels(t) {
			if err := compareGeometry(Select(level).Geometry, v, &b, r.IntN(16)); err != nil {
				t.Fatalf("%v, view %+v: %v", level, v, err)
			}
		}
	})
}

// subpixelViews returns views in which vertices are given in subpixels from the centre of a picture that extends beyond
// the guard band. The third coordinate is w or the nearness.
func subpixelViews() map[string]*geometry.View {
	const size = 40000
	view := func() *geometry.View {
		return &geometry.View{
			Scale: 1, X: [4]float32{1}, Y: [4]float32{0, 1}, W: [4]float32{0, 0, 1}, E: [4]float32{0, 0, 1}, Near: 0.5,
			Width: size, Height: size, CenterX: size * array.Half, CenterY: size * array.Half,
		}
	}
	views := map[string]*geometry.View{"perspective": view(), "orthographic": view(), "distant": view()}
	views["orthographic"].Orthographic, views["orthographic"].Near = true, 1
	d := views["distant"]
	d.Distant, d.W, d.Near = true, [4]float32{3: 1}, 1
	return views
}

// TestGeometryTwinsAtTheGuardBand sets each coordinate of each corner to the last number inside the guard band or the
// depth range, and to the first number outside. A triangle with a corner outside is left to ClipTriangles.
func TestGeometryTwinsAtTheGuardBand(t *testing.T) {
	above := func(x float32) float32 { return math.Nextafter32(x, math.MaxFloat32) }
	below := func(x float32) float32 { return math.Nextafter32(x, -math.MaxFloat32) }
	type limit struct {
		at     float32
		inside bool
	}
	side := []limit{{array.Guard, true}, {-array.Guard, true}, {above(array.Guard), false}, {below(-array.Guard), false}}
	nan := float32(math.NaN())
	nearness := []limit{{0, true}, {1, true}, {below(0), false}, {above(1), false}, {-1e30, false}, {1e30, false}, {nan, false}, {-nan, false}}
	depths := map[string][]limit{
		"perspective": {{0.5, true}, {below(0.5), false}}, "orthographic": nearness, "distant": nearness,
	}
	for _, level := range twinLevels(t) {
		for name, v := range subpixelViews() {
			for i := range 9 {
				limits := side
				if i%3 == 2 {
					limits = depths[name]
				}
				for _, limit := range limits {
					b := guardTriangle(i, limit.at)
					if err := compareGeometry(Select(level).Geometry, v, &b, 3); err != nil {
						t.Fatalf("%v, %s, coordinate %d at %v: %v", level, name, i, limit.at, err)
					}
					var counts geometry.Counts
					toClip := geometry.Project(v, &b, array.MakePolygons(1), make([]int32, 1), &counts)
					if (len(toClip) == 0) != limit.inside || counts.Drawn == 1 != limit.inside {
						t.Fatalf("%s, coordinate %d at %v: %d aside and %+v", name, i, limit.at, len(toClip), counts)
					}
				}
			}
		}
	}
}

// guardTriangle returns a triangle that is some pixels wide. Coordinate i of its nine coordinates is `at`, and the
// whole triangle is on the same side of the centre.
func guardTriangle(i int, at float32) scenes.Block {
	b := scenes.MakeBlock(1)
	shape := [9]float32{0, 0, 1, 1000, 0, 1, 0, 1000, 1}
	if i%3 == 2 {
		shape[i], at = at, 0
	}
	for k, c := range coordinates(&b) {
		(*c)[0] = shape[k]
		if k%3 == i%3 && i%3 != 2 {
			inward := shape[k] + 500
			if at > 0 {
				inward = -inward
			}
			(*c)[0] = at + inward
		}
		if k == i && i%3 != 2 {
			(*c)[0] = at
		}
	}
	return b
}
