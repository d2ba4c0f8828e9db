package format

import (
	"errors"
	"testing"

	"lockstep/scenes"
)

// TestAllow checks that exactly as much is allowed as the options say.
func TestAllow(t *testing.T) {
	in := &Input{Options: scenes.ReadOptions{Name: "a", MaxTriangles: 100, MaxMemory: 5000}}
	if err := errors.Join(in.Allow(100, 5000), new(Input).Allow(1<<60, 1<<60)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		triangles, memory int64
		want              scenes.LimitError
	}{
		{101, 0, scenes.LimitError{File: "a", Unit: scenes.UnitTriangles, Want: 101, Limit: 100}},
		{1, 5001, scenes.LimitError{File: "a", Unit: scenes.UnitBytes, Want: 5001, Limit: 5000}},
	} {
		var limit *scenes.LimitError
		if err := in.Allow(c.triangles, c.memory); !errors.As(err, &limit) || *limit != c.want {
			t.Errorf("%d triangles, %d bytes: %v", c.triangles, c.memory, err)
		}
	}
}

// TestRepeated checks the limits for repeated drawing, which depend on the size of the file: 4 million triangles and 64
// more per byte up to 16 million, and four per byte beyond that.
func TestRepeated(t *testing.T) {
	for bytes, most := range map[int64]int64{0: 1 << 22, 1000: 1<<22 + 68_000, 1 << 20: 1<<24 + 4<<20, 1 << 30: 1<<24 + 4<<30} {
		in := &Input{Options: scenes.ReadOptions{Name: "a"}, Size: bytes / 2, done: bytes / 4, besideBytes: bytes - bytes/2}
		var limit *scenes.LimitError
		if err := in.Repeated(most); err != nil {
			t.Error(bytes, err)
		}
		if err := in.Repeated(most + 1); !errors.As(err, &limit) || *limit != (scenes.LimitError{File: "a", Unit: scenes.UnitTriangles, Want: most + 1, Limit: most, Fixed: true}) {
			t.Error(bytes, err)
		}
	}
}

// TestBudget checks that work is added up, and that the packed size of a packed file counts.
func TestBudget(t *testing.T) {
	outer := &Input{Size: 10}
	in := &Input{Options: scenes.ReadOptions{Name: "a"}, Size: 1000, packed: &packed{outer: outer}}
	b := Budget{Unit: "things", Free: 100, PerByte: 2}
	if err := errors.Join(b.Spend(in, 60), b.Spend(in, 60)); err != nil {
		t.Fatal(err)
	}
	var limit *scenes.LimitError
	if err := b.Spend(in, 1); !errors.As(err, &limit) || limit.Limit != 120 || limit.Want != 121 || !limit.Fixed || limit.Unit != "things" {
		t.Error(err)
	}
}

// TestArchiveBeside checks the limit for the files beside a mesh in a small archive.
func TestArchiveBeside(t *testing.T) {
	in := &Input{packed: &packed{outer: &Input{Size: 10}}}
	var limit *scenes.LimitError
	if err := in.CountBeside(freeExpansion + 10*maxExpansion); err != nil {
		t.Error(err)
	}
	if err := in.CountBeside(1); !errors.As(err, &limit) || !limit.Fixed {
		t.Error(err)
	}
	if err := new(Input).CountBeside(1 << 40); err != nil {
		t.Error(err)
	}
}
