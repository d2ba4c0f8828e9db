package camera_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/scenes"
)

// pointsAt returns a cloud of the given points.
func pointsAt(size float32, at ...[3]float32) *scenes.Points {
	p := &scenes.Points{Size: size, Up: scenes.PlusZ}
	for _, q := range at {
		p.X, p.Y, p.Z = append(p.X, q[0]), append(p.Y, q[1]), append(p.Z, q[2])
	}
	return p
}

// someCloud returns a cloud of 300 points.
func someCloud(size float32) *scenes.Points {
	r := rand.New(rand.NewPCG(5, 5))
	at := make([][3]float32, 300)
	for i := range at {
		at[i] = [3]float32{3 * r.Float32(), 2*r.Float32() - 1, r.Float32() * r.Float32()}
	}
	return pointsAt(size, at...)
}

// rims returns the outermost points of the discs as a camera sees them: to the left, to the right, above and below.
func rims(cam *render.Camera, p *scenes.Points) (rims []mgl64.Vec3) {
	r := cloud.Share * float64(p.Size)
	for i := range p.X {
		at := mgl64.Vec3{float64(p.X[i]), float64(p.Y[i]), float64(p.Z[i])}
		rims = append(rims, at.Sub(cam.Right.Mul(r)), at.Add(cam.Right.Mul(r)), at.Sub(cam.Up.Mul(r)), at.Add(cam.Up.Mul(r)))
	}
	return rims
}

// optionsOfClouds are views of clouds.
var optionsOfClouds = []camera.Options{
	{},
	{Azimuth: 30, Elevation: 20},
	{Azimuth: 200, Elevation: -50, FieldOfView: 80},
	{Azimuth: 30, Elevation: 35, Orthographic: true},
	{Elevation: 90, Orthographic: true},
	{Up: scenes.PlusX, Azimuth: 17},
}

// TestFitTwoPoints checks that the discs of two points span the picture.
func TestFitTwoPoints(t *testing.T) {
	p := pointsAt(1, [3]float32{-1, 0, 0}, [3]float32{3, 0, 0})
	for _, orthographic := range []bool{false, true} {
		cam, err := camera.FitTight(t.Context(), p, p.Bounds(), side, side, camera.Options{Orthographic: orthographic})
		if err != nil {
			t.Fatal(err)
		}
		left, right, _, _ := spans(&cam, mgl64.Vec3{-1 - 0.74254, 0, 0}, mgl64.Vec3{3 + 0.74254, 0, 0})
		if math.Abs(left-0.05) > 1e-9 || math.Abs(right-0.95) > 1e-9 {
			t.Errorf("orthographic %v: discs span %.6f to %.6f, want 0.05 to 0.95", orthographic, left, right)
		}
	}
}

// TestFitCloud checks that the discs of many points span nine tenths of the limiting side, in the middle, and that
// their octahedra span about as much.
func TestFitCloud(t *testing.T) {
	for _, size := range []float32{0, 0.002, 0.3} {
		p := someCloud(size)
		for _, o := range optionsOfClouds {
			t.Run(fmt.Sprintf("size=%v/%+v", size, o), func(t *testing.T) {
				cam, err := camera.FitTight(t.Context(), p, p.Bounds(), side, side, o)
				if err != nil {
					t.Fatal(err)
				}
				left, right, top, bottom := spans(&cam, rims(&cam, p)...)
				if most := max(right-left, bottom-top); math.Abs(most-0.9) > 1e-5 {
					t.Errorf("spans %.6f of the picture, want 0.9", most)
				}
				if math.Abs(left+right-1) > 1e-5 || math.Abs(top+bottom-1) > 1e-5 {
					t.Errorf("spans %.6f to %.6f and %.6f to %.6f: not in the middle", left, right, top, bottom)
				}
				octahedra, err := camera.FitTight(t.Context(), struct{ scenes.Source }{p}, p.Bounds(), side, side, o)
				if err != nil {
					t.Fatal(err)
				}
				// Discs extend 0.74 sizes from a point, and octahedra 0.58 to 1 sizes, so the cameras differ little.
				if moved := cam.Eye.Sub(octahedra.Eye).Len(); moved > 5*float64(size) {
					t.Errorf("the eye is at %v, and %v for octahedra", cam.Eye, octahedra.Eye)
				}
				if zoomed := cam.Magnification / octahedra.Magnification; math.Abs(zoomed-1) > 0.5*float64(size) {
					t.Errorf("magnified %v times as much as octahedra", zoomed)
				}
			})
		}
	}
}

// TestFitCloudTurn checks that the discs of a turning cloud stay in the central part, and that one disc comes close to
// its border.
func TestFitCloudTurn(t *testing.T) {
	p, turns := someCloud(0.3), make([]float64, 360)
	for i := range turns {
		turns[i] = float64(i)
	}
	for _, o := range optionsOfClouds {
		cams, err := camera.FitTightTurn(t.Context(), p, p.Bounds(), side, side, o, turns)
		if err != nil {
			t.Fatal(err)
		}
		least, most := reachOf(cams, p)
		if math.Max(0.5-least, most-0.5) > 0.45001 || math.Max(0.5-least, most-0.5) < 0.449 {
			t.Errorf("%+v: discs span %.5f to %.5f, want 0.05 or 0.95, and nothing beyond", o, least, most)
		}
	}
}

// reachOf returns the least and the greatest coordinate of rims in the pictures of all cameras, along either axis.
func reachOf(cams []render.Camera, p *scenes.Points) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range cams {
		left, right, top, bottom := spans(&cams[i], rims(&cams[i], p)...)
		least, most = min(least, left, top), max(most, right, bottom)
	}
	return least, most
}

// TestFitCloudAround checks that the discs stay in the central part for cameras all around a cloud.
func TestFitCloudAround(t *testing.T) {
	p := pointsAt(0.5, [3]float32{-2, 0, 0}, [3]float32{2, 0, 0}, [3]float32{0, 1, 1})
	for _, orthographic := range []bool{false, true} {
		var views []camera.Options
		for azimuth := 0.0; azimuth < 360; azimuth += 10 {
			for elevation := -90.0; elevation <= 90; elevation += 10 {
				views = append(views, camera.Options{Azimuth: azimuth, Elevation: elevation, Orthographic: orthographic})
			}
		}
		cams, err := camera.FitAround(t.Context(), p, p.Bounds(), side, side, views)
		if err != nil {
			t.Fatal(err)
		}
		least, most := reachOf(cams, p)
		if least < 0.05 || most > 0.95 || most < 0.92 {
			t.Errorf("orthographic %v: discs span %.5f to %.5f", orthographic, least, most)
		}
	}
}
