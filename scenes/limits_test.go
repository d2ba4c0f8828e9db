package scenes

import (
	"errors"
	"testing"
)

// TestAllow allows as much as the options say, and not one more.
func TestAllow(t *testing.T) {
	in := &Input{Options: ReadOptions{Name: "a", MaxTriangles: 100, MaxMemory: 5000}}
	if err := errors.Join(in.Allow(100, 5000), new(Input).Allow(1<<60, 1<<60)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		triangles, memory int64
		want              LimitError
	}{
		{101, 0, LimitError{File: "a", Unit: UnitTriangles, Want: 101, Limit: 100}},
		{1, 5001, LimitError{File: "a", Unit: UnitBytes, Want: 5001, Limit: 5000}},
	} {
		var limit *LimitError
		if err := in.Allow(c.triangles, c.memory); !errors.As(err, &limit) || *limit != c.want {
			t.Errorf("%d triangles, %d bytes: %v", c.triangles, c.memory, err)
		}
	}
}
