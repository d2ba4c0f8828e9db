package recipe_test

import (
	"runtime"
	"testing"

	"lockstep/render/recipe"
)

// TestRequires checks that a streamed mesh needs no more memory if it has more triangles, but a resident mesh does. It
// also checks that drawing allocates no more than three times the estimate.
func TestRequires(t *testing.T) {
	plain := recipe.Picture{Meshes: []recipe.Mesh{{File: "a.stl"}}}
	fast := plain
	fast.Fast()
	if a, b := fast.Requires(1000), fast.Requires(1e9); a != b || a.Resident {
		t.Errorf("%+v and %+v", a, b)
	}
	a, b := plain.Requires(1000), plain.Requires(1e6)
	if !a.Resident || b.Memory-a.Memory < 50e6 || a.PerWorker <= 0 || a.Field != "" {
		t.Errorf("%+v and %+v", a, b)
	}
	if film := (recipe.Animation{Picture: plain}).Requires(1000); film.Memory > a.Memory-50e6 { // 4 samples, not 16
		t.Errorf("%+v of an animation, %+v of a picture", film, a)
	}
	large := plain
	large.Size = recipe.Size{Width: 8000, Height: 8000}
	if c := large.Requires(1000); c.Memory < 8000*8000*4*4 || c.PerWorker < a.PerWorker {
		t.Errorf("%+v", c)
	}
	plain.Look.Field = "t"
	if r := plain.Requires(1); r.Field != "t" {
		t.Errorf("%+v", r)
	}
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=40000"}}, Size: recipe.Size{Width: 640, Height: 360}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := (&recipe.Drawer{Workers: 1}).Draw(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// The number of allocated bytes includes garbage, but the estimate is only of the memory that is in use at one time.
	if all, said := int64(after.TotalAlloc-before.TotalAlloc), p.Requires(40000).Memory; all > 3*said {
		t.Errorf("allocated %d bytes, and %d were said", all, said)
	}
}
