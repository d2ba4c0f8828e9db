package scenes_test

import (
	"testing"

	"lockstep/scenes"
)

// TestPoints reads the octahedra of a cloud of more than one block. Each octahedron must be closed, face outwards, and
// have the right size and the colour of its point.
func TestPoints(t *testing.T) {
	const n = scenes.BlockSize/scenes.PointTriangles + 3
	p := &scenes.Points{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n), Colors: make([]uint32, n), Size: 0.5, Up: scenes.PlusY}
	for i := range n {
		p.X[i], p.Y[i], p.Z[i], p.Colors[i] = float32(4*i), float32(i%7), float32(-i), uint32(i)
	}
	mesh, err := scenes.Load(t.Context(), p, scenes.ReadOptions{})
	if err != nil || mesh.Len() != scenes.PointTriangles*n || mesh.Up != p.Up {
		t.Fatal(mesh.Len(), err)
	}
	if got, want := p.Bounds(), mesh.Bounds(); got != want {
		t.Errorf("the box %v, expected %v", got, want)
	}
	for i := range n {
		volume := float32(0)
		for k := range scenes.PointTriangles {
			c := mesh.Triangle(i*scenes.PointTriangles + k)
			for corner := range c {
				c[corner][0] -= p.X[i]
				c[corner][1] -= p.Y[i]
				c[corner][2] -= p.Z[i]
			}
			a, b, d := c[0], c[1], c[2]
			volume += (a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])) / 6
			if mesh.Colors[i*scenes.PointTriangles+k] != uint32(i) {
				t.Fatalf("point %d has another colour", i)
			}
		}
		if want := float32(4. / 3 / 8); volume < want-1e-3 || volume > want+1e-3 {
			t.Fatalf("point %d: a volume of %g, expected %g", i, volume, want)
		}
	}
	if p.Memory() != int64(16*n) {
		t.Errorf("%d bytes", p.Memory())
	}
	if !new(scenes.Points).Bounds().Empty() {
		t.Error("an empty cloud has a box")
	}
}

// TestPointsInfo checks the Info of a cloud with and without colours.
func TestPointsInfo(t *testing.T) {
	p := scenes.Points{X: []float32{16777216}, Y: []float32{1}, Z: []float32{2}, Size: 0.7, Origin: [3]float64{1, 2, 3}, Up: scenes.PlusZ, Unit: 0.5}
	var b scenes.Block
	for _, colors := range [][]uint32{nil, {7}} {
		p.Colors = colors
		if got, want := p.Info(), (scenes.Info{Origin: p.Origin, Up: scenes.PlusZ, Unit: 0.5, Colors: colors != nil}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if err := p.ReadBlock(0, &b); err != nil || (b.Colors != nil) != (colors != nil) {
			t.Errorf("colours %v of %v, %v", b.Colors, colors, err)
		}
	}
	if box := p.Bounds(); box.Min[0] != float64(float32(16777216-float64(p.Size))) || box.Min[0] == 16777216-float64(p.Size) {
		t.Errorf("%v is not rounded as corners are", box)
	}
	if box := (&scenes.Points{Size: 1}).Bounds(); box != scenes.EmptyBox() {
		t.Errorf("no points have the box %v", box)
	}
}
