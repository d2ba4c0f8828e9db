package render_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// jitteredGrid returns a square of n x n cells from -1 to 1 in x and z that faces the front view. Each cell is cut
// along a random diagonal, so there are n(3n+2) edges. Inner corners are moved by up to a fifth of a cell, which turns
// no triangle over.
func jitteredGrid(n int, seed uint64) *scenes.Mesh {
	r := rand.New(rand.NewPCG(seed, 3))
	corners := make([]vec, (n+1)*(n+1))
	for j := range n + 1 {
		for i := range n + 1 {
			x, z := float64(i), float64(j)
			if i > 0 && i < n && j > 0 && j < n {
				x += 0.4 * (r.Float64() - 0.5)
				z += 0.4 * (r.Float64() - 0.5)
			}
			corners[j*(n+1)+i] = vec{2*x/float64(n) - 1, 0, 2*z/float64(n) - 1}
		}
	}
	tris := make([][3]vec, 0, 2*n*n)
	for j := range n {
		for i := range n {
			at := j*(n+1) + i
			a, b, c, d := corners[at], corners[at+1], corners[at+n+2], corners[at+n+1]
			if r.IntN(2) == 0 {
				tris = append(tris, [3]vec{a, b, c}, [3]vec{a, c, d})
			} else {
				tris = append(tris, [3]vec{a, b, d}, [3]vec{b, c, d})
			}
		}
	}
	return meshOf(tris...)
}

// noHoles fails if a row of the picture has an uncovered pixel between two covered ones, which a convex outline cannot
// show.
func noHoles(t *testing.T, name string, pic *render.Picture) {
	t.Helper()
	for y := range pic.Height {
		row := pic.Pix[4*y*pic.Width : 4*(y+1)*pic.Width]
		first, last, covered := -1, -1, 0
		for x := range pic.Width {
			if row[4*x+3] != 0 {
				if first < 0 {
					first = x
				}
				last = x
				covered++
			}
		}
		if first >= 0 && last-first+1 != covered {
			t.Fatalf("%s: row %d is covered from %d to %d but for %d pixels", name, y, first, last, last-first+1-covered)
		}
	}
}

// The function once fails the test unless every covered pixel was tested exactly once.
func once(t *testing.T, name string, s render.Stats) {
	t.Helper()
	if s.Pixels != s.Covered || s.Covered == 0 {
		t.Errorf("%s: %d pixels covered, hit %d times", name, s.Covered, s.Pixels)
	}
}

// The function full fails the test unless every pixel of the picture was tested exactly once.
func full(t *testing.T, name string, s render.Stats, o render.Options) {
	t.Helper()
	once(t, name, s)
	if s.Covered != int64(o.Width*o.Height) {
		t.Errorf("%s: %d pixels covered, want all %d", name, s.Covered, o.Width*o.Height)
	}
}

func TestWatertightPlane(t *testing.T) {
	n := 580 // the square has 1.01 million edges
	o := render.Options{Width: 1920, Height: 1080}
	switch {
	case raceEnabled:
		n, o.Width, o.Height = 150, 640, 360
	case !*long:
		n, o.Width, o.Height = 290, 960, 540
	}
	mesh := jitteredGrid(n, 1)
	r := newRenderer(t, o)
	pic := new(render.Picture)
	for _, ortho := range []bool{false, true} {
		for _, zoom := range []float64{1, 4, 1000} {
			from := camera.Options{Azimuth: 27, Elevation: 38, Orthographic: ortho, Zoom: zoom}
			cam := fitted(t, mesh, o, from)
			// The camera is rolled, so that no side of the square is horizontal.
			roll := mgl64.QuatRotate(0.31, cam.Forward)
			cam.Right, cam.Up = roll.Rotate(cam.Right), roll.Rotate(cam.Up)
			stats, err := r.Frame(t.Context(), mesh, cam, pic)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("orthographic %v, zoom %g", ortho, zoom)
			if zoom == 1 {
				once(t, name, stats)
				noHoles(t, name, pic)
				if stats.Covered < int64(o.Width*o.Height/5) {
					t.Errorf("%s: only %d pixels covered", name, stats.Covered)
				}
			} else {
				full(t, name, stats, o)
			}
		}
	}
}

// TestWatertightNearPlane draws a plane that passes below the eye and reaches to the horizon. The near plane cuts it
// within the picture.
func TestWatertightNearPlane(t *testing.T) {
	o := render.Options{Width: 640, Height: 360}
	r := newRenderer(t, o)
	pic := new(render.Picture)
	for _, n := range []int{1, 3, 40, 200} {
		mesh := jitteredGrid(n, uint64(n))
		for _, near := range []float64{1e-4, 0.01, 0.1, 0.3} {
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 0, Elevation: 0, FieldOfView: 80})
			// The camera looks along the plane, slightly downwards, from a distance of a tenth.
			cam.Eye = mgl64.Vec3{0.03, -0.1, -0.2}
			turn := mgl64.QuatRotate(math.Pi/2-0.35, mgl64.Vec3{1, 0, 0}).Mul(mgl64.QuatRotate(0.1, mgl64.Vec3{0, 1, 0}))
			cam.Right, cam.Up, cam.Forward = turn.Rotate(cam.Right), turn.Rotate(cam.Up), turn.Rotate(cam.Forward)
			cam.Near, cam.Far = near, 4
			stats, err := r.Frame(t.Context(), mesh, cam, pic)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d cells, near plane at %g", n, near)
			once(t, name, stats)
			noHoles(t, name, pic)
			if stats.Triangles.Clipped == 0 {
				t.Errorf("%s: nothing was clipped", name)
			}
		}
	}
}

// TestWatertightFromInside checks that from inside a convex body every pixel is covered exactly once. The body's large
// faces are clipped by the near plane and by the guard band.
func TestWatertightFromInside(t *testing.T) {
	o := render.Options{Width: 160, Height: 90}
	r := newRenderer(t, o)
	pic := new(render.Picture)
	random := rand.New(rand.NewPCG(8, 9))
	frames := 1000
	if raceEnabled {
		frames = 150
	}
	if *long {
		frames = 100_000
	}
	bodies := []*scenes.Mesh{boxMesh(vec{-1, -1, -1}, vec{1, 1, 1}), sphere(6, 4, 2), sphere(40, 20, 2)}
	clipped := int64(0)
	for i := range frames {
		mesh := bodies[i%len(bodies)]
		cam := fitted(t, mesh, o, camera.Options{
			Azimuth: 360 * random.Float64(), Elevation: 180*random.Float64() - 90,
			FieldOfView: 20 + 140*random.Float64(),
		})
		for c := range 3 {
			cam.Eye[c] = 1.2*random.Float64() - 0.6
		}
		cam.Near, cam.Far = 1e-3, 8
		stats, err := r.Frame(t.Context(), mesh, cam, pic)
		if err != nil {
			t.Fatal(err)
		}
		clipped += stats.Triangles.Clipped
		full(t, fmt.Sprintf("frame %d, eye %v", i, cam.Eye), stats, o)
		if t.Failed() {
			return
		}
	}
	if clipped == 0 {
		t.Error("nothing was clipped")
	}
}

// TestWatertightCut checks that a sphere around the eye, cut by a near plane that lies within the picture, is drawn as
// a disc without holes.
func TestWatertightCut(t *testing.T) {
	o := render.Options{Width: 400, Height: 400}
	for _, mesh := range []*scenes.Mesh{sphere(12, 7, 1), sphere(101, 50, 1), sphere(600, 300, 1)} {
		for _, near := range []float64{0.75, 0.8, 0.9} {
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 33, Elevation: 21, FieldOfView: 100})
			cam.Eye = cam.Target
			cam.Near, cam.Far = near, 2
			pic, stats := drawn(t, mesh, cam, o)
			name := fmt.Sprintf("%d triangles, near plane at %g", mesh.Len(), near)
			once(t, name, stats)
			noHoles(t, name, pic)
		}
	}
}

// TestClosedSurfaces checks that every pixel shows as many front faces as back faces of a closed surface.
func TestClosedSurfaces(t *testing.T) {
	for name, mesh := range map[string]*scenes.Mesh{
		"box": boxMesh(vec{-1, -2, -3}, vec{1, 2, 3}), "sphere": sphere(200, 100, 1),
		"torus": torus(150, 70, 1, 0.4), "bumpy": bumpy(300, 150), "coarse": sphere(9, 5, 1),
	} {
		convex := name == "box" || name == "coarse" || name == "sphere"
		for _, view := range some(views) {
			for _, ortho := range []bool{false, true} {
				o := render.Options{Width: 401, Height: 301}
				cam := fitted(t, mesh, o, camera.Options{Azimuth: view[0] + 3, Elevation: view[1], Orthographic: ortho, Zoom: 1.2})
				var stats [3]render.Stats
				for cull := range stats {
					o.Cull = render.Cull(cull)
					_, stats[cull] = drawn(t, mesh, cam, o)
				}
				both, front, back := stats[render.CullNone], stats[render.CullBack], stats[render.CullFront]
				label := fmt.Sprintf("%s %v orthographic %v", name, view, ortho)
				if front.Pixels != back.Pixels || both.Pixels != front.Pixels+back.Pixels {
					t.Errorf("%s: fronts hit %d times, backs %d, both %d", label, front.Pixels, back.Pixels, both.Pixels)
				}
				if front.Covered != back.Covered || both.Covered != front.Covered {
					t.Errorf("%s: fronts cover %d pixels, backs %d, both %d", label, front.Covered, back.Covered, both.Covered)
				}
				if convex {
					once(t, label, front)
				}
			}
		}
	}
}
