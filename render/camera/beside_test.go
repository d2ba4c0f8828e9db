package camera_test

import (
	"context"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// side is the width and height of the pictures of these tests.
const side = 1000

// square returns a mesh that spans 2 by 2 across the line of sight of the front view.
func square() *scenes.Mesh {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(2)}
	mesh.Set(0, [3][3]float32{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}})
	mesh.Set(1, [3][3]float32{{-1, 0, -1}, {1, 0, 1}, {-1, 0, 1}})
	return mesh
}

// spans returns the range of the projected points, as fractions of the picture, from left to right and from top to
// bottom.
func spans(cam *render.Camera, points ...mgl64.Vec3) (left, right, top, bottom float64) {
	left, top = math.Inf(1), math.Inf(1)
	right, bottom = math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		x, y, _ := cam.Project(p, side, side)
		left, right = math.Min(left, x/side), math.Max(right, x/side)
		top, bottom = math.Min(top, y/side), math.Max(bottom, y/side)
	}
	return left, right, top, bottom
}

// TestBeside checks that points beside the mesh are visible like its vertices, if the mesh then keeps enough of the
// picture. Points that are farther away are moved towards their middle, so that they take at most a fifth of the
// picture. They are ignored if even their middle is too far away.
func TestBeside(t *testing.T) {
	corners := []mgl64.Vec3{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}
	ctx, mesh := context.Background(), square()
	for _, orthographic := range []bool{false, true} {
		fit := func(points ...mgl64.Vec3) render.Camera {
			t.Helper()
			cam, err := camera.FitTight(ctx, mesh, mesh.Bounds(), side, side, camera.Options{Orthographic: orthographic, Beside: points})
			if err != nil {
				t.Fatal(err)
			}
			return cam
		}
		near := []mgl64.Vec3{{1.2, 0, 0}, {-1, 0, -1.3}}
		cam := fit(near...)
		left, right, top, bottom := spans(&cam, append(near, corners...)...)
		want := [4]float64{(1 - 2.2/2.3*0.9) / 2, (1 + 2.2/2.3*0.9) / 2, 0.05, 0.95}
		for i, got := range [4]float64{left, right, top, bottom} {
			if math.Abs(got-want[i]) > 1e-3 {
				t.Errorf("orthographic %v: near points: side %d at %.4f, want %.4f", orthographic, i, got, want[i])
			}
		}
		cam = fit(mgl64.Vec3{5, 0, 0}, mgl64.Vec3{-5, 0, 0})
		if left, right, _, _ := spans(&cam, corners...); math.Abs(right-left-0.7) > 1e-3 || math.Abs(right+left-1) > 1e-3 {
			t.Errorf("orthographic %v: points far away: the mesh from %.4f to %.4f, want the middle 0.7", orthographic, left, right)
		}
		if cam, alone := fit(mgl64.Vec3{90, 0, 0}, mgl64.Vec3{91, 0, 0}), fit(); cam != alone {
			t.Errorf("orthographic %v: points whose middle is far away: another camera than without", orthographic)
		}
	}
}

// TestBesideTurn checks that the points beside the mesh are visible in all pictures of a turntable, and take at most a
// fifth of them.
func TestBesideTurn(t *testing.T) {
	ctx, mesh := context.Background(), square()
	turns := []float64{0, 45, 90, 200}
	for _, orthographic := range []bool{false, true} {
		fit := func(points ...mgl64.Vec3) []render.Camera {
			t.Helper()
			o := camera.Options{Elevation: 20, Orthographic: orthographic, Beside: points}
			cams, err := camera.FitTightTurn(ctx, mesh, mesh.Bounds(), side, side, o, turns)
			if err != nil {
				t.Fatal(err)
			}
			return cams
		}
		size := func(cam *render.Camera) float64 { // returns the projected size of a length at the target
			left, right, _, _ := spans(cam, mgl64.Vec3{}, cam.Right)
			return right - left
		}
		alone := fit()
		near := []mgl64.Vec3{{1.1, 0, -1}, {-1.1, 0, -1}, {0, 1.1, -1}, {0, -1.1, -1}}
		for i, cam := range fit(near...) {
			if left, right, top, bottom := spans(&cam, near...); left < 0.0499 || right > 0.9501 || top < 0.0499 || bottom > 0.9501 {
				t.Errorf("orthographic %v: turn %d: points from (%.3f, %.3f) to (%.3f, %.3f)", orthographic, i, left, top, right, bottom)
			}
			if size(&cam) >= size(&alone[i]) {
				t.Errorf("orthographic %v: turn %d: no room for points", orthographic, i)
			}
		}
		for i, cam := range fit(mgl64.Vec3{50, 0, -1}, mgl64.Vec3{-50, 0, -1}) {
			if part := size(&cam) / size(&alone[i]); math.Abs(part-0.7/0.9) > 0.01 && orthographic || part < 0.7 || part > 0.85 {
				t.Errorf("orthographic %v: turn %d: %.3f of the size without points", orthographic, i, part)
			}
		}
	}
}
