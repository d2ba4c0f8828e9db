package ground_test

import (
	"context"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/ground"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// TestNoRingsBelowABall checks the shadow of a ball. It must become lighter from the middle outwards, and no part of it
// may be so steep that it looks like the edge of another shadow.
func TestNoRingsBelowABall(t *testing.T) {
	ctx := context.Background()
	scene, err := procedural.Parse("scene:sphere?triangles=20000")
	if err != nil {
		t.Fatal(err)
	}
	ball, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	box := ball.Bounds()
	g, err := ground.New(ctx, ball, box, scenes.PlusZ, 512)
	if err != nil {
		t.Fatal(err)
	}
	const steps = 400 // over a diameter of the ball
	size, last, steepest := box.Size()[0], float32(math.Inf(1)), float32(0)
	for i := range steps {
		p := mgl64.Vec3(box.Center()).Add(mgl64.Vec3{size * float64(i) / steps, 0, 0})
		s := g.Shade(p)
		if s > last+0.001 {
			t.Fatalf("%d: the shadow is darker outside: %g after %g", i, s, last)
		}
		if i > 0 {
			steepest = max(steepest, last-s)
		}
		last = s
	}
	// Slices and darkness with sharp limits give 7.5.
	if slope := steepest * steps; slope > 5 {
		t.Errorf("the light changes by %.2g over a diameter of the ball", slope)
	}
}
