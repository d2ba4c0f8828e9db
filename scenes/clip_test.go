package scenes

import "testing"

func TestFindClip(t *testing.T) {
	clips := []Clip{{Name: "walk"}, {Name: "3"}, {}}
	for name, want := range map[string]int{"": 0, "walk": 0, "1": 0, "2": 1, "3": 1, "4": -1, "0": -1, "run": -1, "-1": -1} {
		if got := FindClip(clips, name); got != want {
			t.Errorf("clip %q is %d, expected %d", name, got, want)
		}
	}
	if got := FindClip(nil, ""); got != -1 {
		t.Errorf("of no clips the first is %d", got)
	}
}
