package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cube.stl"), stl(cube([3]float32{1, 2, 3}, 4)))
	r := run(t, dir, "", "info", "cube.stl")
	r.want(t, exitDone)
	for _, words := range []string{"cube.stl", "stl-binary", "684", "12", "-3 -2 -1 to 5 6 7", "8 x 8 x 8"} {
		if !strings.Contains(r.stdout, words) {
			t.Errorf("lacks %q:\n%s", words, r.stdout)
		}
	}
	var got meshInfo
	r = run(t, dir, "", "info", "--json", "cube.stl")
	r.want(t, exitDone)
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := meshInfo{
		Path: "cube.stl", Format: "stl-binary", Bytes: 684, Triangles: 12, Up: "z",
		Bounds: &boxInfo{[3]float64{-3, -2, -1}, [3]float64{5, 6, 7}, [3]float64{8, 8, 8}},
		Parts:  []partInfo{}, Warnings: []string{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestInfoOfParts(t *testing.T) {
	dir := t.TempDir()
	data := asciiSTL("left", "right side")
	write(t, filepath.Join(dir, "two.stl"), data+"trailing words")
	for _, args := range [][]string{{"info", "--json", "two.stl"}, {"info", "--json", "-"}} {
		r := run(t, dir, data+"trailing words", args...)
		r.want(t, exitDone, "warning")
		var got meshInfo
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatal(err)
		}
		want := []partInfo{{"left", 0, 1}, {"right side", 1, 1}}
		if got.Format != "stl-ascii" || !reflect.DeepEqual(got.Parts, want) || len(got.Warnings) != 1 {
			t.Errorf("%q: %+v", args, got)
		}
	}
	run(t, dir, "", "info", "--strict", "two.stl").want(t, exitInput, "two.stl")
	r := run(t, dir, "", "info", "scene:sphere?triangles=1000")
	r.want(t, exitDone)
	if !strings.Contains(r.stdout, "scene") {
		t.Errorf("info of a scene: %s", r.stdout)
	}
}
