package drawing

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// meshOf returns a mesh of the given triangles.
func meshOf(triangles ...[3][3]float32) *scenes.Mesh {
	m := new(scenes.Mesh)
	for _, c := range triangles {
		for k := range 3 {
			m.X[k], m.Y[k], m.Z[k] = append(m.X[k], c[k][0]), append(m.Y[k], c[k][1]), append(m.Z[k], c[k][2])
		}
	}
	return m
}

// boxOf returns the twelve triangles of a box.
func boxOf(lo, hi [3]float32) (t [][3][3]float32) {
	at := func(i int) (p [3]float32) {
		for d := range p {
			p[d] = lo[d]
			if i>>d&1 != 0 {
				p[d] = hi[d]
			}
		}
		return p
	}
	for _, q := range [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		t = append(t, [3][3]float32{at(q[0]), at(q[1]), at(q[2])}, [3][3]float32{at(q[0]), at(q[2]), at(q[3])})
	}
	return t
}

// seenFrom fits a camera to a mesh, and returns a drawing of the mesh, the picture that it needed, and the camera.
func seenFrom(t testing.TB, mesh *scenes.Mesh, view camera.Options, width, height int, o Options) (*Drawing, *render.Picture, *render.Camera) {
	t.Helper()
	box, err := scenes.Bounds(t.Context(), mesh, 1)
	if err != nil {
		t.Fatal(err)
	}
	cam, err := camera.Fit(box, width, height, view)
	if err != nil {
		t.Fatal(err)
	}
	return drawn(t, mesh, &cam, width, height, o)
}

func drawn(t testing.TB, mesh *scenes.Mesh, cam *render.Camera, width, height int, o Options) (*Drawing, *render.Picture, *render.Camera) {
	t.Helper()
	scale := Scale(width, height)
	r, err := render.New(render.Options{Width: scale * width, Height: scale * height, Samples: 1, Light: render.LightStudio, Triangles: true, Depth: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pic := new(render.Picture)
	if _, err := r.Frame(context.Background(), mesh, *cam, pic); err != nil {
		t.Fatal(err)
	}
	d, err := New(context.Background(), mesh, pic, cam, width, height, o)
	if err != nil {
		t.Fatal(err)
	}
	return d, pic, cam
}

// total returns the length of lines on the page.
func total(lines []Line) (sum float64) {
	for _, l := range lines {
		for i := 1; i < len(l); i++ {
			sum += math.Hypot(l[i].X-l[i-1].X, l[i].Y-l[i-1].Y)
		}
	}
	return sum
}

// area returns the area of the surface within its outline.
func area(lines []Line) (sum float64) {
	for _, l := range lines {
		for i := 1; i < len(l); i++ {
			sum += l[i-1].X*l[i].Y - l[i].X*l[i-1].Y
		}
	}
	return sum / 2
}

// TestCube checks that a cube has nine visible edges and three hidden ones, all straight, between its projected
// corners.
func TestCube(t *testing.T) {
	for _, view := range []camera.Options{{Azimuth: 30, Elevation: 25}, {Azimuth: 30, Elevation: 25, Orthographic: true}, {Azimuth: 200, Elevation: -40}} {
		mesh := meshOf(boxOf([3]float32{}, [3]float32{1, 2, 1.5})...)
		d, pic, cam := seenFrom(t, mesh, view, 300, 200, Options{Hidden: true})
		want := [2]float64{} // total lengths of visible and hidden edges
		far, depth := 0, 0.0 // the corner that is not visible
		var at [8]Point
		for i := range at {
			p := mgl64.Vec3{float64(i & 1), float64(i >> 1 & 1 * 2), float64(i>>2&1) * 1.5}
			x, y, z := cam.Project(p, 300, 200)
			if at[i] = (Point{x, y}); z > depth {
				far, depth = i, z
			}
		}
		for i := range at {
			for bit := 1; bit < 8; bit *= 2 {
				if j := i ^ bit; i < j {
					l := math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y)
					if i == far || j == far {
						want[1] += l
					} else {
						want[0] += l
					}
				}
			}
		}
		if got := total(d.Visible); math.Abs(got-want[0]) > 1 {
			t.Errorf("%+v: %g of visible lines, want %g", view, got, want[0])
		}
		if got := total(d.Hidden); math.Abs(got-want[1]) > 1 {
			t.Errorf("%+v: %g of hidden lines, want %g", view, got, want[1])
		}
		for _, l := range append(slices.Clone(d.Visible), d.Hidden...) {
			for _, end := range []Point{l[0], l[len(l)-1]} {
				if !slices.ContainsFunc(at[:], func(p Point) bool { return math.Hypot(p.X-end.X, p.Y-end.Y) < 0.5 }) {
					t.Errorf("%+v: a line ends at %v, where no corner is", view, end)
				}
			}
		}
		if len(d.Outline) != 1 || len(d.Outline[0]) > 40 {
			t.Errorf("%+v: outlines %v", view, d.Outline)
		}
		checkArea(t, d, pic)
	}
}

// checkArea compares the area within the outline with the number of covered pixels.
func checkArea(t *testing.T, d *Drawing, pic *render.Picture) {
	t.Helper()
	covered := 0
	for _, shown := range pic.Triangles {
		if shown != render.NoTriangle {
			covered++
		}
	}
	scale := float64(pic.Width / d.Width)
	if want, got := float64(covered)/scale/scale, area(d.Outline); math.Abs(got-want) > 0.004*want+1 {
		t.Errorf("an outline of area %g, pixels of %g", got, want)
	}
}

// TestHoles draws a ring in front of a plate. Only the background may be visible through the ring's hole.
func TestHoles(t *testing.T) {
	var ring [][3][3]float32
	at := func(r float64, k int) [3]float32 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k%64) / 64)
		return [3]float32{float32(r * cos), 0, float32(r * sin)}
	}
	for k := range 64 {
		ring = append(ring, [3][3]float32{at(1, k), at(1, k+1), at(0.5, k)}, [3][3]float32{at(0.5, k), at(1, k+1), at(0.5, k+1)})
	}
	d, pic, _ := seenFrom(t, meshOf(ring...), camera.Options{}, 200, 200, Options{})
	if len(d.Outline) != 2 || area(d.Outline[:1])*area(d.Outline[1:]) >= 0 {
		t.Errorf("%d outlines, the area of the first is %g", len(d.Outline), area(d.Outline[:1]))
	}
	checkArea(t, d, pic)
	scale := total(d.Outline[:1]) / (2 * math.Pi) // radius of the outer circle
	if got, want := total(d.Visible), 2*math.Pi*1.5*scale; math.Abs(got-want) > 0.01*want {
		t.Errorf("%g of lines, want %g: %v", got, want, d.Visible)
	}
	if len(d.Visible) != 2 {
		t.Errorf("%d lines, want two closed ones", len(d.Visible))
	}
}

// TestSphere checks that a sphere has a single line, its silhouette, which is a circle.
func TestSphere(t *testing.T) {
	scene, err := procedural.Parse("scene:sphere?triangles=20000")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, pic, _ := seenFrom(t, mesh, camera.Options{Azimuth: 10, Elevation: 30}, 400, 400, Options{Hidden: true, Wires: true})
	checkArea(t, d, pic)
	circle := total(d.Outline)
	if got := total(d.Visible); got < 0.97*circle || got > 1.2*circle || len(d.Hidden) > 0 {
		t.Errorf("%g of lines around an outline of %g, %d hidden ones", got, circle, len(d.Hidden))
	}
	if got := total(d.Wires); got < 10*circle {
		t.Errorf("%g of wires", got)
	}
}

// TestRays compares the visibility of random edges with the result of casting rays. It leaves out points near a change
// of the visibility.
func TestRays(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		var all [][3][3]float32
		for range 25 {
			var c [3][3]float32
			for k := range c {
				for d := range c[k] {
					c[k][d] = float32(r.Float64()*2 - 1)
				}
			}
			all = append(all, c)
		}
		mesh := meshOf(all...)
		d, _, cam := seenFrom(t, mesh, camera.Options{Azimuth: 360 * r.Float64(), Elevation: 60 * r.Float64(), Orthographic: seed%2 == 0}, 300, 300, Options{Hidden: true})
		wrong, looked := 0, 0
		for i, c := range all {
			for k := range 3 {
				a, b := vec(c[k]), vec(c[(k+1)%3])
				for s := 0.03; s < 1; s += 0.06 {
					p := a.Add(b.Sub(a).Mul(s))
					hidden := [3]bool{}
					for e := range hidden { // for the point and two points beside it
						hidden[e] = hiddenByRay(all, i, cam, a.Add(b.Sub(a).Mul(s+0.02*float64(e-1))))
					}
					if hidden[0] != hidden[1] || hidden[1] != hidden[2] || grazes(all, i, k, cam, p) {
						continue
					}
					x, y, _ := cam.Project(p, 300, 300)
					looked++
					if onLine(d.Visible, Point{x, y}) == hidden[1] && !(hidden[1] && crossed(d.Visible, d.Hidden, Point{x, y})) {
						wrong++
						t.Logf("seed %d: triangle %d, side %d at %.2f: hidden %v, at %.1f, %.1f", seed, i, k, s, hidden[1], x, y)
					}
				}
			}
		}
		if looked < 300 || wrong > 0 {
			t.Errorf("seed %d: %d of %d places are wrong", seed, wrong, looked)
		}
	}
}

func vec(p [3]float32) mgl64.Vec3 { return mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])} }

// ray returns the direction and the distance from a point to the eye.
func ray(cam *render.Camera, p mgl64.Vec3) (mgl64.Vec3, float64) {
	if cam.Orthographic {
		return cam.Forward.Mul(-1), math.Inf(1)
	}
	d := cam.Eye.Sub(p)
	return d.Normalize(), d.Len()
}

// hiddenByRay reports whether another triangle lies between a point and the eye.
func hiddenByRay(all [][3][3]float32, own int, cam *render.Camera, p mgl64.Vec3) bool {
	dir, far := ray(cam, p)
	for i, c := range all {
		if i == own {
			continue
		}
		if at, inside := meets(c, p, dir); inside > 0 && at > 1e-9 && at < far {
			return true
		}
	}
	return false
}

// grazes reports whether a point of the page lies within a pixel of another side of its triangle, or near another
// triangle.
func grazes(all [][3][3]float32, own, side int, cam *render.Camera, p mgl64.Vec3) bool {
	dir, _ := ray(cam, p)
	x, y, _ := cam.Project(p, 300, 300)
	for i, c := range all {
		var at [3]Point
		for k := range at {
			at[k].X, at[k].Y, _ = cam.Project(vec(c[k]), 300, 300)
		}
		for k := range at {
			if (i != own || k != side) && distance(Point{x, y}, at[k], at[(k+1)%3]) < 1 {
				return true
			}
		}
		if far, inside := meets(c, p, dir); i != own && inside > -0.03 && math.Abs(far) < 0.05 {
			return true
		}
	}
	return false
}

// meets returns the distance along a ray at which it meets the plane of a triangle, and the least barycentric
// coordinate of that point. The coordinate states how far inside the triangle the point is.
func meets(c [3][3]float32, p, dir mgl64.Vec3) (at, inside float64) {
	a, b, d := vec(c[0]), vec(c[1]), vec(c[2])
	u, v := b.Sub(a), d.Sub(a)
	n := u.Cross(v)
	at = a.Sub(p).Dot(n) / dir.Dot(n)
	q := p.Add(dir.Mul(at)).Sub(a)
	s := q.Cross(v).Dot(n) / n.Dot(n)
	w := u.Cross(q).Dot(n) / n.Dot(n)
	return at, min(s, w, 1-s-w)
}

// onLine reports whether a point lies on one of the lines.
func onLine(lines []Line, p Point) bool {
	for _, l := range lines {
		for i := 1; i < len(l); i++ {
			if distance(p, l[i-1], l[i]) < 0.3 {
				return true
			}
		}
	}
	return false
}

// crossed reports whether a visible line crosses a hidden one near a point.
func crossed(visible, hidden []Line, p Point) bool { return onLine(hidden, p) && onLine(visible, p) }

// TestSameOnAnyCores checks that the drawing does not depend on the number of cores.
func TestSameOnAnyCores(t *testing.T) {
	scene, err := procedural.Parse("scene:gear")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := func() *Drawing {
		d, _, _ := seenFrom(t, mesh, camera.Options{Azimuth: 40, Elevation: 50}, 200, 150, Options{Hidden: true, Wires: true})
		return d
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := one()
	runtime.GOMAXPROCS(5)
	got := one()
	for i, l := range [][2][]Line{{want.Outline, got.Outline}, {want.Visible, got.Visible}, {want.Hidden, got.Hidden}, {want.Wires, got.Wires}} {
		if len(l[0]) == 0 || !slices.EqualFunc(l[0], l[1], func(a, b Line) bool { return slices.Equal(a, b) }) {
			t.Errorf("lines %d: %d and %d", i, len(l[0]), len(l[1]))
		}
	}
}

// TestInside draws a box from within. Edges that reach behind the eye must be cut.
func TestInside(t *testing.T) {
	mesh := meshOf(boxOf([3]float32{-1, -1, -1}, [3]float32{1, 1, 1})...)
	cam, err := camera.Look(scenes.BoxOf([3]float32{-1, -1, -1}, [3]float32{1, 1, 1}), mgl64.Vec3{0, -0.5, 0}, mgl64.Vec3{0, 1, 0}, camera.Options{FieldOfView: 100})
	if err != nil {
		t.Fatal(err)
	}
	d, pic, _ := drawn(t, mesh, &cam, 100, 100, Options{Hidden: true})
	checkArea(t, d, pic)
	// The drawing has the far square, and four lines from its corners to those of the page. tan 50 degrees is 1.19, and
	// the far wall is 1.5 away.
	side := 100 / 1.1917535926 / 1.5
	if got, want := total(d.Visible), 4*side+4*math.Sqrt2*(50-side/2); math.Abs(got-want) > 1 || len(d.Hidden) > 0 {
		t.Errorf("%g of lines, want %g; %v hidden", got, want, d.Hidden)
	}
	for _, l := range d.Visible {
		for _, p := range l {
			if !(p.X >= -1e-9 && p.X <= 100+1e-9 && p.Y >= -1e-9 && p.Y <= 100+1e-9) {
				t.Errorf("%v is not on the page", p)
			}
		}
	}
}
