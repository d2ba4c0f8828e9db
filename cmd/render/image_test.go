package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
	"lockstep/vp/isa"
)

// picture decodes a PNG file with the standard library.
func picture(t *testing.T, data []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("not a PNG file: %v", err)
	}
	return m
}

// fmtPixels returns the pixels of a PNG file as text that can be compared.
func fmtPixels(t *testing.T, data string) string {
	t.Helper()
	m := picture(t, []byte(data))
	return fmt.Sprint(m.Bounds(), covered(m), m)
}

// covered counts the pixels that are not fully transparent.
func covered(m image.Image) (n int) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := m.At(x, y).RGBA(); a > 0 {
				n++
			}
		}
	}
	return n
}

func TestDefaultOutput(t *testing.T) {
	for _, c := range []struct{ mesh, want string }{
		{"plain.stl", "plain.png"},
		{"two.dots.STL", "two.dots.png"},
		{"bare", "bare.png"},
		{".stl", ".stl.png"},
		{"white space.stl", "white space.png"},
	} {
		dir, sub := t.TempDir(), t.TempDir()
		path := filepath.Join(sub, c.mesh)
		clitest.Write(t, path, clitest.STL(clitest.Cube([3]float32{}, 1)))
		run(t, dir, "", path, "-s", "16").Want(t, cli.Done)
		clitest.WantFiles(t, dir, c.want)
		clitest.WantFiles(t, sub, c.mesh)
	}
	dir := t.TempDir()
	run(t, dir, "", "scene:sphere?triangles=100", "-s", "16").Want(t, cli.Done)
	clitest.WantFiles(t, dir, "sphere.png")
	run(t, dir, "", "./-", "-s", "16").Want(t, cli.Input)
}

func TestSizeAndColours(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct {
		args string
		size image.Point
	}{
		{"", image.Pt(1920, 1080)},
		{"-s 30x20", image.Pt(30, 20)},
		{"-s 30,20", image.Pt(30, 20)},
		{"-s 25", image.Pt(25, 25)},
		{"-s 1x1 --zoom 5", image.Pt(1, 1)},
	} {
		args := append(strings.Fields(c.args), mesh, "-o", "-")
		r := run(t, dir, "", args...)
		r.Want(t, cli.Done)
		if got := picture(t, []byte(r.Stdout)).Bounds().Size(); got != c.size {
			t.Errorf("%s: size %v, want %v", c.args, got, c.size)
		}
	}
	// A face that the camera sees straight from the front has its base colour, because the light is at the eye.
	r := run(t, dir, "", plainly(mesh, "-s", "33", "--view", "front", "--projection", "orthographic", "--color", "#2040ff", "--background", "0a0b0c", "-o", "-")...)
	m := picture(t, []byte(r.Stdout))
	for at, want := range map[image.Point]color.NRGBA{
		{X: 16, Y: 16}: {0x20, 0x40, 0xff, 0xff},
		{X: 0, Y: 0}:   {0x0a, 0x0b, 0x0c, 0xff},
	} {
		if got := color.NRGBAModel.Convert(m.At(at.X, at.Y)); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
}

// TestFraming checks that a cube in orthographic projection is a square of nine tenths of the picture's height, and
// that --zoom scales it.
func TestFraming(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct {
		args string
		want int // number of pixels
	}{
		{"-s 300x200", 180 * 180},
		{"-s 200x300", 180 * 180},
		{"-s 300x200 --zoom 0.5", 90 * 90},
		{"-s 300x200 --zoom 10", 300 * 200},
		{"-s 300x200 --samples 16", 180 * 180},
		{"-s 300x200 --cull back", 180 * 180},
		{"-s 300x200 --cull front", 180 * 180},
	} {
		for view := range recipe.Views() {
			if view == "iso" {
				continue
			}
			args := append(plainly(strings.Fields(c.args)...), "--projection", "orthographic", "--view", view, mesh, "-o", "-")
			r := run(t, dir, "", args...)
			r.Want(t, cli.Done)
			if got := covered(picture(t, []byte(r.Stdout))); got != c.want {
				t.Errorf("%s --view %s: %d pixels covered, want %d", c.args, view, got, c.want)
			}
		}
	}
}

func TestSameBytesForAnyWorkers(t *testing.T) {
	dir := t.TempDir()
	for _, scene := range []string{
		"scene:bumpy?triangles=6000 --samples 4 -s 160x100",
		"scene:cube --samples 16 -s 150x100 --view front --projection orthographic",
		"scene:soup?triangles=300&size=1 -s 151x99 --zoom 4 --background 102030",
	} {
		want := run(t, dir, "", append(strings.Fields(scene), "--workers", "1", "--isa", "generic", "-o", "-")...)
		want.Want(t, cli.Done)
		for _, workers := range []int{1, 2, 3, 8} { // package render tests the numbers between
			for _, level := range isa.Available() {
				r := run(t, dir, "", append(strings.Fields(scene), "--workers", fmt.Sprint(workers), "--isa", level.String(), "-o", "-")...)
				r.Want(t, cli.Done)
				if r.Stdout != want.Stdout {
					t.Errorf("%s: %d workers, %v: other bytes than one worker in plain Go", scene, workers, level)
				}
			}
		}
	}
}

func TestStandardInputAndOutput(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	data := string(clitest.Read(t, mesh))
	fromFile := run(t, dir, "", mesh, "-s", "64", "-o", "-")
	fromFile.Want(t, cli.Done)
	fromPipe := run(t, dir, data, "-", "-s", "64", "-o", "-")
	fromPipe.Want(t, cli.Done)
	if fmtPixels(t, fromFile.Stdout) != fmtPixels(t, fromPipe.Stdout) {
		t.Error("standard input gives another picture than the file")
	}
	cmd := command(t, dir, "-", "-s", "64", "-o", "out.png")
	f, err := os.Open(mesh)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd.Stdin = f
	finish(t, cmd).Want(t, cli.Done)
	if got := string(clitest.Read(t, filepath.Join(dir, "out.png"))); got != fromPipe.Stdout {
		t.Error("a redirected file gives other bytes than a pipe")
	}
	run(t, dir, "", "-", "-o", "x.png").Want(t, cli.Input, "standard input")
	clitest.WantFiles(t, dir, "out.png")
}

func TestNothingVisible(t *testing.T) {
	dir := t.TempDir()
	two := append(clitest.Cube([3]float32{-10, 0, 0}, 1), clitest.Cube([3]float32{10, 0, 0}, 1)...)
	for name, data := range map[string]string{
		"between.stl": clitest.STL(two),
		"points.stl":  clitest.STL([]clitest.Triangle{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}),
		"edge.stl":    clitest.STL([]clitest.Triangle{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}),
	} {
		path := filepath.Join(t.TempDir(), name)
		clitest.Write(t, path, data)
		run(t, dir, "", path, "--view", "front", "--zoom", "8", "-s", "100").Want(t, cli.Blank, name)
		r := run(t, dir, "", path, "--view", "front", "--zoom", "8", "-s", "100", "-o", "-")
		r.Want(t, cli.Blank)
		if r.Stdout != "" {
			t.Errorf("%s: wrote %d bytes", name, len(r.Stdout))
		}
	}
	clitest.WantFiles(t, dir)
}

func TestDepth(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", plainly(mesh, "-s", "120x100", "-o", "c.png", "--depth", "d.png")...).Want(t, cli.Done)
	clitest.WantFiles(t, dir, "c.png", "d.png")
	colour := picture(t, clitest.Read(t, filepath.Join(dir, "c.png")))
	data := clitest.Read(t, filepath.Join(dir, "d.png"))
	depth, ok := picture(t, data).(*image.Gray16)
	if !ok || depth.Bounds() != colour.Bounds() {
		t.Fatalf("depth is a %T of %v", picture(t, data), picture(t, data).Bounds())
	}
	least, most := uint16(65535), uint16(0)
	for y := range 100 {
		for x := range 120 {
			_, _, _, a := colour.At(x, y).RGBA()
			d := depth.Gray16At(x, y).Y
			if (a > 0) != (d > 0) {
				t.Fatalf("pixel %d,%d has alpha %d and depth %d", x, y, a, d)
			}
			if d > 0 {
				least, most = min(least, d), max(most, d)
			}
		}
	}
	if least != 1 || most != 65535 {
		t.Errorf("depths from %d to %d, want 1 to 65535", least, most)
	}
	var near, far float64
	text := texts(t, data)["Depth"]
	if n, _ := fmt.Sscanf(text, "near=%g far=%g:", &near, &far); n != 2 || !(0 < near && near < far) {
		t.Errorf("text %q gives no range", text)
	}
	// The cube's edges are 20 long, and its corners are 10 * sqrt(3) from its centre.
	if far-near > 2*17.33 || far-near < 10 {
		t.Errorf("depths from %g to %g cannot be a cube of edge 20", near, far)
	}
}

// TestFlatDepth checks the depths of a face that fills the picture: all are 1.
func TestFlatDepth(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", mesh, "-s", "20", "--view", "front", "--projection", "orthographic", "--zoom", "5", "-o", "c.png", "--depth", "d.png").Want(t, cli.Done)
	depth := picture(t, clitest.Read(t, filepath.Join(dir, "d.png"))).(*image.Gray16)
	for i := 0; i < len(depth.Pix); i += 2 {
		if depth.Pix[i] != 0 || depth.Pix[i+1] != 1 {
			t.Fatalf("depth %d of a flat picture is not 1", i/2)
		}
	}
}

func TestText(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	args := plainly(mesh, "-s", "40x30", "--view", "front", "--color", "00ff00", "--samples", "4", "-o", "-")
	r := run(t, dir, "", args...)
	got := texts(t, []byte(r.Stdout))
	for keyword, parts := range map[string][]string{
		"Software": {"Lockstep", cli.Version},
		"Source":   {"cube.stl"},
		"Recipe":   {`"file":"cube.stl"`, `"size":"40x30"`, `"color":"00ff00"`, `"light":"headlight"`, `"fit":"box"`},
		"Camera":   {"target=0,0,0", "up=0,0,1", "projection=perspective", "fov=30", "zoom=1", "view=0,0", "eye=0,-"},
	} {
		for _, part := range parts {
			if !strings.Contains(got[keyword], part) {
				t.Errorf("%s is %q and lacks %q", keyword, got[keyword], part)
			}
		}
	}
	if strings.Contains(fmt.Sprint(got), filepath.Dir(mesh)) {
		t.Errorf("the text names folders: %v", got)
	}
	if again := run(t, dir, "", args...); again.Stdout != r.Stdout {
		t.Error("two runs give other bytes")
	}
}
