package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
)

// The function middle returns the mean column of the pixels that differ from the background, and their number.
func middle(t *testing.T, name string) (column, count int) {
	t.Helper()
	m := picture(t, clitest.Read(t, name))
	ground := m.At(0, 0)
	sum := 0
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if m.At(x, y) != ground {
				sum, count = sum+x, count+1
			}
		}
	}
	return sum / max(count, 1), count
}

// TestSeries draws files with a cube that is further to the right in each file. In the film it must move to the
// right, and the camera must stay.
func TestSeries(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for k := range 4 {
		name := fmt.Sprintf("c%d.stl", k)
		clitest.Write(t, filepath.Join(dir, name), clitest.STL(clitest.Cube([3]float32{float32(1000 + 3*k), 0, 0}, 1)))
		names = append(names, name)
	}
	args := append([]string{"animate", "-s", "120x60", "--view", "front", "--background", "white", "--no-ground", "-o"}, "out")
	run(t, dir, "", append(args, names...)...).Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "out"), "c0_0000.png", "c0_0001.png", "c0_0002.png", "c0_0003.png")
	last, camera := 0, ""
	for k, name := range clitest.Files(t, filepath.Join(dir, "out")) {
		path := filepath.Join(dir, "out", name)
		at, n := middle(t, path)
		if at < last+15 || n < 100 {
			t.Errorf("frame %d: %d pixels around column %d, the frame before around %d", k, n, at, last)
		}
		text := texts(t, clitest.Read(t, path))
		if k > 0 && text["Camera"] != camera || text["Source"] != names[k] {
			t.Errorf("frame %d: of %s by camera %s, before %s", k, text["Source"], text["Camera"], camera)
		}
		last, camera = at, text["Camera"]
	}
	// Frames are the same if meshes are read again for lack of memory. Each mesh has two frames.
	for _, out := range []string{"kept", "again"} {
		more := []string{"--frames", "8", "--turntable", "--max-memory", map[string]string{"kept": "1G", "again": "1K"}[out]}
		if out == "again" {
			more[4] = "1000" // two of the meshes need more than 1000 bytes
		}
		args[len(args)-1] = out
		run(t, dir, "", append(append(args, names...), more...)...).Want(t, cli.Done)
	}
	for _, name := range clitest.Files(t, filepath.Join(dir, "kept")) {
		if a, b := clitest.Read(t, filepath.Join(dir, "kept", name)), clitest.Read(t, filepath.Join(dir, "again", name)); string(a) != string(b) {
			t.Errorf("%s differs where meshes are read again", name)
		}
	}
	clitest.Write(t, filepath.Join(dir, "bad.stl"), "solid\nfacet")
	run(t, dir, "", "animate", "c0.stl", "bad.stl", "-s", "16", "-o", "none").Want(t, cli.Input, "bad.stl")
	run(t, dir, "", "animate", "c0.stl", "c1.stl", "--fit", "tight", "-s", "16", "-o", "none").Want(t, cli.Usage, "--fit tight")
	run(t, dir, "", "animate", "c0.stl", "c1.stl", "-s", "16", "-o", "c1.stl").Want(t, cli.Output, "c1.stl")
}

// TestSeriesGlass checks which meshes stay in memory between frames if they are of glass. The picture behind glass
// takes as much memory as there is room for. It counts once, for the first mesh of glass.
func TestSeriesGlass(t *testing.T) {
	solid, glass := new(input), new(input)
	solid.Source = &scenes.Mesh{Attributes: &scenes.Attributes{Materials: []scenes.Material{{}}}}
	glass.Source = &scenes.Mesh{Attributes: &scenes.Attributes{Materials: []scenes.Material{{Finish: &scenes.Finish{Transmission: 1, Thickness: 1}}}}}
	solid.Held, glass.Held = 1, 1
	options := render.Options{Width: 1000, Height: 1000}.Studio()
	behind := footprint.Behind(options, glass.Source.Info().Attributes)
	for _, c := range []struct {
		first *input
		more  []*input
		room  int64
		kept  int // number of meshes after the first that are kept
	}{
		{solid, []*input{solid, solid}, 2, 2},
		{solid, []*input{solid, solid}, 1, 1},
		{solid, []*input{solid, glass, glass}, 3, 1},
		{solid, []*input{solid, glass, glass}, behind + 3, 3},
		{glass, []*input{solid, glass}, behind + 2, 2},
		{glass, []*input{solid, glass}, behind + 1, 1},
		{glass, []*input{solid}, behind, 0},
	} {
		s := &series{options: options, meshes: []*input{c.first}}
		s.setRoom(c.room)
		kept := 0
		for _, in := range c.more {
			if s.mayKeep(in) {
				kept++
			}
		}
		if kept != c.kept {
			t.Errorf("room for %d bytes: %d meshes are kept, want %d", c.room, kept, c.kept)
		}
	}
}

// TestSeriesField checks that a colour stands for the same number in all frames.
func TestSeriesField(t *testing.T) {
	dir := t.TempDir()
	for k, values := range [][3]int{{0, 1, 1}, {1, 1, 2}} {
		text := "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float q\n" +
			"element face 1\nproperty list uchar int vertex_indices\nend_header\n" +
			fmt.Sprintf("0 0 0 %d\n1 0 0 %d\n0 0 1 %d\n3 0 1 2\n", values[0], values[1], values[2])
		clitest.Write(t, filepath.Join(dir, fmt.Sprintf("%d.ply", k)), text)
	}
	args := []string{"animate", "0.ply", "1.ply", "-s", "40", "--view", "front", "--field", "q", "-o"}
	run(t, dir, "", append(args, "free")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "given", "--range", "0,2")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "other", "--range", "0,1")...).Want(t, cli.Done)
	frames := func(folder string) (all string) {
		for _, name := range clitest.Files(t, filepath.Join(dir, folder)) {
			all += fmtPixels(t, string(clitest.Read(t, filepath.Join(dir, folder, name))))
		}
		return all
	}
	if frames("free") != frames("given") || frames("free") == frames("other") {
		t.Error("the range of the colours is not that of both meshes")
	}
}

// TestOrbit checks that an orbit begins at --view and sees the mesh from below after half a turn.
func TestOrbit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", "animate", mesh, "--orbit", "--frames", "4", "-s", "60", "--view", "10,40", "-o", "out").Want(t, cli.Done)
	for k, view := range []string{"10,40", "100,", "190,-40", "-80,"} {
		text := texts(t, clitest.Read(t, filepath.Join(dir, "out", clitest.Files(t, filepath.Join(dir, "out"))[k])))["Camera"]
		if !strings.Contains(text, " view="+view) {
			t.Errorf("frame %d: %s, want view=%s", k, text, view)
		}
	}
	run(t, dir, "", "animate", mesh, "--orbit", "--frames", "4", "-s", "60", "--view", "top", "-o", "none").Want(t, cli.Usage, "--orbit")
	run(t, dir, "", "animate", mesh, "--orbit", "--frames", "4", "-s", "60", "--eye", "1,2,3", "-o", "none").Want(t, cli.Usage, "--orbit")
}

// TestSeriesOrigins draws meshes far from the origin. Each mesh is read relative to another origin. The meshes must
// still move in the film.
func TestSeriesOrigins(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "-s", "120x60", "--view", "front", "--background", "white", "--no-ground", "-o", "out"}
	for k := range 3 {
		x := 500000.1234567 + 3*float64(k)
		text := fmt.Sprintf("v %.7f 0 0\nv %.7f 0 0\nv %.7f 1 1\nf 1 2 3\n", x, x+1, x+0.5)
		args = append(args, fmt.Sprintf("%d.obj", k))
		clitest.Write(t, filepath.Join(dir, args[len(args)-1]), text)
	}
	run(t, dir, "", append(args, "--up", "z")...).Want(t, cli.Done)
	last := 0
	for k, name := range clitest.Files(t, filepath.Join(dir, "out")) {
		at, n := middle(t, filepath.Join(dir, "out", name))
		if at < last+15 || n < 20 {
			t.Errorf("frame %d: %d pixels around column %d, the frame before around %d", k, n, at, last)
		}
		last = at
	}
}

// TestSeriesOnOneGround checks that the shadow of a mesh that rises stays on the ground under the first mesh.
func TestSeriesOnOneGround(t *testing.T) {
	dir := t.TempDir()
	for k, name := range []string{"a.stl", "b.stl"} {
		clitest.Write(t, filepath.Join(dir, name), clitest.STL(clitest.Cube([3]float32{0, 0, float32(2 * k)}, 1)))
	}
	for up, standing := range map[string]int{"z": 0, "-z": 1} {
		run(t, dir, "", "animate", "a.stl", "b.stl", "-s", "100x150", "--view", "0,30", "--up="+up, "--background", "white", "-o", "out"+up).Want(t, cli.Done)
		var lowest [2]int
		for i, name := range clitest.Files(t, filepath.Join(dir, "out"+up)) {
			m := picture(t, clitest.Read(t, filepath.Join(dir, "out"+up, name)))
			for y := range m.Bounds().Dy() {
				if r, _, _, _ := m.At(50, y).RGBA(); r < 0xf000 {
					lowest[i] = y
				}
			}
		}
		if stands, rises := lowest[standing], lowest[1-standing]; rises > stands+5 || rises < stands-20 {
			t.Errorf("up %s: dark down to row %d, of the mesh in the air to row %d", up, stands, rises)
		}
	}
}
