package procedural

import (
	"errors"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/extent"
)

// FuzzParse parses arbitrary names and computes the first and the last block of each valid scene.
func FuzzParse(f *testing.F) {
	for _, n := range Names() {
		f.Add("scene:" + n.Name + "?triangles=1000")
	}
	f.Add("scene:slivers?slivers=5&wide=7&seed=9&size=0.5")
	f.Add("scene:plate?triangles=2M&jitter=0.5")
	f.Fuzz(func(t *testing.T, arg string) {
		s, err := Parse(arg)
		if err != nil {
			var usage *UsageError
			if !errors.As(err, &usage) {
				t.Fatalf("error without a type: %v", err)
			}
			return
		}
		var b scenes.Block
		for _, i := range []int{0, scenes.NumBlocks(s) - 1} {
			if err := s.ReadBlock(i, &b); err != nil {
				t.Fatal(err)
			}
			box := extent.Empty()
			for k := range 3 {
				for v := range b.X[k] {
					if !box.Add(b.X[k][v], b.Y[k][v], b.Z[k][v]) {
						t.Fatalf("%s: vertex %d of block %d is not finite", arg, v, i)
					}
				}
			}
		}
	})
}
