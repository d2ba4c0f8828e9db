package drawing

import (
	"math"
	"testing"

	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// TestLinesMeet checks that the lines of a gear have no gaps: each end of a line must lie at another line. The faces of
// its teeth are long triangles that are narrower than a pixel near their corners.
func TestLinesMeet(t *testing.T) {
	scene, err := procedural.Parse("scene:gear?triangles=4000")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, _, _ := seenFrom(t, mesh, camera.Options{Azimuth: 30, Elevation: 20}, 1200, 900, Options{})
	loose := 0
	for i, l := range d.Visible {
		for _, end := range []Point{l[0], l[len(l)-1]} {
			if l[0] != l[len(l)-1] && distanceToOthers(d.Visible, i, end) > 2 {
				loose++
			}
		}
	}
	if loose > 0 {
		t.Errorf("%d ends of %d lines lie at no other line", loose, len(d.Visible))
	}
}

// distanceToOthers returns the distance of p from the nearest line except line i.
func distanceToOthers(lines []Line, i int, p Point) float64 {
	nearest := math.Inf(1)
	for j, l := range lines {
		for k := 1; k < len(l) && j != i; k++ {
			dx, dy := l[k].X-l[k-1].X, l[k].Y-l[k-1].Y
			along := (float64((p.X-l[k-1].X)*dx) + float64((p.Y-l[k-1].Y)*dy)) / (float64(dx*dx) + float64(dy*dy))
			along = max(0, min(1, along))
			nearest = min(nearest, math.Hypot(l[k-1].X+float64(along*dx)-p.X, l[k-1].Y+float64(along*dy)-p.Y))
		}
	}
	return nearest
}
