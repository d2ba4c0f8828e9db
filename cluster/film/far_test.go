package film

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/clitest"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// TestFilesByTheServer checks that a node without the submitter's files and folder downloads all files, draws the same
// pictures, and uploads them.
func TestFilesByTheServer(t *testing.T) {
	conn, dir := startFarm(t), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	files, f := sourcesOf(t, dir)
	f.Open = true
	var want [][]byte
	if err := new(recipe.Drawer).Frames(t.Context(), f.Animation, recipe.Output{}, func(_ int, file []byte) error {
		want = append(want, bytes.Clone(file))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.Job().Files); n != len(files) {
		t.Errorf("the job has %d files, want %d", n, len(files))
	}
	for _, name := range files { // gives the files other times, as on another machine
		if err := os.Chtimes(name, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	token := filepath.Join(dir, "out", Folder, tokenName)
	clitest.Write(t, token, "another word")
	if err := s.Draw(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	for k := range want {
		if got := clitest.Read(t, s.names.Name(k)); !bytes.Equal(got, want[k]) {
			t.Errorf("frame %d differs", k)
		}
		if d := s.done[k]; d == nil || !d.Stored || d.Node != "node-0" && d.Node != "node-1" {
			t.Errorf("frame %d: %+v", k, d)
		}
	}
	kept, err := filepath.Glob(filepath.Join(dir, "cache", "lockstep", "films", "*", "*", "*.obj"))
	// The other node may still be downloading an incomplete set.
	kept = slices.DeleteFunc(kept, func(name string) bool { return strings.Contains(name, partSuffix) })
	if err != nil || len(kept) != 2 {
		t.Errorf("the cache has %v, %v", kept, err)
	}
	if err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(token)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the film's own folder stays: %v", err)
	}
}

// TestOtherContents checks a node on another machine, where a file of the film has the same path, size and time but
// other contents (s14). The node must download the submitter's file and draw it. A node on the submitter's machine must
// not read the files twice.
func TestOtherContents(t *testing.T) {
	dial := startServer(t)
	conn, dir := dial(), t.TempDir()
	files, f := sourcesOf(t, dir)
	f.Open = true
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	job := s.Job()
	spec, err := readSpec(job)
	if err != nil {
		t.Fatal(err)
	}
	for i := range job.Files {
		text := clitest.Read(t, spec.Files[i].Path)
		if err := conn.Upload(t.Context(), &job.Files[i], bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.local.Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	has := func(compare bool) bool {
		has, err := spec.hasFiles(t.Context(), job.Files, compare)
		if err != nil {
			t.Fatal(err)
		}
		return has
	}
	if !has(true) || !has(false) {
		t.Error("the files that are there count as others")
	}
	unknown := *spec
	unknown.Files = nil
	if has, _ := unknown.hasFiles(t.Context(), job.Files, false); has {
		t.Error("files of which nobody says where they lie count as there")
	}
	for _, name := range files {
		was := clitest.Read(t, name)
		other := bytes.Replace(was, []byte("8"), []byte("9"), 1)
		writeAsBefore(t, name, other)
		if has(true) || !has(false) {
			t.Errorf("%s: another file counts as that of the film", name)
		}
		writeAsBefore(t, name, was)
	}
	cube := filepath.Join(dir, "cube.obj")
	// The box of the mesh stays the same.
	writeAsBefore(t, cube, bytes.Replace(clitest.Read(t, cube), []byte("v 1 1 1"), []byte("v 1 1 0"), 1))
	far, err := (&Node{Cluster: conn, Workers: 1, Cache: Cache{Dir: t.TempDir()}}).Open(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	if got, err := far.Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want) {
		t.Errorf("it draws another mesh: %v", err)
	}
}

// writeAsBefore replaces the contents of a file and keeps its time.
func writeAsBefore(t *testing.T, name string, text []byte) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, name, string(text))
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// TestSave checks that a picture that cannot be written is an error. A node on another machine must not write pictures.
func TestSave(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	f := new(Node).openEarly(t.Context(), describe(t, cubes(mesh, filepath.Join(dir, "out"))))
	if f == nil {
		t.Fatal("it is not opened")
	}
	defer f.Close()
	var output *atomicfile.Error
	if kept, err := f.Save(t.Context(), 0, []byte("picture")); kept || !errors.As(err, &output) {
		t.Errorf("without a folder: %v, %v", kept, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	f.remote = true
	if kept, err := f.Save(t.Context(), 0, []byte("picture")); kept || err != nil || len(clitest.Files(t, filepath.Join(dir, "out"))) != 0 {
		t.Errorf("apart: %v, %v", kept, err)
	}
	f.remote = false
	kept, err := f.Save(t.Context(), 1, []byte("picture"))
	if got := clitest.Read(t, f.names.Name(1)); !kept || err != nil || string(got) != "picture" {
		t.Errorf("%v, %v, %q", kept, err, got)
	}
	if state := f.fileState(f.names.Name(1)); f.FileState() != state {
		t.Errorf("the state is %q, want %q", f.FileState(), state)
	}
}
