package scenes_test

import (
	"testing"

	"lockstep/scenes"
)

// TestAxis parses the name of every axis, and checks that String does not panic for any value.
func TestAxis(t *testing.T) {
	for a := range 256 {
		axis := scenes.Axis(a)
		name := axis.String()
		back, err := scenes.ParseAxis(name)
		if isAxis := axis <= scenes.MinusZ; isAxis != (err == nil) || isAxis && back != axis {
			t.Errorf("axis %d is %q, read back as %v: %v", a, name, back, err)
		}
		if v := axis.Vector(); v[0]*v[0]+v[1]*v[1]+v[2]*v[2] != 1 {
			t.Errorf("axis %d: vector %v", a, v)
		}
	}
	for _, text := range []string{"Y", "+Y", "-Z", "++y", "+-y", "yy", ""} {
		want := map[string]scenes.Axis{"Y": scenes.PlusY, "+Y": scenes.PlusY, "-Z": scenes.MinusZ}
		axis, ok := want[text]
		if got, err := scenes.ParseAxis(text); got != axis || (err == nil) != ok {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if name := scenes.Axis(77).String(); name != "axis(77)" {
		t.Errorf("77 is %q", name)
	}
}
