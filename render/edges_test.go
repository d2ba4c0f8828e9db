package render_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
)

// TestOccludedEdgesAreSmooth draws two blocks with a narrow gap between them. Occlusion makes the far wall of the gap
// dark. The upper edge of the near block runs at a slant to the rows of pixels. The steps of grey along this edge must
// not be larger with occlusion than without.
func TestOccludedEdgesAreSmooth(t *testing.T) {
	mesh := joined(boxMesh(vec{-1, -1, 0}, vec{1, 1, 0.2}), boxMesh(vec{-0.8, -0.4, 0.2}, vec{0.8, -0.1, 0.9}), boxMesh(vec{-0.8, 0.04, 0.2}, vec{0.8, 0.4, 0.9}))
	for _, samples := range []int{4, 16} {
		for _, turn := range []float64{-14, -9, -5, 3, 7, 12} {
			o := render.Options{Width: 480, Height: 360, Samples: samples, Light: render.LightStudio}
			cam := fitted(t, mesh, o, camera.Options{Azimuth: turn, Elevation: 40, Orthographic: true, Zoom: 1.2})
			plain, _ := drawn(t, mesh, cam, o)
			o.Occlusion = true
			dark, _ := drawn(t, mesh, cam, o)
			from, to := [3]float64{-0.7, -0.1, 0.9}, [3]float64{0.7, -0.1, 0.9}
			off, on := stairs(plain, &cam, from, to), stairs(dark, &cam, from, to)
			if on > 1.12*off {
				t.Errorf("%d samples, %g degrees: stairs of %.4f, %.4f without occlusion", samples, turn, on, off)
			}
		}
	}
}

// stairs returns the mean second difference of the greys in three rows of pixels along an edge, as a fraction of the
// difference between the greys on its two sides.
func stairs(pic *render.Picture, cam *render.Camera, from, to [3]float64) float64 {
	x0, y0, _ := cam.Project(from, pic.Width, pic.Height)
	x1, y1, _ := cam.Project(to, pic.Width, pic.Height)
	total, apart, n := 0.0, 0.0, 0
	for aside := -1; aside <= 1; aside++ {
		var greys []float64
		for x := int(x0) + 2; x < int(x1)-2; x++ {
			y := int(math.Floor(y0 + (y1-y0)*(float64(x)+0.5-x0)/(x1-x0)))
			greys = append(greys, float64(at(pic, x, y+aside)[1]))
			apart += math.Abs(float64(at(pic, x, y-4)[1]) - float64(at(pic, x, y+4)[1]))
		}
		for i := 1; i+1 < len(greys); i++ {
			total += math.Abs(greys[i+1] - 2*greys[i] + greys[i-1])
			n++
		}
	}
	return total / float64(n) / (apart / float64(n))
}

// TestWallsHaveNoGrains draws a wall above a floor, whose foot is turned against the rows of pixels. The open share of
// the sky depends only on the height above the floor. So greys must rise with the height, and be equal at equal
// heights.
func TestWallsHaveNoGrains(t *testing.T) {
	mesh := joined(boxMesh(vec{-3, -2, -0.2}, vec{3, 2, 0}), boxMesh(vec{-2, 0, 0}, vec{2, 1, 1.5}))
	for _, turn := range []float64{-36, -31, -14, 9, 23, 41} {
		o := render.Options{Width: 640, Height: 400, Samples: 4}.Studio()
		cam := fitted(t, mesh, o, camera.Options{Azimuth: turn, Elevation: 20, Orthographic: true})
		pic, _ := drawn(t, mesh, cam, o)
		before := 0.0
		for height := 0.06; height < 1.2; height += 0.03 {
			least, most, mean, n := 255.0, 0.0, 0.0, 0
			for along := -1.2; along <= 1.2; along += 0.01 {
				g := greyAt(pic, &cam, [3]float64{along, 0, height})
				least, most, mean, n = min(least, g), max(most, g), mean+g, n+1
			}
			mean /= float64(n)
			if most-least > 5 {
				t.Errorf("turned by %g: at height %.2f greys are %.1f to %.1f", turn, height, least, most)
			}
			if mean < before-0.5 {
				t.Errorf("turned by %g: at height %.2f the grey is %.1f, below it %.1f", turn, height, mean, before)
			}
			before = mean
		}
	}
}

// greyAt returns the grey at the place of a point in the picture, interpolated between the four pixels around it.
func greyAt(pic *render.Picture, cam *render.Camera, p [3]float64) float64 {
	x, y, _ := cam.Project(p, pic.Width, pic.Height)
	x, y = x-0.5, y-0.5 // in pixels from the centre of the first pixel
	sum := 0.0
	for k := range 4 {
		i, j := math.Floor(x)+float64(k&1), math.Floor(y)+float64(k>>1)
		sum += (1 - math.Abs(x-i)) * (1 - math.Abs(y-j)) * float64(at(pic, int(i), int(j))[1])
	}
	return sum
}

// TestSkiesForgetFrames draws a frame after other frames of a renderer, with vector loops and without. The open share
// of the sky must depend only on the current frame.
func TestSkiesForgetFrames(t *testing.T) {
	mesh := generated(t, "scene:gear?triangles=1000")
	o := render.Options{Width: 80, Height: 60}.Studio()
	whole, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	turns := 12
	if *long {
		turns = 96
	}
	for turn := range turns {
		way := float64(turn) / float64(turns)
		cam, err := camera.Look(groupCache(t, mesh), mgl64.Vec3{-3 * way, -4 + 4*way, 2 - way}, mgl64.Vec3{0, 0, 0.2 * (1 - way)}, camera.Options{FieldOfView: 25 + 5*way, Zoom: 1 + way/2})
		if err != nil {
			t.Fatal(err)
		}
		var want *render.Picture
		for _, isa := range []string{"generic", "auto"} {
			o.ISA = isa
			r := newRenderer(t, o)
			for _, before := range []float64{-1, 10, 200} {
				if before >= 0 {
					other := fitted(t, mesh, o, camera.Options{Azimuth: before, Elevation: 20, Zoom: 2})
					if _, err := r.Frame(t.Context(), whole, other, new(render.Picture)); err != nil {
						t.Fatal(err)
					}
				}
				pic := new(render.Picture)
				if _, err := r.Frame(t.Context(), whole, cam, pic); err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = pic
				}
				if !bytes.Equal(pic.Pix, want.Pix) {
					t.Errorf("view %d, %s, after %g: another picture", turn, isa, before)
				}
			}
		}
	}
}
