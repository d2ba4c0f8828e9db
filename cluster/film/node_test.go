package film

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// cubes returns a film of a cube, with further meshes in the same picture.
func cubes(mesh, out string, more ...string) Film {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: mesh}}, Size: recipe.Size{Width: 32, Height: 32}, Look: recipe.Look{Crease: 180}}
	for i, m := range more {
		p.Meshes = append(p.Meshes, recipe.Mesh{File: m, Move: recipe.Point{20 * float64(i+1), 0, 0}})
	}
	return Film{Animation: recipe.Animation{Picture: p, Frames: 3}, Output: recipe.Output{File: out}}
}

func describe(t *testing.T, f Film) []byte {
	t.Helper()
	line, err := f.Describe(new(recipe.Drawer))
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func jobOf(t *testing.T, f Film) []byte {
	t.Helper()
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	line, err := json.Marshal(s.Job())
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// TestMeshReplacedBetweenReads checks that a node draws only if it has read the same files as the submitter. Another
// mesh of the same size may replace a mesh between the two readings. It may also replace the mesh later, before a
// restarted node reads it again.
func TestMeshReplacedBetweenReads(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	added := filepath.Join(dir, "added.stl")
	clitest.Write(t, added, string(clitest.Read(t, mesh)))
	f := cubes(mesh, filepath.Join(dir, "out"), added)
	for _, replaced := range []string{"", mesh, added} {
		node := &Node{Workers: 1}
		early := node.OpenEarly(t.Context(), describe(t, f)) // reads the files at once
		opened := <-early.opening
		if opened == nil {
			t.Fatal("it is not opened")
		}
		early.opening <- opened
		if replaced != "" {
			replace(t, replaced, time.Unix(1e9, 0))
		}
		line := jobOf(t, f)
		ahead := early.Take(node, line)
		if (ahead != nil) != (replaced == "") {
			t.Errorf("replaced %q: opened ahead %v", replaced, ahead)
		}
		if ahead != nil {
			ahead.Frames.Close()
		}
		var job cluster.Job
		if err := json.Unmarshal(line, &job); err != nil {
			t.Fatal(err)
		}
		again, err := node.Open(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
		if err := os.Chtimes(added, time.Time{}, time.Unix(2e9, 0)); err != nil {
			t.Fatal(err)
		}
		touched, err := new(Node).Open(t.Context(), job)
		if err != nil {
			t.Fatalf("replaced %q: a node that began after a file got another time: %v", replaced, err)
		}
		touched.Close()
		replace(t, added, time.Now())
		if _, err := new(Node).Open(t.Context(), job); err == nil || !strings.Contains(err.Error(), "its mesh or version differs") {
			t.Errorf("replaced %q: a node that began after another replacement: %v", replaced, err)
		}
	}
}

// replace changes a byte of the header of an STL file, and the time of the file.
func replace(t *testing.T, name string, when time.Time) {
	t.Helper()
	b := clitest.Read(t, name)
	b[79]++
	clitest.Write(t, name, string(b))
	if err := os.Chtimes(name, time.Time{}, when); err != nil {
		t.Fatal(err)
	}
}

// TestOneFilmAfterTheOther checks that a node that has drawn a film of several meshes draws only the mesh of the next
// film.
func TestOneFilmAfterTheOther(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	node := &Node{Workers: 1}
	var lengths []int
	for _, f := range []Film{cubes(mesh, dir, mesh), cubes(mesh, dir)} {
		opened := node.openEarly(t.Context(), describe(t, f))
		if opened == nil {
			t.Fatal("it is not opened")
		}
		lengths = append(lengths, opened.Input.Source.Len())
		opened.Close()
	}
	if lengths[0] != 2*lengths[1] {
		t.Errorf("%d triangles, and then %d", lengths[0], lengths[1])
	}
}

// TestOpenEarlyWithoutFiles checks that OpenEarly does not open a film whose files cannot be read.
func TestOpenEarlyWithoutFiles(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.stl")
	for _, line := range []string{"", "\n", "{", "{}", "[]", string(describe(t, cubes(gone, "out"))), strings.Replace(string(describe(t, cubes("scene:cube", "out"))), `"frames":3`, `"frames":-3`, 1)} {
		if opened := new(Node).openEarly(t.Context(), []byte(line)); opened != nil {
			t.Errorf("%q is opened: %+v", line, opened)
		}
	}
}

// TestSubmitterFindsNormals checks that a submitter, which computes normals only when it draws, draws the same pictures
// as a node.
func TestSubmitterFindsNormals(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir)
	node := new(Node).openEarly(t.Context(), describe(t, f))
	if node == nil {
		t.Fatal("it is not opened")
	}
	defer node.Close()
	s, err := Open(t.Context(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.local.Input.Late() || node.Input.Late() {
		t.Fatal("the normals are not left for later")
	}
	if s.local.description() != node.description() {
		t.Errorf("%s, want %s", s.local.description(), node.description())
	}
	for k := range 3 {
		want, err := node.Draw(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.local.Draw(t.Context(), k)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("frame %d differs: %v", k, err)
		}
	}
}

// TestOtherVersions checks that a node of another build draws only films for which it has the same fingerprint, and
// writes the version of the submitter into their pictures.
func TestOtherVersions(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir)
	f.Open = true
	var job cluster.Job
	if err := json.Unmarshal(jobOf(t, f), &job); err != nil {
		t.Fatal(err)
	}
	open := func(change func(*spec)) (cluster.Frames, error) {
		s, err := readSpec(job)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		other := job
		if other.Spec, err = json.Marshal(s); err != nil {
			t.Fatal(err)
		}
		return (&Node{Workers: 1}).Open(t.Context(), other)
	}
	if _, err := open(func(s *spec) { s.Pixels = strings.Repeat("0", len(s.Pixels)) }); err == nil || !strings.Contains(err.Error(), "has other pictures") {
		t.Errorf("a film of other pictures: %v", err)
	}
	if _, err := open(func(s *spec) { s.Text += "." }); err == nil || !strings.Contains(err.Error(), "its mesh or version differs") {
		t.Errorf("a film whose pictures say something else: %v", err)
	}
	opened, err := open(func(s *spec) {
		s.Text = strings.ReplaceAll(s.Text, recipe.Program, "Lockstep render 9.9")
		s.Program = "Lockstep render 9.9"
	})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if picture, err := opened.Draw(t.Context(), 1); err != nil || !bytes.Contains(picture, []byte("Software\x00Lockstep render 9.9")) {
		t.Errorf("a film of another version with the same pictures: %v", err)
	}
	long := job
	long.Frames++
	if _, err := new(Node).Open(t.Context(), long); err == nil || !strings.Contains(err.Error(), "a job of 4 frames, and an animation of 3") {
		t.Errorf("a job of more frames than its animation: %v", err)
	}
	bad := job
	bad.Spec = bytes.Replace(job.Spec, []byte(`"picture":{`), []byte(`"picture":{"caustics":true,`), 1)
	if _, err := new(Node).Open(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "of another version") {
		t.Errorf("a recipe with an unknown field: %v", err)
	}
}

// TestValidate checks that an invalid film is refused before anything is read.
func TestValidate(t *testing.T) {
	for says, change := range map[string]func(*Film){
		"fitted by its box":         func(f *Film) { f.Animation.Clip, f.Animation.Picture.Camera.Fit = "1", "tight" },
		"a clip moves it":           func(f *Film) { f.Shared, f.Animation.Clip = true, "1" },
		"shows one mesh":            func(f *Film) { f.Animation.More = []recipe.Mesh{{File: "b.stl"}} },
		"standard input":            func(f *Film) { f.Animation.Picture.Meshes[0].File = "-" },
		"dots an inch":              func(f *Film) { f.Output.DPI = -5 },
		"expected a folder":         func(f *Film) { f.Output.File = "" },
		"pictures of films are PNG": func(f *Film) { f.Output.Format = "jpeg" },
		"a crop leaves parts out":   func(f *Film) { f.Shared, f.Animation.Picture.Crop = true, recipe.Rect{Width: 9, Height: 9} },
		"frames":                    func(f *Film) { f.Animation.Frames = -1 },
	} {
		f := cubes("a.stl", "out")
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&f)
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		if _, err := Open(t.Context(), f, Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: opened with %v", says, err)
		}
	}
}
