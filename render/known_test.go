package render_test

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// This file has scenes whose pictures can be computed by hand.

// unitCamera returns an orthographic camera that looks along +y and shows one mesh unit as one pixel: the point (x, .,
// z) appears at the pixel coordinates (x, height-z).
func unitCamera(o render.Options) render.Camera {
	w, h := float64(o.Width), float64(o.Height)
	return render.Camera{
		Eye: mgl64.Vec3{w / 2, -10, h / 2}, Target: mgl64.Vec3{w / 2, 0, h / 2},
		Right: mgl64.Vec3{1, 0, 0}, Up: mgl64.Vec3{0, 0, 1}, Forward: mgl64.Vec3{0, 1, 0},
		Orthographic: true, Magnification: 1 / h, Near: 5, Far: 20,
		Box: scenes.Box{Min: [3]float64{0, -5, 0}, Max: [3]float64{w, 10, h}},
	}
}

// at returns the pixel at (x, y).
func at(pic *render.Picture, x, y int) [4]byte {
	return [4]byte(pic.Pix[4*(y*pic.Width+x):])
}

// opaque returns the pixel of an opaque colour.
func opaque(color uint32) [4]byte {
	return [4]byte{byte(color >> 16), byte(color >> 8), byte(color), 255}
}

func TestSphereSilhouette(t *testing.T) {
	const radius = 3.0
	// The mesh is inscribed in the sphere. Chords of 1/800 of a turn lie within 1e-5 of its surface.
	mesh := sphere(800, 400, radius)
	for _, ortho := range []bool{false, true} {
		for _, zoom := range []float64{1, 0.5} {
			o := render.Options{Width: 640, Height: 480, Depth: true}
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 40, Elevation: 25, Orthographic: ortho, Zoom: zoom})
			pic, stats := drawn(t, mesh, cam, o)
			distance := vec(cam.Target.Sub(cam.Eye)).length()
			pixelRadius := radius * cam.Magnification * float64(o.Height)
			nearest := distance - radius
			if !ortho {
				// The cone from the eye that touches the sphere has the slope R/sqrt(d^2-R^2).
				pixelRadius /= math.Sqrt(distance*distance - radius*radius)
				want := 0.5 * float64(o.Height) * zoom / math.Tan(15*math.Pi/180) * radius / math.Sqrt(distance*distance-radius*radius)
				if math.Abs(pixelRadius-want) > 1e-9*want {
					t.Errorf("magnification %g does not mean a field of view of 30 degrees at zoom %g", cam.Magnification, zoom)
				}
			}
			want := math.Pi * pixelRadius * pixelRadius
			// A circle of radius r covers pi*r^2 pixels, with an error that grows more slowly than r.
			if math.Abs(float64(stats.Covered)-want) > pixelRadius/2+2e-4*want {
				t.Errorf("orthographic %v: %d pixels covered, want %.0f", ortho, stats.Covered, want)
			}
			got := math.Inf(1)
			for _, d := range pic.Depth {
				got = min(got, float64(d))
			}
			if math.Abs(got-nearest) > 1e-4*radius {
				t.Errorf("orthographic %v: nearest depth %g, want %g", ortho, got, nearest)
			}
		}
	}
}

// TestPlaneDepth checks that the depths of a tilted plane are those at which the pixels' rays meet it.
func TestPlaneDepth(t *testing.T) {
	// The plane is y = 0.5*x - 0.25*z + 1.
	onPlane := func(x, z float64) vec { return vec{x, 0.5*x - 0.25*z + 1, z} }
	mesh := meshOf(quad(onPlane(-4, -4), onPlane(4, -4), onPlane(4, 4), onPlane(-4, 4))...)
	normal, offset := vec{0.5, -1, -0.25}, -1.0
	for _, ortho := range []bool{false, true} {
		for _, samples := range []int{1, 16} {
			o := render.Options{Width: 211, Height: 133, Depth: true, Samples: samples}
			cam := fitted(t, mesh, o, camera.Options{Azimuth: 12, Elevation: 17, Orthographic: ortho})
			pic, stats := drawn(t, mesh, cam, o)
			worst, covered := 0.0, int64(0)
			for i, d := range pic.Depth {
				if math.IsInf(float64(d), 1) {
					continue
				}
				covered++
				x := (float64(i%o.Width) + 0.5 - float64(o.Width)/2) / float64(o.Height)
				y := (float64(o.Height)/2 - float64(i/o.Width) - 0.5) / float64(o.Height)
				from, along := vec(cam.Eye), vec(cam.Forward)
				side := vec(cam.Right).scale(x / cam.Magnification).add(vec(cam.Up).scale(y / cam.Magnification))
				if ortho {
					from = from.add(side)
				} else {
					along = along.add(side)
				}
				want := (offset - normal.dot(from)) / normal.dot(along)
				worst = max(worst, math.Abs(float64(d)-want))
			}
			// The nearest of 16 samples may lie 3/8 of a pixel from the centre in x and y.
			tolerance := 2e-3 * 8 / float64(o.Height)
			if samples > 1 {
				tolerance += 8 / float64(o.Height)
			}
			if worst > tolerance || covered != stats.Covered || covered < 5000 {
				t.Errorf("orthographic %v, samples %d: depths off by up to %g on %d of %d pixels, want %g", ortho, samples, worst, covered, stats.Covered, tolerance)
			}
		}
	}
}

func TestFacingPlateHasItsColor(t *testing.T) {
	for _, color := range []uint32{0xcccccc, 0x000000, 0xffffff, 0x123456, 0xff0080} {
		plain, own := meshOf(plate(10, 50, 10, 40, 0)...), meshOf(plate(10, 50, 10, 40, 0)...)
		own.Colors = []uint32{color, color}
		for _, c := range []struct {
			from string
			mesh *scenes.Mesh
			o    render.Options
		}{
			{"Options.Color", plain, render.Options{Width: 64, Height: 48, Color: rgb(render.RGB(color))}},
			{"the mesh", own, render.Options{Width: 64, Height: 48}},
		} {
			pic, _ := drawn(t, c.mesh, unitCamera(c.o), c.o)
			if got := at(pic, 30, 24); got != opaque(color) {
				t.Errorf("colour %06x from %s: pixel %v", color, c.from, got)
			}
		}
	}
	// In perspective n.v is 1 if the eye is on the normal through the centroid. The centroid of this triangle is the
	// centre of its box.
	o := render.Options{Width: 65, Height: 65, Color: rgb(0x4080c0)}
	mesh := meshOf([3]vec{{0, 7, 0}, {1, 7, 0.5}, {0.5, 7, 1}})
	pic, _ := drawn(t, mesh, fitted(t, mesh, o, camera.Options{}), o)
	if got := at(pic, 32, 32); got != opaque(0x4080c0) {
		t.Errorf("perspective: pixel %v, want 4080c0", got)
	}
}

func TestTiltedPlateIsLit(t *testing.T) {
	for _, degrees := range []float64{0, 30, 45, 60, 80} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		tilt := func(p vec) vec { return vec{p[0], (p[2] - 24) * sin, 24 + (p[2]-24)*cos} }
		mesh := mapped(meshOf(plate(10, 50, 4, 44, 0)...), tilt)
		o := render.Options{Width: 64, Height: 48, Color: rgb(0xc08040)}
		pic, _ := drawn(t, mesh, unitCamera(o), o)
		got, want := at(pic, 30, 24), opaque(lit(0xc08040, 0.15+0.85*cos))
		if !near8(got[:], want[:]) {
			t.Errorf("tilted by %g degrees: pixel %v, want %v", degrees, got, want)
		}
	}
}

func TestNearestAndTies(t *testing.T) {
	o := render.Options{Width: 64, Height: 48}
	for _, c := range []struct {
		name           string
		first, second  float64 // depths of two plates
		a, b, expected uint32
	}{
		{"first nearer", 1, 2, 0x808080, 0x202020, 0x808080},
		{"second nearer", 2, 1, 0x808080, 0x202020, 0x202020},
		{"tie, second smaller", 1, 1, 0x808080, 0x202020, 0x202020},
		{"tie, first smaller", 1, 1, 0x202020, 0x808080, 0x202020},
		// In a payload, the bits of blue are above those of green, and those of green above those of red.
		{"tie, by blue", 1, 1, 0xffff00, 0x000001, 0xffff00},
		{"tie, by green", 1, 1, 0x000100, 0xff0000, 0xff0000},
	} {
		mesh := meshOf(append(plate(10, 50, 10, 40, c.first), plate(10, 50, 10, 40, c.second)...)...)
		mesh.Colors = []uint32{c.a, c.a, c.b, c.b}
		pic, stats := drawn(t, mesh, unitCamera(o), o)
		if got := at(pic, 30, 24); got != opaque(c.expected) {
			t.Errorf("%s: pixel %v, want %06x", c.name, got, c.expected)
		}
		if stats.Covered != 40*30 || stats.Pixels != 2*40*30 {
			t.Errorf("%s: %d pixels covered and %d tested, want 1200 and 2400", c.name, stats.Covered, stats.Pixels)
		}
	}
}

func TestCullSingleTriangle(t *testing.T) {
	front := [3]vec{{10, 0, 10}, {50, 0, 10}, {30, 0, 40}} // counter-clockwise seen from -y
	back := [3]vec{front[0], front[2], front[1]}
	for _, c := range []struct {
		cull        render.Cull
		tri         [3]vec
		wantCovered bool
	}{
		{render.CullNone, front, true}, {render.CullNone, back, true},
		{render.CullBack, front, true}, {render.CullBack, back, false},
		{render.CullFront, front, false}, {render.CullFront, back, true},
	} {
		o := render.Options{Width: 64, Height: 48, Cull: c.cull}
		mesh := meshOf(c.tri)
		for _, cam := range []render.Camera{unitCamera(o), fitted(t, mesh, o, camera.Options{})} {
			_, stats := drawn(t, mesh, cam, o)
			if (stats.Covered > 0) != c.wantCovered || (stats.Triangles.Drawn == 1) != c.wantCovered || stats.Triangles.Drawn+stats.Triangles.Culled != 1 {
				t.Errorf("cull %d, %v: %+v, covered %d", c.cull, c.tri, stats.Triangles, stats.Covered)
			}
		}
	}
}

// markers returns a mesh with a small cube at each end of the axes, each in a different colour.
func markers() *scenes.Mesh {
	var tris [][3]vec
	var colors []uint32
	for i, color := range []uint32{0xff0000, 0x00ff00, 0x0000ff, 0x00ffff, 0xff00ff, 0xffff00} {
		var center vec
		center[i%3] = float64(1 - 2*(i/3))
		m := mapped(boxMesh(vec{-0.1, -0.1, -0.1}, vec{0.1, 0.1, 0.1}), center.add)
		for t := range m.Len() {
			var tri [3]vec
			for k, c := range m.Triangle(t) {
				tri[k] = vec{float64(c[0]), float64(c[1]), float64(c[2])}
			}
			tris, colors = append(tris, tri), append(colors, color)
		}
	}
	mesh := meshOf(tris...)
	mesh.Colors = colors
	return mesh
}

// TestOrientation finds the ends of the axes in the picture by their colours.
func TestOrientation(t *testing.T) {
	names := map[string]uint32{"+x": 0xff0000, "+y": 0x00ff00, "+z": 0x0000ff, "-x": 0x00ffff, "-y": 0xff00ff, "-z": 0xffff00}
	z, y, x := scenes.PlusZ, scenes.PlusY, scenes.PlusX
	for _, c := range []struct {
		up                    scenes.Axis
		azimuth, elevation    float64
		viewer, right, topEnd string
	}{
		{z, 0, 0, "-y", "+x", "+z"}, // front
		{z, 180, 0, "+y", "-x", "+z"},
		{z, 90, 0, "+x", "+y", "+z"},
		{z, -90, 0, "-x", "-y", "+z"},
		{z, 0, 90, "+z", "+x", "+y"},
		{z, 0, -90, "-z", "+x", "-y"},
		{z, 90, 90, "+z", "+y", "-x"},
		{y, 0, 0, "+z", "+x", "+y"},
		{y, 90, 0, "+x", "-z", "+y"},
		{y, 0, 90, "+y", "+x", "-z"},
		{y, 0, -90, "-y", "+x", "+z"},
		{scenes.MinusZ, 0, 0, "+y", "+x", "-z"},
		{scenes.MinusY, 0, 0, "-z", "+x", "-y"},
		{x, 0, 0, "-z", "+y", "+x"},
		{scenes.MinusX, 0, 0, "+z", "+y", "-x"},
	} {
		for _, ortho := range []bool{false, true} {
			mesh := markers()
			o := render.Options{Width: 120, Height: 120}
			from := camera.Options{Up: c.up, Azimuth: c.azimuth, Elevation: c.elevation, Orthographic: ortho}
			pic, _ := drawn(t, mesh, fitted(t, mesh, o, from), o)
			for name, place := range map[string][2]int{c.viewer: {60, 60}, c.right: {108, 60}, c.topEnd: {60, 12}} {
				if !ortho && name != c.viewer { // the cube is farther away than the nearest corner of the box
					place[0], place[1] = 60+(place[0]-60)*5/6, 60+(place[1]-60)*5/6
				}
				if got := hue(at(pic, place[0], place[1])); got != names[name] {
					t.Errorf("%+v: %s: colour at %v is %06x, want %06x", from, name, place, got, names[name])
				}
			}
		}
	}
}

// hue replaces each channel above 0 by its maximum.
func hue(p [4]byte) (color uint32) {
	for _, c := range p[:3] {
		color <<= 8
		if c > 0 {
			color |= 255
		}
	}
	return color
}

// TestAlphaIsCoverage checks that an edge through the middle of a column of pixels covers half of their samples.
func TestAlphaIsCoverage(t *testing.T) {
	for _, samples := range []int{4, 16} {
		for _, background := range []color.Color{nil, rgb(0x000000), rgb(0x2040ff)} {
			o := render.Options{Width: 32, Height: 24, Samples: samples, Color: rgb(0xffc080), Background: background}
			mesh := meshOf(plate(8.5, 20, 4.5, 16, 0)...)
			pic, stats := drawn(t, mesh, unitCamera(o), o)
			if stats.Covered != 12*12 {
				t.Errorf("%d pixels with a covered sample, want 144", stats.Covered)
			}
			for _, p := range []struct {
				x, y  int
				cover float64
			}{{12, 12, 1}, {8, 12, 0.5}, {12, 19, 0.5}, {8, 19, 0.25}, {2, 2, 0}, {19, 8, 1}, {20, 8, 0}} {
				want := [4]byte{0xff, 0xc0, 0x80, byte(math.Round(255 * p.cover))}
				if background == nil && p.cover == 0 {
					want = [4]byte{}
				}
				if background != nil {
					for c := range 3 {
						shift := 16 - 8*c
						light := p.cover*toLinear(float64(uint32(0xffc080)>>shift&255)/255) +
							(1-p.cover)*toLinear(float64(uint32(background.(render.RGB))>>shift&255)/255)
						want[c] = byte(math.Round(255 * toSRGB(light)))
					}
					want[3] = 255
				}
				if got := at(pic, p.x, p.y); got != want {
					t.Errorf("%d samples, background %v, pixel (%d, %d) covered by %g: %v, want %v", samples, backgroundName(background), p.x, p.y, p.cover, got, want)
				}
			}
		}
	}
}

func backgroundName(c color.Color) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%06x", uint32(c.(render.RGB)))
}

func TestBackground(t *testing.T) {
	for _, samples := range []int{1, 4} {
		for _, mesh := range []*scenes.Mesh{meshOf(), meshOf(plate(8, 20, 4, 16, 0)...)} {
			o := render.Options{Width: 200, Height: 100, Samples: samples}
			pic, _ := drawn(t, mesh, unitCamera(o), o)
			if got := at(pic, 150, 10); got != ([4]byte{}) {
				t.Errorf("transparent background is %v", got)
			}
			o.Background = rgb(0x123456)
			pic, _ = drawn(t, mesh, unitCamera(o), o)
			if got := at(pic, 150, 10); got != opaque(0x123456) {
				t.Errorf("background 123456 is %v", got)
			}
		}
	}
}
