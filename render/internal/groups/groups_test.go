package groups

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/view"
	"lockstep/scenes"
)

// oneByOne runs tasks in their order, on one goroutine.
func oneByOne(n int, do func(task int)) {
	for i := range n {
		do(i)
	}
}

// TestOutside searches for groups that count as outside although one of their triangles is visible. Random cameras are
// in front of, inside, or far from random meshes, and some magnify more than a million times. Some groups lie across
// the edges of the picture.
func TestOutside(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	outside, seen := 0, 0
	for round := range 3000 {
		cam := someCamera(random)
		mesh := someMesh(random, &cam)
		g := New(&mesh, oneByOne)
		screen := view.Screen{Width: 1 + random.IntN(400), Height: 1 + random.IntN(400), Grid: 1 << random.IntN(3)}
		v := cam.Geometry(&screen)
		if random.IntN(3) == 0 { // only some rows of the picture, as for a band
			top := random.IntN(screen.Height)
			v.CenterY -= int32(top * screen.Grid * array.Sub)
			v.Height = int32((1 + random.IntN(screen.Height-top)) * screen.Grid)
		}
		f := g.Frustum(&v)
		out, in := f.TestBundle(0)
		for i := range min(Bundle, g.Len()) {
			if f.Outside(i) && in || !f.Outside(i) && out {
				t.Fatalf("round %d: a bundle is outside: %t, inside: %t, its group %d outside: %t", round, out, in, i, f.Outside(i))
			}
		}
		for i := range (mesh.Len() + Size - 1) / Size {
			if !f.Outside(i) {
				seen++
				continue
			}
			outside++
			if n := drawn(&v, mesh.Slice(i*Size, min((i+1)*Size, mesh.Len()))); n > 0 {
				t.Fatalf("round %d: group %d is outside, and %d of its triangles are seen", round, i, n)
			}
		}
	}
	t.Logf("%d groups outside, %d not", outside, seen)
	if outside < seen/10 {
		t.Errorf("%d groups outside, %d not", outside, seen)
	}
}

// TestTracts checks that tracts of bundles are outside or inside as their bundles are, and that CountInView counts the
// groups of bundles that are not outside. The last tract has fewer bundles.
func TestTracts(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 31))
	mixed, inView := 0, 0
	for range 60 {
		cam := someCamera(random)
		mesh := scenes.MakeBlock((2*tract*Bundle + Bundle + 3) * Size)
		part := someMesh(random, &cam)
		for n := 0; n < mesh.Len(); { // neighbouring groups are copies of each other, so that whole tracts lie on one side
			first := random.IntN(part.Len())
			for range tract * Bundle * Size / 2 {
				if n < mesh.Len() {
					mesh.Set(n, part.Triangle(first))
					n++
				}
			}
		}
		g := New(&mesh, oneByOne)
		v := cam.Geometry(&view.Screen{Width: 1 + random.IntN(400), Height: 1 + random.IntN(400), Grid: 1 << random.IntN(3)})
		f := g.Frustum(&v)
		seen := 0
		for i := range g.Bundles() {
			outside, inside, end := f.TestTract(i)
			bundleOutside, bundleInside := f.TestBundle(i)
			if outside && !bundleOutside || inside && !bundleInside || end != (i/tract+1)*tract {
				t.Fatalf("bundle %d is outside: %t, inside: %t; its tract, which ends at %d: %t, %t", i, bundleOutside, bundleInside, end, outside, inside)
			}
			if !outside && !inside {
				mixed++
			}
			if !bundleOutside {
				seen += Bundle
			}
		}
		if seen = min(seen, g.Len()); g.CountInView(&v) != seen {
			t.Fatalf("%d groups in view, want %d", g.CountInView(&v), seen)
		}
		inView += seen
	}
	if mixed == 0 || inView == 0 {
		t.Errorf("%d bundles of tracts at an edge, %d groups in view: too few", mixed, inView)
	}
}

// drawn returns the number of visible polygons of a block.
func drawn(v *geometry.View, b scenes.Block) int64 {
	var counts geometry.Counts
	polys := array.MakePolygons(b.Len() + geometry.MaxClipped)
	toClip := geometry.Project(v, &b, polys, make([]int32, b.Len()), &counts)
	for len(toClip) > 0 {
		polys.Reset()
		toClip = geometry.ClipTriangles(v, &b, toClip, polys, &counts)
	}
	return counts.Drawn
}

// someCamera returns a camera that points at a box or past it. The box has any size and position.
func someCamera(random *rand.Rand) view.Camera {
	number := func() float64 { return 2*random.Float64() - 1 }
	some := func() mgl64.Vec3 { return mgl64.Vec3{number(), number(), number()} }
	size := math.Exp(20 * number())
	middle := some().Mul(size * math.Exp(6*number()))
	half := mgl64.Vec3{size, size * random.Float64(), size * random.Float64()}
	forward := some().Normalize()
	right := forward.Cross(some()).Normalize()
	cam := view.Camera{
		Right: right, Up: right.Cross(forward), Forward: forward, Zenith: mgl64.Vec3{0, 0, 1},
		Orthographic: random.IntN(3) == 0, Box: scenes.Box{Min: [3]float64(middle.Sub(half)), Max: [3]float64(middle.Add(half))},
	}
	away := size * math.Exp(6*number())
	cam.Eye = middle.Add(some().Mul(size)).Sub(forward.Mul(away))
	cam.Near = math.Max(away-2*size, 1e-3*size)
	cam.Far = cam.Near + 4*size
	cam.Magnification = math.Exp(7*number() + 2)
	if random.IntN(2) == 0 {
		cam.Magnification = math.Exp(12 + 5*number()) // rounding to float32 moves vertices by whole pixels
	}
	if cam.Orthographic {
		cam.Magnification /= size
	}
	return cam
}

// someMesh returns a few groups of triangles in and around the view of a camera. The triangles of a mesh are tiny, or
// up to as large as the camera's box.
func someMesh(random *rand.Rand, cam *view.Camera) scenes.Block {
	n := 1 + random.IntN(6*Size)
	b := scenes.MakeBlock(n)
	size, spread := mgl64.Vec3(cam.Box.Size()).Len(), math.Exp(-40*random.Float64())
	var middle mgl64.Vec3
	for t := range n {
		if t%Size == 0 {
			// The middle of the group is inside the view, or a little beside it.
			depth := cam.Near + size*(2*random.Float64()-0.5)
			wide := 1.5 / cam.Magnification
			if !cam.Orthographic {
				wide *= depth
			}
			aside := func() float64 { return wide * (2*random.Float64() - 1) }
			if random.IntN(2) == 0 { // across an edge of the picture
				aside = func() float64 { return wide / 3 * float64(1-2*random.IntN(2)) * (1 + 1e-3*random.NormFloat64()) }
			}
			middle = cam.Eye.Add(cam.Forward.Mul(depth)).Add(cam.Right.Mul(aside())).Add(cam.Up.Mul(aside()))
			if random.IntN(8) == 0 {
				middle = mgl64.Vec3(cam.Box.Center())
			}
		}
		var corners [3][3]float32
		for k := range corners {
			for axis := range 3 {
				corners[k][axis] = float32(middle[axis] + size*spread*(2*random.Float64()-1))
			}
		}
		switch random.IntN(1000) {
		case 0:
			corners[1][random.IntN(3)] = float32(math.NaN())
		case 1:
			corners[2][random.IntN(3)] = float32(math.Inf(1))
		}
		b.Set(t, corners)
	}
	return b
}

// TestBounds checks the boxes of groups. A box must be exact, or infinite if a corner is not finite. The last group has
// fewer triangles.
func TestBounds(t *testing.T) {
	b := scenes.MakeBlock(2*Size + 1)
	for i := range b.Len() {
		x := float32(i)
		b.Set(i, [3][3]float32{{x, 0, 0}, {x + 0.5, -1, 0}, {x, 2, 3}})
	}
	b.Set(Size, [3][3]float32{{0, 0, 0}, {1, float32(math.NaN()), 0}, {0, 1, 0}})
	g := New(&b, oneByOne)
	inf := float32(math.Inf(1))
	for i, want := range [][2][3]float32{{{0, -1, 0}, {float32(Size) - 0.5, 2, 3}}, {{-inf, -inf, -inf}, {inf, inf, inf}}, {{2 * Size, -1, 0}, {2*Size + 0.5, 2, 3}}} {
		for axis := range 3 {
			if g.lo[axis][i] != want[0][axis] || g.hi[axis][i] != want[1][axis] {
				t.Errorf("group %d, axis %d: %g to %g, want %g to %g", i, axis, g.lo[axis][i], g.hi[axis][i], want[0][axis], want[1][axis])
			}
		}
	}
	if g.maxMagnitude != [3]float64{2*Size + 0.5, 2, 3} {
		t.Errorf("the largest coordinates are %v", g.maxMagnitude)
	}
}

// meshOfOne returns a mesh of one triangle.
func meshOfOne(corners [3][3]float32) scenes.Block {
	b := scenes.MakeBlock(1)
	b.Set(0, corners)
	return b
}

// TestOf checks that groups from stored boxes have the same bounds as groups whose boxes were computed.
func TestOf(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	cam := someCamera(random)
	mesh := someMesh(random, &cam)
	want := New(&mesh, oneByOne)
	var columns [6][]float32
	for axis := range 3 {
		columns[axis], columns[3+axis] = want.lo[axis], want.hi[axis]
	}
	got := FromStored(nil, columns)
	if got.maxMagnitude != want.maxMagnitude || !reflect.DeepEqual(got.bundles, want.bundles) || got.Len() != want.Len() {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestInside checks that Inside returns those groups of a range of triangles that are not outside.
func TestInside(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	for range 200 {
		cam := someCamera(random)
		mesh := someMesh(random, &cam)
		g := New(&mesh, oneByOne)
		v := cam.Geometry(&view.Screen{Width: 400, Height: 300, Grid: 1})
		f := g.Frustum(&v)
		first := random.IntN(g.Len()) * Size
		end := min(first+Size*random.IntN(20), mesh.Len())
		var want []int32
		for i := first / Size; i*Size < end; i++ {
			if !f.Outside(i) {
				want = append(want, int32(i))
			}
		}
		if got := f.AppendInside(nil, first, end); !slices.Equal(got, want) {
			t.Fatalf("triangles %d to %d: %v, want %v", first, end, got, want)
		}
	}
}
