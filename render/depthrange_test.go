package render_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// smallBoxCamera is unitCamera for a box that reaches only from y = 0 to y = 5, at distances of 10 to 15.
func smallBoxCamera(o render.Options) render.Camera {
	cam := unitCamera(o)
	cam.Box.Min[1], cam.Box.Max[1] = 0, 5
	cam.Near, cam.Far = 10, 15
	return cam
}

// TestOrthographicDepthRange checks that an orthographic camera whose box is smaller than the mesh cuts off parts
// nearer than Near, and parts beyond Far by more than the depth range. Between these limits, nearer parts must be in
// front.
func TestOrthographicDepthRange(t *testing.T) {
	const gone = math.MaxFloat64
	o := render.Options{Width: 64, Height: 48, Depth: true}
	for _, c := range []struct {
		y    [2]float64 // coordinates y of two plates
		want float64
	}{
		{[2]float64{3, 4}, 3}, {[2]float64{4, 3}, 3},
		{[2]float64{7, 8}, 7}, {[2]float64{8, 7}, 7}, {[2]float64{3, 9}, 3},
		{[2]float64{10.5, 20}, gone}, {[2]float64{20, 10.5}, gone}, {[2]float64{9.5, 20}, 9.5}, {[2]float64{100, 9.5}, 9.5},
		{[2]float64{-1, 2}, 2}, {[2]float64{2, -29}, 2}, {[2]float64{-39, -1e6}, gone},
	} {
		mesh := meshOf(append(plate(10, 50, 10, 40, c.y[0]), plate(10, 50, 10, 40, c.y[1])...)...)
		mesh.Colors = []uint32{0xff0000, 0xff0000, 0x00ff00, 0x00ff00}
		for _, o.ISA = range levels(t) {
			pic, stats := drawn(t, mesh, smallBoxCamera(o), o)
			if c.want == gone {
				if stats.Covered != 0 {
					t.Errorf("%s: plates at %v: %d pixels covered, want none", o.ISA, c.y, stats.Covered)
				}
				continue
			}
			color := opaque(0xff0000)
			if c.want == c.y[1] {
				color = opaque(0x00ff00)
			}
			depth := float64(pic.Depth[24*64+30])
			if at(pic, 30, 24) != color || math.Abs(depth-(10+c.want)) > 1e-5 || stats.Covered != 40*30 {
				t.Errorf("%s: plates at %v: %v at depth %g, %d pixels covered; want %v, %g, 1200", o.ISA, c.y, at(pic, 30, 24), depth, stats.Covered, color, 10+c.want)
			}
		}
	}
}

// TestOrthographicCut checks that a plate that leaves the depth range of an orthographic camera is cut off there,
// without a gap between its triangles.
func TestOrthographicCut(t *testing.T) {
	o := render.Options{Width: 64, Height: 48, Depth: true}
	// The plate y = x - 32 meets the near plane y = 0 at x = 32. It meets y = 10, which is twice the depth range, at x =
	// 42.
	y := func(x float64) float64 { return x - 32 }
	mesh := meshOf(quad(vec{4, y(4), 4}, vec{60, y(60), 4}, vec{60, y(60), 44}, vec{4, y(4), 44})...)
	for _, o.ISA = range levels(t) {
		pic, stats := drawn(t, mesh, smallBoxCamera(o), o)
		if stats.Covered != 10*40 || stats.Pixels != 10*40 || stats.Triangles.Clipped != 2 {
			t.Errorf("%s: %d pixels covered, %d tested, %+v; want 400", o.ISA, stats.Covered, stats.Pixels, stats.Triangles)
		}
		for x := range o.Width {
			got, want := float64(pic.Depth[24*o.Width+x]), 10+y(float64(x)+0.5)
			if x < 32 || x >= 42 {
				want = math.Inf(1)
			}
			if !(math.Abs(got-want) < 1e-4) && got != want {
				t.Errorf("%s: depth %g at x = %d, want %g", o.ISA, got, x, want)
			}
		}
	}
}

// sheets returns two parallel, tilted sheets of size 2, a ten-thousandth apart. The sheet behind is smaller, so that
// the one in front hides it from all directions near the front view.
func sheets() *scenes.Mesh {
	slant := func(x, z float64) vec { return vec{x, 0.3*x + 0.2*z, z} }
	var tris [][3]vec
	for i, half := range []float64{1, 0.9} {
		const cells = 20
		for a := range cells {
			for b := range cells {
				at := func(a, b int) vec {
					p := slant(half*(2*float64(a)/cells-1), half*(2*float64(b)/cells-1))
					p[1] += float64(i) * 2e-4
					return p
				}
				tris = append(tris, quad(at(a, b), at(a+1, b), at(a+1, b+1), at(a, b+1))...)
			}
		}
	}
	m := meshOf(tris...)
	m.Colors = make([]uint32, m.Len())
	for t := range m.Len() / 2 {
		m.Colors[t], m.Colors[m.Len()/2+t] = 0x0000ff, 0xff0000
	}
	return m
}

// TestSmallFieldsOfView checks that perspective views with small fields of view distinguish and return depths as
// exactly as an orthographic view.
func TestSmallFieldsOfView(t *testing.T) {
	mesh := sheets()
	for _, o := range []render.Options{{Width: 500, Height: 400, Depth: true}, {Width: 120, Height: 100, Samples: 16, Depth: true}} {
		for _, field := range []float64{0.001, 0.01, 0.1, 0.5, 1, 2, 30} {
			for _, elevation := range []float64{0, 5} {
				var first *render.Picture
				for _, o.ISA = range levels(t) {
					from := camera.Options{FieldOfView: field, Elevation: elevation}
					cam := fitted(t, mesh, o, from)
					pic, stats := drawn(t, mesh, cam, o)
					hidden := 0
					for i := 0; i < len(pic.Pix); i += 4 {
						if pic.Pix[i] > pic.Pix[i+2] {
							hidden++
						}
					}
					if hidden > 0 || stats.Covered < 1000 {
						t.Errorf("field of view %g, %s: %d of %d pixels show the sheet behind", field, o.ISA, hidden, stats.Covered)
					}
					if first == nil {
						first = pic
						checkSheetDepths(t, fmt.Sprintf("field of view %g", field), &cam, pic)
					} else if string(first.Pix) != string(pic.Pix) {
						t.Errorf("field of view %g: %s draws another picture", field, o.ISA)
					}
				}
			}
		}
	}
}

// checkSheetDepths compares depths with the points where the pixels' rays meet the sheet in front.
func checkSheetDepths(t *testing.T, name string, cam *render.Camera, pic *render.Picture) {
	t.Helper()
	normal := mgl64.Vec3{0.3, -1, 0.2}
	worst := 0.0
	for i, d := range pic.Depth {
		if math.IsInf(float64(d), 1) {
			continue
		}
		x := (float64(i%pic.Width) + 0.5 - float64(pic.Width)/2) / float64(pic.Height) / cam.Magnification
		y := (float64(pic.Height)/2 - float64(i/pic.Width) - 0.5) / float64(pic.Height) / cam.Magnification
		along := cam.Forward.Add(cam.Right.Mul(x)).Add(cam.Up.Mul(y))
		want := -normal.Dot(cam.Eye) / normal.Dot(along)
		worst = math.Max(worst, math.Abs(float64(d)-want))
	}
	// The tolerance covers the rounding of distances to float32, and the distance of a pixel's sample from its centre.
	if most := 1e-7*cam.Far + 2.0/float64(pic.Height); worst > most {
		t.Errorf("%s: depths off by %g, want %g", name, worst, most)
	}
}
