package render_test

import (
	"context"
	"image"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestWindow checks that a window shows the same as that part of the whole picture. Coordinates at a few edges may be
// rounded differently, and occlusion may differ at the borders of the window.
func TestWindow(t *testing.T) {
	mesh := generated(t, "scene:gear?triangles=5000")
	part := image.Rect(90, 40, 90+128, 40+96)
	for _, orthographic := range []bool{false, true} {
		for name, o := range map[string]render.Options{
			"headlight": {Width: 320, Height: 180},
			"smooth":    {Width: 320, Height: 180, Light: render.LightStudio, Shading: render.ShadingSmooth, Samples: 4, Background: render.StudioBackground},
		} {
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 30, Elevation: 40, Orthographic: orthographic})
			whole, _ := drawn(t, mesh, cam, o)
			o.Width, o.Height = part.Dx(), part.Dy()
			window, _ := drawn(t, mesh, cam.Window(320, 180, part), o)
			differ := 0
			for y := range part.Dy() {
				for x := range part.Dx() {
					for c := range 4 {
						a := whole.Pix[4*((y+part.Min.Y)*320+x+part.Min.X)+c]
						if b := window.Pix[4*(y*part.Dx()+x)+c]; a != b && a != b+1 && a+1 != b {
							differ++
						}
					}
				}
			}
			if most := part.Dx() * part.Dy() / 100; differ > most {
				t.Errorf("%s, orthographic %v: %d of %d values differ", name, orthographic, differ, 4*part.Dx()*part.Dy())
			}
		}
	}
}

// TestWindowProjects checks Project and Unproject of cameras with windows, and that a window of a window is a window.
func TestWindowProjects(t *testing.T) {
	mesh := generated(t, "scene:cube")
	cam := fitted(t, mesh, render.Options{Width: 320, Height: 180}, camera.Options{Azimuth: 30, Elevation: 40})
	p := mgl64.Vec3{0.3, -0.2, 0.1}
	x, y, depth := cam.Project(p, 320, 180)
	once := cam.Window(320, 180, image.Rect(100, 50, 260, 170))
	twice := once.Window(160, 120, image.Rect(20, 10, 120, 100))
	wx, wy, wdepth := twice.Project(p, 100, 90)
	if math.Abs(wx+120-x) > 1e-9 || math.Abs(wy+60-y) > 1e-9 || wdepth != depth {
		t.Errorf("at (%g, %g), want (%g, %g)", wx, wy, x-120, y-60)
	}
	if q := twice.Unproject(wx, wy, wdepth, 100, 90); q.Sub(p).Len() > 1e-9 {
		t.Errorf("%v comes back as %v", p, q)
	}
}

// TestSurfaceData checks the triangle numbers, normals and coverage of a cube.
func TestSurfaceData(t *testing.T) {
	mesh := generated(t, "scene:cube")
	o := render.Options{Width: 160, Height: 120, Light: render.LightStudio, Samples: 4, Triangles: true, Normals: true, Coverage: true, Depth: true}
	for _, o.ISA = range levels(t) {
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 30, Elevation: 40})
			pic, _ := drawn(t, mesh, cam, o)
			checkData(t, mesh, cam, pic)
		}
	}
	r, err := render.New(render.Options{Triangles: true})
	if err == nil {
		r.Close()
		t.Error("triangles under a headlight: no error")
	}
}

func checkData(t *testing.T, mesh *scenes.Mesh, cam render.Camera, pic *render.Picture) {
	t.Helper()
	seen := map[uint32]bool{}
	for i, number := range pic.Triangles {
		if covered := pic.Pix[4*i+3]; covered != pic.Coverage[i] || (covered == 0) != (number == render.NoTriangle) {
			t.Fatalf("pixel %d: alpha %d, coverage %d, triangle %d", i, covered, pic.Coverage[i], number)
		}
		n := mgl64.Vec3{float64(pic.Normals[i][0]), float64(pic.Normals[i][1]), float64(pic.Normals[i][2])}
		if number == render.NoTriangle {
			if n.Len() != 0 {
				t.Fatalf("pixel %d: a normal of nothing", i)
			}
			continue
		}
		seen[number] = true
		if pic.Coverage[i] != 255 {
			continue
		}
		// The point that the pixel shows must lie in the plane of its triangle, whose normal the picture has.
		p := cam.Unproject(float64(i%pic.Width)+0.5, float64(i/pic.Width)+0.5, float64(pic.Depth[i]), pic.Width, pic.Height)
		c := mesh.Triangle(int(number))
		corner := mgl64.Vec3{float64(c[0][0]), float64(c[0][1]), float64(c[0][2])}
		if off := math.Abs(p.Sub(corner).Dot(n)); off > 0.03 || math.Abs(n.Len()-1) > 1e-5 || n.Dot(cam.Forward) > 0 {
			t.Fatalf("pixel %d: triangle %d with normal %v: off by %g", i, number, n, off)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d triangles are seen, want 6", len(seen))
	}
}

// TestPaintIsForgotten checks that a renderer that has drawn the colours of one mesh draws the next mesh without them.
func TestPaintIsForgotten(t *testing.T) {
	painted := generated(t, "scene:cube")
	a := &scenes.Attributes{Vertices: painted.Len(), Colors: scenes.Attribute[scenes.RGBA]{Values: []scenes.RGBA{scenes.Opaque(0xff0000)}}}
	for k := range 3 {
		a.Index[k] = make([]uint32, painted.Len())
		a.Colors.Index[k] = make([]uint32, painted.Len())
	}
	red := *painted
	red.Attributes = a
	o := render.Options{Width: 64, Height: 64}.Studio()
	cam := fitted(t, painted, o, camera.Options{Azimuth: 30, Elevation: 40})
	want, _ := drawn(t, painted, cam, o)
	r, err := render.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var pic render.Picture
	for _, m := range []*scenes.Mesh{&red, painted} {
		if _, err := r.Frame(context.Background(), m, cam, &pic); err != nil {
			t.Fatal(err)
		}
	}
	if string(pic.Pix) != string(want.Pix) {
		t.Error("the second mesh has colours of the first")
	}
}
