package section_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/section"
)

// TestMemory cuts meshes repeatedly with the same memory. Each result must equal a cut with memory of its own, and each
// triangle must be owned by the triangle of which it is a piece.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var memory section.Memory
	for round := range 30 {
		m := striped(r, 20+r.IntN(300)) // the colour of a triangle is its number
		m.Attributes = nil
		planes := []section.Plane{{Normal: [3]float64{1, 0.5, 0}, Offset: r.Float64()}, {Normal: [3]float64{0, -1, 0.2}, Offset: r.Float64()}}[:1+round%2]
		o := section.Options{Open: true}
		want, _, err := section.Cut(m, planes, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Owners, o.Memory = true, &memory
		got, report, err := section.Cut(m, planes, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(report.Owners, got.Colors) {
			t.Fatal("the owners are wrong")
		}
		sameMesh(t, got, want)
	}
}

func sameMesh(t *testing.T, got, want *scenes.Mesh) {
	t.Helper()
	for k := range 3 {
		if !slices.Equal(got.X[k], want.X[k]) || !slices.Equal(got.Y[k], want.Y[k]) || !slices.Equal(got.Z[k], want.Z[k]) {
			t.Fatal("the triangles differ")
		}
	}
	if !slices.Equal(got.Colors, want.Colors) || !slices.Equal(got.Parts, want.Parts) {
		t.Fatal("the colours or the parts differ")
	}
}

// TestRough cuts a closed mesh with and without the option Rough. The rough caps must be at the same place as the fine
// caps, have the same area, and have no owner.
func TestRough(t *testing.T) {
	scene, err := procedural.Parse("scene:knot?triangles=2000")
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	planes := []section.Plane{{Normal: [3]float64{1, 0, 0}}, {Normal: [3]float64{0, 1, 0.5}, Offset: 0.1}}
	areas := [2]float64{}
	for i, rough := range []bool{false, true} {
		cut, report, err := section.Cut(m, planes, section.Options{Rough: rough, Owners: true, Cap: 0xff0000})
		if err != nil {
			t.Fatal(err)
		}
		caps := cut.Parts[len(cut.Parts)-1]
		if caps.Name != section.PartName || caps.Count == 0 {
			t.Fatalf("the caps are %v", caps)
		}
		for at, owner := range report.Owners {
			if (owner == section.NoOwner) != (at >= caps.First) || owner != section.NoOwner && int(owner) >= m.Len() {
				t.Fatalf("triangle %d of %d, with caps from %d on, is owned by %d", at, cut.Len(), caps.First, owner)
			}
		}
		areas[i] = capArea(cut, planes[0].Normal)
	}
	if areas[1] < 0.999*areas[0] || areas[1] > 1.01*areas[0] {
		t.Errorf("the rough caps have an area of %g, the fine ones of %g", areas[1], areas[0])
	}
}
