package edges

import (
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

func count(t *testing.T, mesh *scenes.Mesh, crease float64) (bent, sharp int) {
	t.Helper()
	all, err := Find(t.Context(), mesh, math.Cos(crease*math.Pi/180))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Sharp(t.Context(), mesh, crease)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Edges {
		if all.Edges[i].Feature {
			bent++
		}
		if kept.Edges[i].Feature {
			sharp++
			if !all.Edges[i].Feature {
				t.Errorf("edge %d is sharp, but the surface does not bend there", i)
			}
		}
	}
	return bent, sharp
}

// TestSharpEdgesOfParts checks that all edges that bend by more than the crease are sharp, even if both triangles of an
// edge run along it in the same direction.
func TestSharpEdgesOfParts(t *testing.T) {
	for _, name := range []string{"scene:cube", "scene:gear?triangles=3000", "scene:sphere?triangles=2000"} {
		scene, err := procedural.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, flip := range []bool{false, true} {
			if p := mesh.Triangle(0); flip {
				mesh.Set(0, [3][3]float32{p[0], p[2], p[1]})
			}
			bent, sharp := count(t, mesh, 35)
			if bent != sharp || name == "scene:cube" && sharp != 12 || name == "scene:sphere?triangles=2000" && sharp != 0 {
				t.Errorf("%s, a triangle flipped %v: %d edges are sharp of %d at which it bends", name, flip, sharp, bent)
			}
		}
	}
}

// TestSharpEdgesOfFolds checks a fold with a rounded bend. No inner edge of the bend is sharp, although many edges bend
// by more than the crease. All edges of the bend are sharp if the sides of the fold are flat.
func TestSharpEdgesOfFolds(t *testing.T) {
	const side = 24
	for _, width := range []float64{0, 0.5} {
		at := func(i, j int) [3]float32 {
			across := (float64(i) + 0.5*float64(j) - 0.75*side) / math.Hypot(1, 0.5)
			if width == 0 {
				across = float64(i) - side/2
			}
			return [3]float32{float32(i), float32(j), float32(-math.Tan(math.Pi/6) * math.Hypot(across, width))}
		}
		mesh := &scenes.Mesh{Block: scenes.MakeBlock(2 * side * side)}
		for i := range side {
			for j := range side {
				t := 2 * (side*i + j)
				mesh.Set(t, [3][3]float32{at(i, j), at(i+1, j), at(i+1, j+1)})
				mesh.Set(t+1, [3][3]float32{at(i, j), at(i+1, j+1), at(i, j+1)})
			}
		}
		bent, sharp := count(t, mesh, 35)
		if bent -= 4 * side; bent < 20 {
			t.Fatalf("only %d edges bend", bent)
		}
		want := bent
		if width > 0 {
			want = 0
		}
		if sharp -= 4 * side; sharp != want {
			t.Errorf("fold of width %g: %d sharp edges, want %d", width, sharp, want)
		}
	}
}
