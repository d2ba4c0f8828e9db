package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// colourType returns the colour type in a PNG file's header.
func colourType(t *testing.T, data []byte) byte {
	t.Helper()
	if len(data) < 26 {
		t.Fatal("not a PNG file")
	}
	return data[25]
}

// TestChannels checks that the number of channels of a picture does not depend on its contents. All frames of an
// animation must have the same channels, even if the mesh fills only some of the frames.
func TestChannels(t *testing.T) {
	const rgb, rgba = 2, 6
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct {
		background string
		want       byte
	}{{"none", rgba}, {"336699", rgb}} {
		for _, zoom := range []string{"1", "10"} { // with zoom 10, the cube fills the picture
			args := []string{mesh, "-s", "32", "--view", "front", "--zoom", zoom, "--background", c.background, "-o"}
			r := run(t, dir, "", append(args, "-")...)
			if got := colourType(t, []byte(r.Stdout)); got != c.want {
				t.Errorf("background %s, zoom %s: colour type %d, want %d", c.background, zoom, got, c.want)
			}
			run(t, dir, "", append([]string{"animate", "--turntable", "--frames", "1"}, append(args, "out")...)...).Want(t, cli.Done)
			if got := colourType(t, clitest.Read(t, filepath.Join(dir, "out", "cube_0000.png"))); got != c.want {
				t.Errorf("animate: background %s, zoom %s: colour type %d, want %d", c.background, zoom, got, c.want)
			}
		}
	}
}

// TestNamesThatAreNoUTF8 checks that a name may consist of any bytes.
func TestNamesThatAreNoUTF8(t *testing.T) {
	dir := t.TempDir()
	name := "caf\xe9 \xff.stl"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(clitest.STL(clitest.Cube([3]float32{}, 1))), 0o644); err != nil {
		t.Skip(err) // the file system refuses names that are not Unicode
	}
	run(t, dir, "", name, "-s", "16").Want(t, cli.Done)
	picture(t, clitest.Read(t, filepath.Join(dir, "caf\xe9 \xff.png")))
	run(t, dir, "", "image", "-s", "16", "-o", "\xfe.png", "--", name).Want(t, cli.Done)
	run(t, dir, "", "animate", "--turntable", "--frames", "1", "-s", "16", "-o", ".", name).Want(t, cli.Done)
	run(t, dir, "", "info", name).Want(t, cli.Done)
	clitest.WantFiles(t, dir, "caf\xe9 \xff.png", name, "caf\xe9 \xff_0000.png", "\xfe.png")
}

// The function point returns a position from the text of a picture about its camera.
func point(t *testing.T, camera, name string) (p [3]float64) {
	t.Helper()
	_, rest, ok := strings.Cut(" "+camera, " "+name+"=")
	list, _, _ := strings.Cut(rest, " ")
	parts := strings.Split(list, ",")
	if !ok || len(parts) != 3 {
		t.Fatalf("no %s in %q", name, camera)
	}
	for axis, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			t.Fatal(err)
		}
		p[axis] = v
	}
	return p
}

// TestCameraTextFarAway checks that the distance of the eye from its target is the same for a mesh far from the
// origin.
func TestCameraTextFarAway(t *testing.T) {
	dir := t.TempDir()
	distance := [2][3]float64{}
	for i, far := range []float32{0, 1 << 40} {
		// The edges of the cube are 2^18 long. At this distance, a float32 has only a few bits for the position along an
		// edge.
		clitest.Write(t, filepath.Join(dir, "m.stl"), clitest.STL(clitest.Cube([3]float32{far, -far, far}, 1<<17)))
		r := run(t, dir, "", "m.stl", "-s", "16", "--fit", "box", "-o", "-")
		r.Want(t, cli.Done)
		camera := texts(t, []byte(r.Stdout))["Camera"]
		eye, target := point(t, camera, "eye"), point(t, camera, "target")
		if want := [3]float64{float64(far), -float64(far), float64(far)}; target != want {
			t.Errorf("target %v, want %v", target, want)
		}
		for axis := range 3 {
			distance[i][axis] = eye[axis] - target[axis]
		}
	}
	for axis := range 3 {
		// A float64 near 2^40 is rounded by at most 2^-13.
		if d := distance[1][axis] - distance[0][axis]; !(-0.001 < d && d < 0.001) {
			t.Errorf("the eye is at %v from the target, near the origin at %v", distance[1], distance[0])
		}
	}
}

// TestStandardInputHasOneName checks that all messages use the same name for standard input.
func TestStandardInputHasOneName(t *testing.T) {
	dir := t.TempDir()
	whole := clitest.STL(clitest.Cube([3]float32{}, 1))
	for _, c := range []struct {
		stdin string
		want  cli.Code
		args  string
	}{
		{"", cli.Input, "- -o o.png"},
		{"no mesh", cli.Input, "info -"},
		{whole[:len(whole)-20], cli.Input, "- --strict -o o.png"},
		{whole[:len(whole)-20], cli.Done, "- -s 16 -o o.png"},
		{whole, cli.Blank, "- -s 16 --zoom 1e-5 -o o.png"},
		{clitest.STL(nil), cli.Blank, "- -o o.png"},
		{whole, cli.Usage, "-"},
		{whole, cli.Done, "- -s 16 -o o.png --stats text"},
	} {
		r := run(t, dir, c.stdin, strings.Fields(c.args)...)
		r.Want(t, c.want, "standard input")
		if strings.Contains(r.Stderr, ": -: ") || strings.Contains(r.Stderr, "render: - ") {
			t.Errorf("%q: %s", c.args, r.Stderr)
		}
	}
	r := run(t, dir, whole, "-", "-s", "16", "-o", "o.png", "--stats", "json")
	if s := parseStats(t, r.Stderr); s.Mesh.Path != "-" {
		t.Errorf("mesh.path is %q: want it as given", s.Mesh.Path)
	}
	r = run(t, dir, whole, "info", "-")
	if !strings.Contains(r.Stdout, "standard input") {
		t.Errorf("info: %s", r.Stdout)
	}
}

// TestStatsOfBlankPictures checks that statistics are printed for a blank picture too, before the line about it.
func TestStatsOfBlankPictures(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "empty.stl"), clitest.STL(nil))
	nan := float32(math.NaN())
	bad := clitest.Triangle{{nan, nan, nan}, {nan, nan, nan}, {nan, nan, nan}}
	clitest.Write(t, filepath.Join(dir, "nan.stl"), clitest.STL([]clitest.Triangle{bad, bad}))
	for _, c := range []struct {
		args      string
		triangles int64
		frames    int // -1 for a picture
	}{
		{"MESH --zoom 1e-5", 12, -1},
		{"empty.stl", 0, -1},
		{"nan.stl", 2, -1},
		{"animate MESH --turntable --frames 3 --zoom 1e-5", 12, 3},
		{"animate empty.stl --turntable --frames 3", 0, 0},
		{"animate nan.stl --turntable --frames 3", 2, 0},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "MESH", mesh))
		output := "o_#.png"
		if !strings.HasPrefix(c.args, "animate") {
			output = "o.png"
		}
		r := run(t, dir, "", append(args, "-s", "16", "-o", output, "--quiet", "--stats", "json")...)
		want := cli.Blank
		if strings.Contains(c.args, "nan.stl") { // the file is damaged too
			want = cli.Input
		}
		r.Want(t, want)
		lines := strings.Split(r.Stderr, "\n")
		if len(lines) != 3 {
			t.Fatalf("%s: want the object and one line: %q", c.args, r.Stderr)
		}
		var s statistics
		if err := json.Unmarshal([]byte(lines[0]), &s); err != nil {
			t.Fatalf("%s: %v: %q", c.args, err, r.Stderr)
		}
		frames := -1
		if s.Frames != nil {
			frames = *s.Frames
		}
		got := fmt.Sprint(s.Mesh.Triangles, s.Image.Covered, frames)
		if want := fmt.Sprint(c.triangles, 0, c.frames); got != want {
			t.Errorf("%s: triangles, covered pixels and frames %s, want %s", c.args, got, want)
		}
		pictures := int64(max(frames, -frames)) // 1 for an image
		if x := s.Triangles; x.In != pictures*c.triangles || x.In != pictures*s.Mesh.Dropped+x.Culled+x.Drawn {
			t.Errorf("%s: triangles %+v, %d dropped", c.args, x, s.Mesh.Dropped)
		}
		if l := s.Balance.Loops; len(l) != 2 || l[0].Name != "scan" || l[1].Name != "zbuffer" {
			t.Errorf("%s: loops %+v", c.args, l)
		}
	}
	clitest.WantFiles(t, dir, "empty.stl", "nan.stl")
}
