package ground_test

import (
	"bytes"
	"context"
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

// white is a white backdrop, and clear a transparent one.
var white, clear = ground.Backdrop{Top: new(render.RGB(0xffffff)), Bottom: new(render.RGB(0xffffff))}, ground.Backdrop{}

// drawn returns two pictures of a scene over a backdrop, without and with its shadow.
func drawn(t testing.TB, name string, behind ground.Backdrop, o camera.Options) (plain, shadowed *render.Picture, cam render.Camera) {
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
	r, err := render.New(render.Options{Width: width, Height: height, Samples: 4, Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if cam, err = camera.Fit(mesh.Bounds(), width, height, o); err != nil {
		t.Fatal(err)
	}
	g, err := ground.New(ctx, mesh, mesh.Bounds(), o.Up, 512)
	if err != nil {
		t.Fatal(err)
	}
	plain, shadowed = new(render.Picture), new(render.Picture)
	for _, pic := range []*render.Picture{plain, shadowed} {
		if _, err := r.Frame(ctx, mesh, cam, pic); err != nil {
			t.Fatal(err)
		}
	}
	for pic, of := range map[*render.Picture]*ground.Ground{plain: nil, shadowed: g} {
		behind.Ground = of
		if err := behind.Lay(ctx, pic, &cam, height, 0); err != nil {
			t.Fatal(err)
		}
	}
	return plain, shadowed, cam
}

// TestShadowFades draws a cube of half width 1 on the ground at z = -1. The ground must be darkest beside the cube's
// faces and become lighter away from them, up to its colour without a shadow far away.
func TestShadowFades(t *testing.T) {
	for _, o := range []camera.Options{{Azimuth: 30, Elevation: 40, Zoom: 0.5}, {Azimuth: -70, Elevation: 60, Orthographic: true, Zoom: 0.4}} {
		plain, shadowed, cam := drawn(t, "scene:cube", white, o)
		bounds := cubeHalf(t)
		last := -1
		for _, away := range []float64{0.02, 0.1, 0.2, 0.4} {
			// right is the direction to the camera's right along the ground.
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

// TestShadowLiesBehind checks that pixels that the mesh covers do not change, that no pixel becomes lighter, and that
// pixels without a background get the shadow's opacity.
func TestShadowLiesBehind(t *testing.T) {
	o := camera.Options{Azimuth: 30, Elevation: 20}
	plain, opaque, _ := drawn(t, "scene:gear?triangles=2000", white, o)
	bare, veiled, _ := drawn(t, "scene:gear?triangles=2000", clear, o)
	darker := 0
	for at, cover := range plain.Coverage {
		p, q := plain.Pix[4*at:4*at+4], opaque.Pix[4*at:4*at+4]
		b, c := bare.Pix[4*at:4*at+4], veiled.Pix[4*at:4*at+4]
		if cover == 255 && (!bytes.Equal(p, q) || !bytes.Equal(b, c)) {
			t.Fatalf("pixel %d of the mesh has changed", at)
		}
		if q[0] > p[0] || q[1] > p[1] || q[2] > p[2] || q[3] != 255 || c[3] < b[3] {
			t.Fatalf("pixel %d: %v from %v, %v from %v", at, q, p, c, b)
		}
		// The shadow darkens at most nine tenths of the part that the mesh does not cover.
		if most := float64(b[3]) + 0.9*float64(255-cover) + 1; float64(c[3]) > most {
			t.Fatalf("pixel %d, covered by %d: opacity %d, want at most %g", at, cover, c[3], most)
		}
		if cover != 0 || q[0] == 255 {
			continue
		}
		darker++
		// Over white, black of this opacity gives the following linear light.
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

// TestNoGroundFromBelow checks that no shadow is visible from below, with any projection and any up axis.
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

// TestFloatingPlate checks the shadow of a plate high above the ground. The darkness and blur must be those of the
// slice at the plate's height: full darkness in the middle, and a Gaussian across the edge. A tiny triangle far below
// defines the ground. The shadow of this triangle is elsewhere.
func TestFloatingPlate(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(3)}
	mesh.Set(0, [3][3]float32{{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}})
	mesh.Set(1, [3][3]float32{{-1, -1, 1}, {1, 1, 1}, {-1, 1, 1}})
	mesh.Set(2, [3][3]float32{{-1, -1, 0}, {-0.99, -1, 0}, {-1, -0.99, 0.01}})
	ctx := context.Background()
	const size = 400
	r, err := render.New(render.Options{Width: size, Height: size, Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cam, err := camera.Fit(mesh.Bounds(), size, size, camera.Options{Elevation: 10, Orthographic: true, Zoom: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.New(ctx, mesh, mesh.Bounds(), scenes.PlusZ, 512)
	if err != nil {
		t.Fatal(err)
	}
	var pic render.Picture
	if _, err := r.Frame(ctx, mesh, cam, &pic); err != nil {
		t.Fatal(err)
	}
	behind := white
	behind.Ground = g
	if err := behind.Lay(ctx, &pic, &cam, size, 0); err != nil {
		t.Fatal(err)
	}
	const dark, deviation = 0.32, 0.14 * 2
	for _, beyond := range []float64{-1, -0.5, 0, 0.5, 1, 2} { // distance from the edge, in standard deviations
		x := 1 + float64(beyond*deviation)
		if beyond == -1 {
			x = 0 // the middle of the plate
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

// TestThinFeetStand puts a plate on a thin foot. The shadow of the foot is no wider than the blur. Beside the foot the
// ground must be much darker than under the plate alone, so that the foot does not seem to float.
func TestThinFeetStand(t *testing.T) {
	const foot = 0.02 // half of the foot's width
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(6)}
	plane := func(first int, corners [4][3]float32) {
		mesh.Set(first, [3][3]float32{corners[0], corners[1], corners[2]})
		mesh.Set(first+1, [3][3]float32{corners[0], corners[2], corners[3]})
	}
	plane(0, [4][3]float32{{-1, -1, 0.8}, {1, -1, 0.8}, {1, 1, 0.8}, {-1, 1, 0.8}})
	plane(2, [4][3]float32{{-foot, 0, 0}, {foot, 0, 0}, {foot, 0, 0.8}, {-foot, 0, 0.8}})
	plane(4, [4][3]float32{{-foot, -foot, 0}, {foot, -foot, 0}, {foot, foot, 0}, {-foot, foot, 0}})
	g, err := ground.New(context.Background(), mesh, mesh.Bounds(), scenes.PlusZ, 512)
	if err != nil {
		t.Fatal(err)
	}
	beside, away := g.Shade(mgl64.Vec3{0, -1.3 * foot, 0}), g.Shade(mgl64.Vec3{0, -15 * foot, 0})
	if beside < away+0.2 {
		t.Errorf("beside the foot %.2f of the light is missing, away from it %.2f", beside, away)
	}
}

// TestShadowBesideEdges checks that pixels that the mesh covers partly show the shadow in the rest, over a background
// and without one.
func TestShadowBesideEdges(t *testing.T) {
	for _, behind := range []ground.Backdrop{white, clear} {
		plain, shadowed, _ := drawn(t, "scene:cube", behind, camera.Options{Azimuth: 30, Elevation: 40, Zoom: 0.5})
		parts := 0
		for i, c := range plain.Coverage {
			if c > 0 && c < 255 && !bytes.Equal(plain.Pix[4*i:4*i+4], shadowed.Pix[4*i:4*i+4]) {
				parts++
			}
		}
		if parts < 10 {
			t.Errorf("%d pixels at edges show the shadow", parts)
		}
	}
}

// TestShadowIsWherePixelsLook checks the position in the map at which a pixel's line of sight meets the ground. The
// package computes the positions of all pixels of a picture at once, and this test computes one position at a time.
func TestShadowIsWherePixelsLook(t *testing.T) {
	ctx := context.Background()
	for _, o := range []camera.Options{
		{Azimuth: 30, Elevation: 40, Zoom: 0.4}, {Azimuth: -70, Elevation: 3, Zoom: 0.7}, {Azimuth: 200, Elevation: 90, Zoom: 0.4, FieldOfView: 90},
		{Azimuth: 10, Elevation: 25, Orthographic: true, Zoom: 0.4}, {Up: scenes.MinusX, Elevation: 30, Zoom: 0.5}, {Up: scenes.PlusY, Elevation: 60, Zoom: 3},
	} {
		plain, shadowed, cam := drawn(t, "scene:cube", white, o)
		scene, err := procedural.Parse("scene:cube")
		if err != nil {
			t.Fatal(err)
		}
		mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := ground.New(ctx, mesh, mesh.Bounds(), o.Up, 512)
		if err != nil {
			t.Fatal(err)
		}
		for at, cover := range plain.Coverage {
			if cover != 0 {
				continue
			}
			shade := float64(0)
			x, y := float64(at%width)+0.5, float64(at/width)+0.5
			from, to := cam.Unproject(x, y, 1, width, height), cam.Unproject(x, y, 2, width, height)
			if p, ok := meets(from, to, mesh.Bounds(), o.Up); ok {
				shade = float64(g.Shade(p))
			}
			v := float64(shadowed.Pix[4*at]) / 255
			if got := 1 - math.Pow((v+0.055)/1.055, 2.4); math.Abs(got-shade) > 0.006 {
				t.Fatalf("%+v: pixel %d misses %.4f of the light, the ground there %.4f", o, at, got, shade)
			}
		}
	}
}

// meets returns the point at which the line through two points meets the ground under a box. It returns false if the
// line does not descend.
func meets(from, to mgl64.Vec3, box scenes.Box, up scenes.Axis) (mgl64.Vec3, bool) {
	u := up.Vector()
	level := math.Min(mgl64.Vec3(box.Min).Dot(u), mgl64.Vec3(box.Max).Dot(u))
	above, fall := from.Dot(u)-level, from.Dot(u)-to.Dot(u)
	return from.Add(to.Sub(from).Mul(above / fall)), fall > 0
}

// TestOutline checks the light that is missing because of the shadow. It must be at least the given part at the points
// of the outline, and less on all ground outside.
func TestOutline(t *testing.T) {
	ctx := context.Background()
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	mesh.Set(0, [3][3]float32{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0.01}})
	g, err := ground.New(ctx, mesh, mesh.Bounds(), scenes.PlusZ, 256)
	if err != nil {
		t.Fatal(err)
	}
	low, high := mgl64.Vec2{9, 9}, mgl64.Vec2{-9, -9}
	for _, p := range g.Outline(0.06) {
		if p[2] != 0 || g.Shade(p) < 0.06 {
			t.Fatalf("%v misses %g", p, g.Shade(p))
		}
		for i := range 2 {
			low[i], high[i] = math.Min(low[i], p[i]), math.Max(high[i], p[i])
		}
	}
	// The triangle's width of 2 takes 0.9 times 0.45 of the map, which has 256 texels.
	const texel = 2 / (0.9 * 0.45) / 256
	for i, side := range []float64{low[0], low[1], high[0], high[1]} {
		if math.Abs(math.Abs(side)-1) > 1.5*texel {
			t.Errorf("side %d at %g", i, side)
		}
	}
	for y := -1.5; y < 1.5; y += 0.01 {
		for x := -1.5; x < 1.5; x += 0.01 {
			out := x < low[0]-texel || x > high[0]+texel || y < low[1]-texel || y > high[1]+texel
			if out && g.Shade(mgl64.Vec3{x, y, 0}) > 0.06 {
				t.Fatalf("(%g, %g) outside misses %g", x, y, g.Shade(mgl64.Vec3{x, y, 0}))
			}
		}
	}
	if got := g.Outline(0.99); len(got) != 0 {
		t.Errorf("%d points of what no shadow takes", len(got))
	}
}

// TestGradient checks that a gradient has its colours in the first and the last row, and never becomes lighter between
// them. A strip of a picture must have the same rows as the whole picture.
func TestGradient(t *testing.T) {
	b := ground.Backdrop{Top: new(render.RGB(0xf0e0d0)), Bottom: new(render.RGB(0x102030))}
	for _, high := range []int{1, 2, 3, 37, 1080} {
		last := render.RGB(0xffffff)
		for y := range high {
			c := b.Color(y, high)
			if c&255 > last&255 || c>>8&255 > last>>8&255 || c>>16 > last>>16 {
				t.Fatalf("row %d of %d: %06x below %06x", y, high, c, last)
			}
			last = c
		}
		if b.Color(0, high) != *b.Top || high > 1 && last != *b.Bottom {
			t.Errorf("%d rows: %06x to %06x", high, b.Color(0, high), last)
		}
	}
	pic := render.Picture{Width: 2, Height: 3, Pix: make([]byte, 24)}
	copy(pic.Pix[4:], []byte{9, 8, 7, 255})
	cam := render.Camera{Up: mgl64.Vec3{0, 0, 1}}
	if err := b.Lay(context.Background(), &pic, &cam, 37, 20); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		want := b.Color(20+i/2, 37)
		if i == 1 {
			want = 0x090807
		}
		if px := pic.Pix[4*i:]; render.RGB(px[0])<<16|render.RGB(px[1])<<8|render.RGB(px[2]) != want || px[3] != 255 {
			t.Errorf("pixel %d: %v, want %06x", i, px[:4], want)
		}
	}
}

// TestShadowOfAnySize checks that the shadow of a mesh does not depend on the size of the mesh. The eye may be so far
// away that rounding hides a step of length 1.
func TestShadowOfAnySize(t *testing.T) {
	of := func(size float32) []byte {
		mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
		mesh.Set(0, [3][3]float32{{-size, -size, size}, {size, -size, 0}, {0, size, 0}})
		g, err := ground.New(context.Background(), mesh, mesh.Bounds(), scenes.PlusZ, 256)
		if err != nil {
			t.Fatal(err)
		}
		cam, err := camera.Fit(mesh.Bounds(), 64, 48, camera.Options{Azimuth: 30, Elevation: 20})
		if err != nil {
			t.Fatal(err)
		}
		pic := render.Picture{Width: 64, Height: 48, Pix: make([]byte, 4*64*48)}
		behind := white
		behind.Ground = g
		if err := behind.Lay(context.Background(), &pic, &cam, 48, 0); err != nil {
			t.Fatal(err)
		}
		return pic.Pix
	}
	want := of(1)
	for _, power := range []int{-80, 40, 70, 100} {
		if got := of(float32(math.Ldexp(1, power))); !bytes.Equal(got, want) {
			t.Errorf("size 2^%d: another shadow", power)
		}
	}
}

// TestLayErrors checks that invalid pictures are errors, without a panic in another goroutine.
func TestLayErrors(t *testing.T) {
	ctx, cam := context.Background(), render.Camera{Up: mgl64.Vec3{0, 0, 1}}
	picture := func() *render.Picture { return &render.Picture{Width: 2, Height: 3, Pix: make([]byte, 24)} }
	for name, c := range map[string]struct {
		behind      ground.Backdrop
		change      func(p *render.Picture)
		height, top int
	}{
		"one colour":     {behind: ground.Backdrop{Top: white.Top}, height: 3},
		"few bytes":      {behind: white, change: func(p *render.Picture) { p.Pix = p.Pix[:23] }, height: 3},
		"many bytes":     {behind: white, change: func(p *render.Picture) { p.Pix = make([]byte, 28) }, height: 3},
		"no bytes":       {behind: white, change: func(p *render.Picture) { p.Pix = nil }, height: 3},
		"negative sides": {behind: white, change: func(p *render.Picture) { p.Width, p.Height = -2, -3 }, height: 3},
		"before it":      {behind: white, height: 9, top: -1},
		"behind it":      {behind: white, height: 9, top: 7},
	} {
		pic := picture()
		if c.change != nil {
			c.change(pic)
		}
		if err := c.behind.Lay(ctx, pic, &cam, c.height, c.top); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := white.Lay(ctx, picture(), nil, 3, 0); err == nil {
		t.Error("no camera: no error")
	}
	for height, top := range map[int]int{3: 0, 9: 6} {
		if err := white.Lay(ctx, picture(), &cam, height, top); err != nil {
			t.Errorf("rows from %d on of %d: %v", top, height, err)
		}
	}
}

// TestTexels checks that large pictures have large maps, also if they are large in one direction only, and small
// pictures small maps.
func TestTexels(t *testing.T) {
	for size, want := range map[[2]int]int{{512, 512}: 256, {1, 1}: 64, {128, 128}: 64, {129, 1}: 128, {1, 257}: 256, {513, 20}: 512, {20, 513}: 512, {1920, 1080}: 512} {
		if got := ground.Texels(size[0], size[1]); got != want {
			t.Errorf("%v: %d texels, want %d", size, got, want)
		}
	}
}
