package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
)

// TestPrepare checks that a prepared mesh has the same pictures as the mesh itself, with many flags.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "convert", "scene:gear?teeth=8&triangles=1000", "gear.ply").Want(t, cli.Done)
	run(t, dir, "", "prepare", "gear.ply").Want(t, cli.Done)
	for _, args := range []string{
		"", "--fast", "--shading flat", "--crease 20", "--light headlight", "--zoom 3 --samples 1", "--color red --material metal", "--color facing",
		"--projection orthographic --view top", "--section z=0", "--edges", "--clip-box 0,0,0,1,1,1", "--crop 40,30,50x40", "--background none --no-ground",
		"--contact-sheet 4", "--add scene:cube", "--against scene:cube", "--occlusion off --samples 16", "--max-memory 3M --isa generic --workers 1", "--bounds --scale-bar",
	} {
		draw := func(mesh string) image.Image {
			run(t, dir, "", append(strings.Fields(args), mesh, "-s", "160x120", "-o", mesh+".png")...).Want(t, cli.Done)
			return pictureFile(t, dir, mesh+".png")
		}
		if !samePixels(draw("gear.ply"), draw("gear.lkm")) {
			t.Errorf("%s: the pictures differ", args)
		}
	}
	for _, output := range []string{"film", "film.png"} {
		run(t, dir, "", "animate", "--turntable", "--frames", "3", "gear.lkm", "-s", "80", "-o", output).Want(t, cli.Done)
	}
	for _, name := range []string{"gear.ply", "gear.lkm"} {
		run(t, dir, "", "convert", name, name+".stl").Want(t, cli.Done)
	}
	if string(clitest.Read(t, filepath.Join(dir, "gear.ply.stl"))) != string(clitest.Read(t, filepath.Join(dir, "gear.lkm.stl"))) {
		t.Error("the converted meshes differ")
	}
	r := run(t, dir, "", "info", "gear.lkm")
	if r.Want(t, cli.Done); !strings.Contains(r.Stdout, "format     prepared\n") || !strings.Contains(r.Stdout, "triangles  1280") {
		t.Error(r.Stdout)
	}
}

// TestPrepareNumbers checks that a prepared mesh with a field, and one with colours of vertices, have the same pictures
// as the mesh itself.
func TestPrepareNumbers(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	var colored strings.Builder
	colored.WriteString("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n")
	colored.WriteString("element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0 255 0 0\n1 0 0 0 255 0\n1 0 1 0 0 255\n0 0 1 255 255 255\n3 0 1 2\n3 0 2 3\n")
	clitest.Write(t, filepath.Join(dir, "colored.ply"), colored.String())
	for _, name := range []string{"wave", "colored"} {
		run(t, dir, "", "prepare", name+".ply").Want(t, cli.Done)
		for _, args := range []string{"", "--fast", "--field height --legend", "--color red"} {
			if name == "colored" && strings.Contains(args, "--field") {
				continue
			}
			draw := func(mesh string) image.Image {
				run(t, dir, "", append(strings.Fields(args), mesh, "-s", "160x120", "-o", "a.png")...).Want(t, cli.Done)
				return pictureFile(t, dir, "a.png")
			}
			if !samePixels(draw(name+".ply"), draw(name+".lkm")) {
				t.Errorf("%s %s: the pictures differ", name, args)
			}
		}
	}
}

// TestPrepareAgain checks that the prepared file does not depend on the number of workers, and that a prepared mesh
// can be prepared again.
func TestPrepareAgain(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "prepare", "scene:knot?triangles=3000", "-o", "a.lkm", "--workers", "1", "--up", "y").Want(t, cli.Done)
	run(t, dir, "", "prepare", "scene:knot?triangles=3000", "-o", "b.lkm", "--workers", "3", "--up", "y").Want(t, cli.Done)
	run(t, dir, "", "prepare", "a.lkm", "-o", "c.lkm").Want(t, cli.Done)
	if r := run(t, dir, "", "prepare", "scene:knot?triangles=3000:up=y", "-o", "-"); r.Code != 0 || r.Stdout != string(clitest.Read(t, filepath.Join(dir, "a.lkm"))) {
		t.Error("other bytes through a pipe", r.Stderr)
	}
	for _, name := range []string{"b.lkm", "c.lkm"} {
		if string(clitest.Read(t, filepath.Join(dir, name))) != string(clitest.Read(t, filepath.Join(dir, "a.lkm"))) {
			t.Errorf("%s is another file", name)
		}
	}
	if r := run(t, dir, "", "info", "a.lkm"); !strings.Contains(r.Stdout, "up         y\n") {
		t.Error(r.Stdout)
	}
	run(t, dir, string(clitest.Read(t, filepath.Join(dir, "a.lkm"))), "info", "-").Want(t, cli.Done)
}

// TestPrepareFlat checks that a mesh without normals is shaded flat, with a warning unless a flag asks for it.
func TestPrepareFlat(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "prepare", "scene:knot?triangles=3000", "-o", "a.lkm", "--flat-normals").Want(t, cli.Done)
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "a.png").Want(t, cli.Done, "shaded flat: it was prepared without normals")
	const most = "--max-memory 150k" // this is less than the mesh needs
	run(t, dir, "", strings.Fields("prepare scene:knot?triangles=5000 -o b.lkm "+most)...).Want(t, cli.Usage, "expected --flat-normals")
	run(t, dir, "", strings.Fields("prepare scene:knot?triangles=5000 -o b.lkm --flat-normals --up x "+most)...).Want(t, cli.Done)
	run(t, dir, "", strings.Fields("prepare scene:knot?triangles=5000 -o c.lkm --flat-normals --up x")...).Want(t, cli.Done)
	if string(clitest.Read(t, filepath.Join(dir, "b.lkm"))) != string(clitest.Read(t, filepath.Join(dir, "c.lkm"))) {
		t.Error("a mesh that is not in memory gives another file")
	}
	if names, _ := filepath.Glob(filepath.Join(dir, ".*")); len(names) > 0 {
		t.Errorf("%q are left", names)
	}
	for _, mesh := range []string{"a.lkm", "scene:knot?triangles=3000"} {
		if r := run(t, dir, "", mesh, "-s", "100", "-o", mesh[:1]+".png", "--shading", "flat"); r.Stderr != "" {
			t.Error(r.Stderr)
		}
	}
	if !samePixels(pictureFile(t, dir, "a.png"), pictureFile(t, dir, "s.png")) {
		t.Error("the pictures differ")
	}
}

// TestPrepareDamaged checks that the intact part of a damaged file is drawn with a warning, and that --strict refuses
// it.
func TestPrepareDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.lkm")
	run(t, dir, "", "prepare", "scene:bumpy?triangles=20000", "-o", "a.lkm").Want(t, cli.Done)
	data := clitest.Read(t, path)
	data[200_000] ^= 1 // a byte in the section of leaves
	data[1_100_000] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "a.png").Want(t, cli.Done, "a.lkm: byte ", "its triangles are left out")
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "b.png", "--fast").Want(t, cli.Done, "a.lkm: byte ", "of leaves is wrong")
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "c.png", "--strict").Want(t, cli.Input, "a.lkm: byte ", "is wrong")
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "c.png", "--edges").Want(t, cli.Done, "of records is wrong")
	run(t, dir, "", "info", "a.lkm", "--strict").Want(t, cli.Input, "is wrong")
	if err := os.WriteFile(path, data[:900_000], 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", "a.lkm", "-s", "100", "-o", "c.png").Want(t, cli.Input, "a.lkm: byte 900000: the file is cut off in section")
	for args, want := range map[string]string{
		"prepare -": "expected -o FILE.lkm", "prepare scene:cube": "expected -o FILE.lkm", "prepare scene:cube -o a.lkm --crease 0": "--crease 0",
		"prepare none.stl": "none.stl", "prepare a.png": "a.png", "prepare a.lkm -o a.lkm": "a.lkm",
	} {
		if r := run(t, dir, "", strings.Fields(args)...); r.Code == 0 || !strings.Contains(r.Stderr, want) {
			t.Errorf("%s: %d, %s", args, r.Code, r.Stderr)
		}
	}
}

// TestPrepareDamagedGroups damages the bounds and counts of groups in a file. The picture must be the same, with a
// warning. --strict refuses the file.
func TestPrepareDamagedGroups(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.lkm")
	run(t, dir, "", "prepare", "scene:bumpy?triangles=20000", "-o", "a.lkm").Want(t, cli.Done)
	draw := []string{"a.lkm", "-s", "100", "-o"}
	run(t, dir, "", append(draw, "a.png")...).Want(t, cli.Done)
	data := clitest.Read(t, path)
	text := string(data[:4096])
	triangles, sums := 0, int(binary.LittleEndian.Uint64(data[24:]))
	if _, err := fmt.Sscanf(text[strings.Index(text, `"triangles":`):], `"triangles":%d`, &triangles); err != nil {
		t.Fatal(err)
	}
	counts := len(data) - 4*(sums+1) - 4*triangles - 4
	for name, at := range map[string]int{"counts": counts, "bounds": counts - 4*((triangles+63)/64+3)/4 - 100} {
		bad := slices.Clone(data)
		bad[at] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "", append(draw, "b.png")...).Want(t, cli.Done, "of "+name+" is wrong: each picture reads all triangles")
		if !samePixels(pictureFile(t, dir, "a.png"), pictureFile(t, dir, "b.png")) {
			t.Errorf("%s: the pictures differ", name)
		}
		run(t, dir, "", append(draw, "b.png", "--fast")...).Want(t, cli.Done, "of "+name+" is wrong: each picture reads all triangles")
		run(t, dir, "", append(draw, "c.png", "--strict")...).Want(t, cli.Input, "of "+name+" is wrong")
		run(t, dir, "", "convert", "a.lkm", "a.stl").Want(t, cli.Done)
	}
}

// TestSortingMemory checks that sorting stays within the memory that the user and the system allow.
func TestSortingMemory(t *testing.T) {
	const beside = fixedSortingBytes + 2*budget.ReaderBytes + 1<<20
	for _, c := range []struct {
		user int64
		left budget.Account
		want int64
	}{
		{0, budget.Account{}, prepared.SourceMemory},
		{0, budget.Account{Memory: 64 << 30}, prepared.SourceMemory},
		{100 << 20, budget.Account{Memory: 64 << 30}, 50 << 20},
		{4 << 30, budget.Account{}, 2 << 30},
		{4 << 30, budget.Account{Memory: beside + 80<<20}, 40 << 20},
		{0, budget.Account{Memory: beside + 80<<20, Limited: true, Space: beside + 60<<20}, 30 << 20},
		{0, budget.Account{Memory: 1}, 1},
		{0, budget.Account{Limited: true, Space: -5}, 1},
	} {
		command := prepareCommand{Workers: 2}
		command.MaxMemory = pictureflags.Bytes(c.user)
		if got := command.sortingMemory(&c.left, 1<<20); got != c.want {
			t.Errorf("limit %d, %+v: %d, want %d", c.user, c.left, got, c.want)
		}
	}
}

// TestReadingAccount checks that a part of the memory is left for writing the mesh: 56 bytes per triangle, and 60 bytes
// more per triangle for normals.
func TestReadingAccount(t *testing.T) {
	one := render.Options{Width: 1, Height: 1, Workers: 2}
	for flat, all := range map[bool]int64{true: 36 + 56, false: 36 + 56 + 60} {
		command := prepareCommand{FlatNormals: flat}
		for memory, want := range map[int64]int64{1000 * all: 36_000, 1: 1, 0: 0} {
			if got := command.readingAccount(budget.Account{Memory: memory}, one).Memory; got != want {
				t.Errorf("flat %t, %d bytes: %d for the mesh, want %d", flat, memory, got, want)
			}
		}
		// The mesh may take a part of the address space that is left after arenas, the runtime and a picture.
		of := func(space int64) int64 {
			account := command.readingAccount(budget.Account{Limited: true, Space: space}, one)
			var opts scenes.ReadOptions
			account.LimitMesh(&opts, one)
			return opts.MaxMemory
		}
		none := budget.Account{Limited: true}
		var opts scenes.ReadOptions
		aside := none.LimitMesh(&opts, one).Have // a negative number
		for space, want := range map[int64]int64{1000*all - aside: 36_000, 1_000_000*all - aside: 36_000_000, -aside: 1, 5: 1, -5: 1} {
			if got := of(space); got != want {
				t.Errorf("flat %t, %d bytes of addresses: %d for the mesh, want %d", flat, space, got, want)
			}
		}
	}
}

// TestPrepareKeepsAll checks that one line lists the data of a mesh that are missing in the prepared file for lack of
// memory. With --strict, the command must fail instead.
func TestPrepareKeepsAll(t *testing.T) {
	dir := t.TempDir()
	var obj strings.Builder
	for i := range 3000 {
		if i%1500 == 0 {
			fmt.Fprintf(&obj, "o part%d\n", i/1500)
		}
		fmt.Fprintf(&obj, "v %d 0 0 1 0 0\nv %d 1 0 0 1 0\nv %d 0 1 0 0 1\nf -3 -2 -1\n", i, i, i)
	}
	clitest.Write(t, filepath.Join(dir, "a.obj"), obj.String())
	run(t, dir, "", "prepare", "a.obj", "--flat-normals").Want(t, cli.Done)
	small := strings.Fields("prepare a.lkm -o b.lkm --flat-normals --max-memory 150k")
	const lost = "does not keep names of parts, colours of vertices"
	r := run(t, dir, "", small...)
	if r.Want(t, cli.Done, "render: warning: a.lkm: ", lost); strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("not one line: %s", r.Stderr)
	}
	run(t, dir, "", append(small, "--strict", "-o", "c.lkm")...).Want(t, cli.Input, lost)
	if _, err := os.Stat(filepath.Join(dir, "c.lkm")); err == nil {
		t.Error("a refused mesh was written")
	}
	r = run(t, dir, "", append(small[:len(small)-2:len(small)-2], "--strict")...)
	if r.Want(t, cli.Done); r.Stderr != "" {
		t.Errorf("all is kept with memory: %s", r.Stderr)
	}
	run(t, dir, "", append(strings.Fields("convert a.lkm a.stl --max-memory 150k"), "--to", "stl")...).Want(t, cli.Done, "names of parts", "colours of vertices")
}
