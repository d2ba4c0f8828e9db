package ground_test

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"runtime"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/ground"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

const width, height = 160, 120

var white = color.NRGBA{255, 255, 255, 255}

// drawn returns a picture of a scene before and after its shadow was drawn.
func drawn(t testing.TB, name string, background color.Color, o camera.Options) (plain, shadowed *render.Picture, cam render.Camera) {
	t.Helper()
	ctx := context.Background()
	scene, err := procedural.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := render.New(render.Options{Width: width, Height: height, Samples: 4, Coverage: true, Background: background})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if cam, err = camera.Fit(mesh.Bounds(), width, height, o); err != nil {
		t.Fatal(err)
	}
	g, err := ground.New(ctx, mesh, mesh.Bounds(), o.Up)
	if err != nil {
		t.Fatal(err)
	}
	plain, shadowed = new(render.Picture), new(render.Picture)
	for _, pic := range []*render.Picture{plain, shadowed} {
		if _, err := r.Frame(ctx, mesh, cam, pic); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Draw(ctx, shadowed, &cam, background); err != nil {
		t.Fatal(err)
	}
	return plain, shadowed, cam
}

// A cube of half width 1 stands on the ground at z = -1: it is darkest beside its faces, ever
// lighter away from them, and as light as without a shadow far away.
func TestShadowFades(t *testing.T) {
	for _, o := range []camera.Options{{Azimuth: 30, Elevation: 40, Zoom: 0.5}, {Azimuth: -70, Elevation: 60, Orthographic: true, Zoom: 0.4}} {
		plain, shadowed, cam := drawn(t, "scene:cube", white, o)
		bounds := cubeHalf(t)
		last := -1
		for _, away := range []float64{0.02, 0.1, 0.2, 0.4} {
			// To the right of the camera, along the ground.
			right := mgl64.Vec3{1, 0, 0}
			if math.Abs(cam.Right[1]) > math.Abs(cam.Right[0]) {
				right = mgl64.Vec3{0, 1, 0}
			}
			if cam.Right.Dot(right) < 0 {
				right = right.Mul(-1)
			}
			p := right.Mul(bounds * (1 + 2*away))
			p[2] = -bounds
			x, y, _ := cam.Project(p, width, height)
			at := 4 * (int(y)*width + int(x))
			if plain.Pix[at] != 255 {
				t.Fatalf("%+v: the cube is at %v", o, p)
			}
			light := int(shadowed.Pix[at])
			if light <= last || last < 0 && light > 225 {
				t.Errorf("%+v: light %d at %g of its width from the cube, nearer %d", o, light, away, last)
			}
			last = light
		}
		if shadowed.Pix[0] != 255 {
			t.Errorf("%+v: light %d in the corner", o, shadowed.Pix[0])
		}
	}
}

func cubeHalf(t *testing.T) float64 {
	t.Helper()
	scene, err := procedural.Parse("scene:cube")
	if err != nil {
		t.Fatal(err)
	}
	box, err := scenes.Bounds(context.Background(), scene, 1)
	if err != nil {
		t.Fatal(err)
	}
	return box.Max[0]
}

// What the mesh covers stays as it is, pixels are never lighter, and pixels without a
// background have the shadow's opacity.
func TestShadowLiesBehind(t *testing.T) {
	o := camera.Options{Azimuth: 30, Elevation: 20}
	plain, opaque, _ := drawn(t, "scene:gear?triangles=2000", white, o)
	bare, clear, _ := drawn(t, "scene:gear?triangles=2000", nil, o)
	darker := 0
	for at, cover := range plain.Coverage {
		p, q := plain.Pix[4*at:4*at+4], opaque.Pix[4*at:4*at+4]
		b, c := bare.Pix[4*at:4*at+4], clear.Pix[4*at:4*at+4]
		if cover == 255 && (!bytes.Equal(p, q) || !bytes.Equal(b, c)) {
			t.Fatalf("pixel %d of the mesh has changed", at)
		}
		if q[0] > p[0] || q[1] > p[1] || q[2] > p[2] || q[3] != 255 || c[3] < b[3] {
			t.Fatalf("pixel %d: %v from %v, %v from %v", at, q, p, c, b)
		}
		// The shadow darkens at most nine tenths of what the mesh leaves open.
		if most := float64(b[3]) + 0.9*float64(255-cover) + 1; float64(c[3]) > most {
			t.Fatalf("pixel %d, covered by %d: opacity %d, want at most %g", at, cover, c[3], most)
		}
		if cover != 0 || q[0] == 255 {
			continue
		}
		darker++
		// Black of this opacity over white, in linear light.
		lit := 1 - float64(c[3])/255
		want := 255 * (1.055*math.Pow(lit, 1/2.4) - 0.055)
		if c[0] != 0 || math.Abs(float64(q[0])-want) > 1.5 {
			t.Fatalf("pixel %d: %v over white, %v over nothing: want %g", at, q, c, want)
		}
	}
	if darker < 200 {
		t.Errorf("%d pixels are darker", darker)
	}
}

// From below there is no ground, whatever the projection and the up axis.
func TestNoGroundFromBelow(t *testing.T) {
	for _, o := range []camera.Options{{Elevation: -20}, {Elevation: -5, Orthographic: true}, {Up: scenes.MinusY, Elevation: -40}} {
		plain, shadowed, _ := drawn(t, "scene:torus?triangles=500", white, o)
		if !bytes.Equal(plain.Pix, shadowed.Pix) {
			t.Errorf("%+v: there is a shadow", o)
		}
		o.Elevation = 30
		if plain, shadowed, _ := drawn(t, "scene:torus?triangles=500", white, o); bytes.Equal(plain.Pix, shadowed.Pix) {
			t.Errorf("%+v: there is no shadow", o)
		}
	}
}

func TestSameOnAnyCores(t *testing.T) {
	o := camera.Options{Azimuth: 10, Elevation: 35}
	_, want, _ := drawn(t, "scene:knot?triangles=3000", white, o)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, got, _ := drawn(t, "scene:knot?triangles=3000", white, o); !bytes.Equal(got.Pix, want.Pix) {
		t.Error("another picture on one core")
	}
}

// A plate high above the ground throws the shadow that its slice of height says: as dark as that
// in the middle, and beside its edge as a Gaussian falls. A crumb far below says where the ground
// is, and its own shadow is elsewhere.
func TestFloatingPlate(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(3)}
	mesh.Set(0, [3][3]float32{{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}})
	mesh.Set(1, [3][3]float32{{-1, -1, 1}, {1, 1, 1}, {-1, 1, 1}})
	mesh.Set(2, [3][3]float32{{-1, -1, 0}, {-0.99, -1, 0}, {-1, -0.99, 0.01}})
	ctx := context.Background()
	const size = 400
	r, err := render.New(render.Options{Width: size, Height: size, Coverage: true, Background: white})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cam, err := camera.Fit(mesh.Bounds(), size, size, camera.Options{Elevation: 10, Orthographic: true, Zoom: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.New(ctx, mesh, mesh.Bounds(), scenes.PlusZ)
	if err != nil {
		t.Fatal(err)
	}
	var pic render.Picture
	if _, err := r.Frame(ctx, mesh, cam, &pic); err != nil {
		t.Fatal(err)
	}
	if err := g.Draw(ctx, &pic, &cam, white); err != nil {
		t.Fatal(err)
	}
	const dark, deviation = 0.32, 0.14 * 2
	for _, beyond := range []float64{-1, -0.5, 0, 0.5, 1, 2} { // the edge, in deviations
		x := 1 + float64(beyond*deviation)
		if beyond == -1 {
			x = 0 // the middle
		}
		px, py, _ := cam.Project(mgl64.Vec3{x, 0, 0}, size, size)
		v := float64(pic.Pix[4*(int(py)*size+int(px))]) / 255
		got := 1 - math.Pow((v+0.055)/1.055, 2.4)
		want := dark * (math.Erfc((x-1)/deviation/math.Sqrt2) / 2)
		if math.Abs(got-want) > 0.015 {
			t.Errorf("at %.2f: %.3f of the light is missing, want %.3f", x, got, want)
		}
	}
}

// Pixels that the mesh covers in part show the shadow in the rest.
func TestShadowBesideEdges(t *testing.T) {
	plain, shadowed, _ := drawn(t, "scene:cube", white, camera.Options{Azimuth: 30, Elevation: 40, Zoom: 0.5})
	parts := 0
	for i, c := range plain.Coverage {
		if c > 0 && c < 255 && !bytes.Equal(plain.Pix[4*i:4*i+3], shadowed.Pix[4*i:4*i+3]) {
			parts++
		}
	}
	if parts < 10 {
		t.Errorf("%d pixels at edges show the shadow", parts)
	}
}
