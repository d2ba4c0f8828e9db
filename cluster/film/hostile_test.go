package film

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestHostileJobs checks that a malformed job does not harm a node. The node must not crash, must write only into the
// film's folder, and must draw the next film.
func TestHostileJobs(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, filepath.Join(dir, "out"))
	f.Open = true
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	var job cluster.Job
	if err := json.Unmarshal(jobOf(t, f), &job); err != nil {
		t.Fatal(err)
	}
	node := &Node{Workers: 1}
	open := func(change func(*spec)) (cluster.Frames, error) {
		s, err := readSpec(job)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		other := job
		if s.Files == nil {
			other.Files = nil
		}
		if other.Spec, err = json.Marshal(s); err != nil {
			t.Fatal(err)
		}
		return node.Open(t.Context(), other)
	}
	for says, change := range map[string]func(*spec){
		"instruction set": func(s *spec) { s.Drawing.ISA = "zork" },
		"pictures in":     func(s *spec) { s.Output.File = filepath.Join(dir, "victim") + "/precious#.png" },
		"dots an inch":    func(s *spec) { s.Output.DPI = -5 },
		"are PNG":         func(s *spec) { s.Output.Format = "jpeg" },
		"expected a file": func(s *spec) { s.Animation.Picture.Meshes[0].File = os.DevNull; s.Files = nil },
	} {
		if _, err := open(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	frames, err := open(func(*spec) {}) // after all malformed jobs
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	for _, k := range []int{-1, 3, 1 << 30} {
		if _, err := frames.Draw(t.Context(), k); err == nil {
			t.Errorf("frame %d is drawn", k)
		}
	}
	if _, err := frames.Draw(t.Context(), 2); err != nil {
		t.Error(err)
	}
	if _, err := new(Film).Describe(new(recipe.Drawer)); err == nil {
		t.Error("a film of nothing is described")
	}
	if err := checkFiles([]recipe.Mesh{{File: "b\xff.stl"}}); err == nil {
		t.Error("a name that is no text")
	}
}
