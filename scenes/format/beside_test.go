package format

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
)

func readBeside(t *testing.T, in *Input, name string) string {
	t.Helper()
	f, err := in.OpenBeside(name)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestNamesInOtherCase finds files whose names differ from the wanted name only in case. A file with the exact name
// takes precedence. Otherwise the first name in alphabetical order is used.
func TestNamesInOtherCase(t *testing.T) {
	folder := fstest.MapFS{
		"a.mtl": {Data: []byte("a")}, "B.mtl": {Data: []byte("B")}, "b.MTL": {Data: []byte("b")},
		"Textures/Red.PNG": {Data: []byte("red")}, "textures2/x": {Data: []byte("x")}, "Dir/x": {}, "dir/Y.mtl": {Data: []byte("Y")}, "\u00c4.mtl": {Data: []byte("umlaut")},
	}
	in := &Input{Options: scenes.ReadOptions{Beside: folder}}
	for name, want := range map[string]string{
		"a.mtl": "a", "A.MTL": "a", "b.mtl": "B", "b.MTL": "b", "textures/red.png": "red", `TEXTURES\red.png`: "red", "dir/y.mtl": "Y", "\u00e4.mtl": "umlaut",
		"c.mtl": "file does not exist", "textures": "it is not a regular file", "a.mtl/x": "file does not exist", "../A.MTL": "it is not in the folder of the mesh",
		"http://host/a.mtl": "it is an address, and nothing is fetched", "HTTPS://host/A.mtl": "it is an address, and nothing is fetched", "s3://a/b": "it is an address, and nothing is fetched",
		"C:/a.mtl": "file does not exist", "file:///a.mtl": "file does not exist", "a b://c": "file does not exist",
	} {
		if got := readBeside(t, in, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestLinksInOtherCase checks that no link out of the folder is followed, whatever the case of its name.
func TestLinksInOtherCase(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	for _, err := range []error{
		os.Mkdir(inside, 0o700), os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600),
		os.Symlink("../secret", filepath.Join(inside, "link")), os.Symlink("..", filepath.Join(inside, "up")), os.Symlink(dir, filepath.Join(inside, "far")),
	} {
		if err != nil {
			t.Skip(err)
		}
	}
	in := &Input{folder: inside}
	for _, name := range []string{"LINK", "UP/secret", "up/SECRET", "Far/Secret", "UP/INSIDE/link"} {
		if got := readBeside(t, in, name); got == "secret" {
			t.Errorf("%s was read", name)
		}
	}
	if got := readBeside(t, in, "link"); got != "a link leads out of the folder of the mesh" {
		t.Errorf("link: %q", got)
	}
}

// TestListsAreBounded checks that no more names are read than the limit allows, and that every folder is read only
// once.
func TestListsAreBounded(t *testing.T) {
	folder := fstest.MapFS{"h/1": {}}
	for i := range maxListed / 8 {
		folder[fmt.Sprintf("f%d/a%d", i%16, i)] = &fstest.MapFile{Data: []byte("a")}
	}
	in := &Input{Options: scenes.ReadOptions{Beside: folder}}
	for i := range 16 {
		for range 20 {
			readBeside(t, in, fmt.Sprintf("F%d/b", i))
		}
	}
	if len(in.listed) != 17 || in.listedNames != 17+17+maxListed/8 {
		t.Errorf("%d folders, %d names", len(in.listed), in.listedNames)
	}
	for i := range 2 * maxListed {
		folder[fmt.Sprintf("g/%d", i)] = &fstest.MapFile{}
	}
	in = &Input{Options: scenes.ReadOptions{Beside: folder}}
	for _, name := range []string{"g/x", "G/x", "H/2", "h/2"} {
		readBeside(t, in, name)
	}
	if _, ok := in.listed["h"]; ok || in.listedNames > maxListed+2 || len(in.listed["g"].exact) < maxListed-100 {
		t.Errorf("%d names, folders %v", in.listedNames, len(in.listed))
	}
}

// A noPipes is a folder in which opening a pipe fails the test, because it would wait for a writer.
type noPipes struct {
	fstest.MapFS
	t *testing.T
}

func (f noPipes) Open(name string) (fs.File, error) {
	if file := f.MapFS[name]; file != nil && !file.Mode.IsRegular() {
		f.t.Errorf("%s was opened", name)
	}
	return f.MapFS.Open(name)
}

func (f noPipes) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(name) }

// TestPipeAsFolder checks that a pipe is not opened as a folder.
func TestPipeAsFolder(t *testing.T) {
	in := &Input{Options: scenes.ReadOptions{Beside: noPipes{fstest.MapFS{"pipe": {Mode: fs.ModeNamedPipe}}, t}}}
	for _, name := range []string{"PIPE/a.mtl", "PIPE", "pipe/a.mtl"} {
		readBeside(t, in, name)
	}
}

// A counting is a folder that counts its calls.
type counting struct {
	fstest.MapFS
	stats, opens map[string]int
}

func (f counting) Stat(name string) (fs.FileInfo, error) {
	f.stats[name]++
	return f.MapFS.Stat(name)
}

func (f counting) Open(name string) (fs.File, error) {
	f.opens[name]++
	return f.MapFS.Open(name)
}

// TestFoundOnce checks that the system is asked for a file only once, even if the file does not exist. All names of a
// file must give the same file.
func TestFoundOnce(t *testing.T) {
	folder := counting{fstest.MapFS{"a.png": {Data: []byte("a")}}, map[string]int{}, map[string]int{}}
	in := &Input{Options: scenes.ReadOptions{Beside: folder}}
	for range 50 {
		for _, name := range []string{"a.png", "./a.png", "b/../a.png", "A.PNG"} {
			if found, err := in.FindBeside(name); found != "a.png" || err != nil {
				t.Fatal(name, found, err)
			}
		}
		if _, err := in.FindBeside("none.png"); err == nil {
			t.Fatal("found none.png")
		}
	}
	if folder.stats["none.png"] != 0 || folder.stats["A.PNG"] != 1 || folder.stats["a.png"] > 5 || folder.opens["."] != 1 {
		t.Errorf("%v, %v", folder.stats, folder.opens)
	}
	long := fmt.Sprint(make([]int, maxKeptName))
	in.FindBeside(long)
	if _, ok := in.found[long]; ok || len(in.found) != 5 {
		t.Errorf("%d names are kept", len(in.found))
	}
	for i := range 2 * maxListed {
		in.FindBeside(fmt.Sprint(i))
	}
	if len(in.found) != maxListed {
		t.Errorf("%d names are kept", len(in.found))
	}
}

// TestMissingNames checks that the system is not asked for a name that is not in the list of its folder. There are two
// exceptions: names by which a system may know a file that it lists by another name, and incomplete lists.
func TestMissingNames(t *testing.T) {
	in := &Input{folder: t.TempDir()}
	_, first := in.FindBeside("first.png")
	if _, err := in.FindBeside("x.png"); err == nil || err.Error() != first.Error() {
		t.Errorf("%v, then %v", first, err)
	}
	in.closeFolder()
	folder := counting{fstest.MapFS{"a.png": {}, "b/c.png": {}}, map[string]int{}, map[string]int{}}
	for i := range maxListed {
		folder.MapFS[fmt.Sprintf("many/%d", i)] = &fstest.MapFile{}
	}
	for name, stats := range map[string]int{"x.png": 0, "b/x.png": 0, "A.png": 1, "TEXTUR~1.PNG": 1, "caf\u00e9.png": 1, "many/x": 1, "no/x.png": 1} {
		in := &Input{Options: scenes.ReadOptions{Beside: folder}}
		in.FindBeside(path.Dir(name) + "/first.png") // makes FindBeside list the folder
		clear(folder.stats)
		if found, err := in.FindBeside(name); (found == "a.png") != (name == "A.png") || (found == "") != errors.Is(err, fs.ErrNotExist) || folder.stats[name] != stats {
			t.Errorf("%s: %q, %v, %d looks", name, found, err, folder.stats[name])
		}
	}
}

// TestFolderIsClosed checks that the folder of a mesh is opened once and closed after the read.
func TestFolderIsClosed(t *testing.T) {
	in := &Input{folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(in.folder, "a.mtl"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.mtl", "A.mtl"} {
		if got := readBeside(t, in, name); got != "a" {
			t.Error(got)
		}
	}
	root := in.root
	in.closeFolder()
	if _, err := root.Stat("a.mtl"); err == nil || in.root != nil {
		t.Error("the folder is open")
	}
	in.closeFolder()
	if got := readBeside(t, in, "a.mtl"); got != "a" {
		t.Error(got)
	}
	in.closeFolder()
}

// TestOnce checks that a function is called once per key.
func TestOnce(t *testing.T) {
	type key struct{ i int }
	in, calls := new(Input), 0
	for i := range 6 {
		if got := Once(in, key{i % 2}, func() int { calls++; return 10 + calls }); got != 11+i%2 {
			t.Errorf("%d: %d", i, got)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
