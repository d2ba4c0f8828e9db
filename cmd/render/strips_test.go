package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestBands draws pictures in bands because the memory does not suffice for whole pictures. The files must be the same,
// for all looks and all types of lines.
func TestBands(t *testing.T) {
	dir := t.TempDir()
	for i, c := range [][2]string{ // flags, and memory that suffices for most bands of the picture
		{"-o a.png --samples 4", "3M"},
		{"-o a.png --small --background none --samples 16", "9M"},
		{"-o a.tif --background none --samples 4", "3M"},
		{"-o a.tif --fast", "500K"},
		{"-o a.png --light headlight", "500K"},
		{"-o a.png --edges --wireframe --axes --bounds --scale-bar --label bands --ground --samples 4", "4M"},
		{"-o a.png --projection orthographic --edges --section z=0.1 --crop 40,30,190x301 --samples 4", "3M"},
		{"-o a.png --color facing --occlusion off --samples 4", "1M"},
	} {
		args := append([]string{"scene:gear?triangles=3000", "-s", "260x400"}, strings.Fields(c[0])...)
		whole, banded := filepath.Join(dir, fmt.Sprint(i)), filepath.Join(dir, fmt.Sprint(i, "bands"))
		for _, folder := range []string{whole, banded} {
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		run(t, whole, "", args...).Want(t, cli.Done)
		name := clitest.Files(t, whole)[0]
		for _, workers := range []string{"1", "2"} {
			run(t, banded, "", append(args, "--max-memory", c[1], "--workers", workers)...).Want(t, cli.Done)
			if !bytes.Equal(clitest.Read(t, filepath.Join(whole, name)), clitest.Read(t, filepath.Join(banded, name))) {
				t.Errorf("%s, %s workers: another file", c[0], workers)
			}
		}
	}
	run(t, dir, "", "scene:gear?triangles=3000", "--max-memory", "400K").Want(t, cli.Usage, "the picture needs at least", "in bands of 16 rows")
}

// TestWiderThanRenderer draws a picture that is too wide for one renderer.
func TestWiderThanRenderer(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", mesh, "--fast", "-s", "33000x40", "--view", "front", "-o", "wide.png", "--quiet").Want(t, cli.Done)
	pic := picture(t, clitest.Read(t, filepath.Join(dir, "wide.png")))
	if size := pic.Bounds().Size(); size.X != 33000 || size.Y != 40 {
		t.Errorf("a picture of %v", size)
	}
	// The cube is in the middle.
	if left, middle := pic.At(16300, 20), pic.At(16500, 20); left == middle {
		t.Errorf("the middle is %v, beside it %v", middle, left)
	}
}

// TestNotInBands checks that messages name the flags that need a large picture as a whole.
func TestNotInBands(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for flags, want := range map[string]string{
		"-o a.jpg":                   ".png and .tif",
		"-o a.bmp":                   ".png and .tif",
		"-o a.png --depth d.exr":     "--depth",
		"-o a.png --coverage c.png":  "--coverage",
		"-o a.png --contact-sheet 4": "--contact-sheet",
		"-o a.png --trace t":         "--trace",
	} {
		run(t, dir, "", append([]string{mesh, "-s", "40000x20"}, strings.Fields(flags)...)...).Want(t, cli.Usage, want)
		clitest.WantFiles(t, dir)
	}
	run(t, dir, "", mesh, "-s", "65537x20", "-o", "a.png").Want(t, cli.Usage, "65536x65536")
	r := run(t, dir, "", "scene:gear", "-s", "100x20", "-o", "a.png", "--fast", "--wireframe", "--max-memory", "1M")
	r.Want(t, cli.Usage, "render: scene:gear: --edges and --wireframe need all of the mesh")
	// If nothing is visible, no picture is written.
	run(t, dir, "", mesh, "-s", "40000x20", "-o", "a.png", "--eye", "90,90,90", "--target", "99,99,99").Want(t, cli.Blank)
	clitest.WantFiles(t, dir)
}

// TestTrimInBands checks that a trimmed picture is drawn in bands if --max-memory is too small to draw it as a whole.
// It must be refused if the untrimmed picture does not fit into memory.
func TestTrimInBands(t *testing.T) {
	dir := t.TempDir()
	args := []string{"scene:knot?triangles=2000", "-s", "1600x1200", "--samples", "4", "--trim", "--occlusion", "off", "--zoom", "0.4"}
	run(t, dir, "", append(args, "-o", "whole.png")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "-o", "bands.png", "--max-memory", "40M")...).Want(t, cli.Done)
	if whole, bands := picture(t, clitest.Read(t, filepath.Join(dir, "whole.png"))), picture(t, clitest.Read(t, filepath.Join(dir, "bands.png"))); !samePixels(whole, bands) || whole.Bounds().Dx() > 900 {
		t.Errorf("%v in bands, %v as a whole", bands.Bounds(), whole.Bounds())
	}
	run(t, dir, "", append(args, "-o", "none.png", "--max-memory", "16M")...).Want(t, cli.Usage, "--max-memory", "--trim wants all of it")
	clitest.WantFiles(t, dir, "bands.png", "whole.png")
}

// TestNoMemoryForShadow checks the warning that the shadow is left out. This happens if there is no memory for the
// mesh, from which the map of the shadow is drawn.
func TestNoMemoryForShadow(t *testing.T) {
	dir := t.TempDir()
	args := strings.Fields("scene:gear -s 300x200 --samples 4 --max-memory 1600K -o a.png")
	const mesh, because = "render: warning: scene:gear: ", ": there is no memory for all of the mesh"
	for flags, want := range map[string]string{
		"":                               mesh + "drawn flat, without occlusion and shadow" + because,
		"--no-ground":                    mesh + "drawn flat, without occlusion" + because,
		"--background none":              mesh + "drawn flat, without occlusion" + because,
		"--ground":                       mesh + "drawn flat, without occlusion" + because,
		"--shading flat --occlusion off": mesh + "drawn without a shadow" + because,
		"--shading flat --occlusion off --ground": "",
		"--fast": "",
	} {
		r := run(t, dir, "", append(args, strings.Fields(flags)...)...)
		r.Want(t, cli.Done)
		if got, _, _ := strings.Cut(r.Stderr, " ("); got != want {
			t.Errorf("%q: %q, want %q", flags, r.Stderr, want)
		}
	}
}

// TestTrimOfCrop checks that --trim compares a part of a picture with the background in this part. In a gradient that
// colour differs from the colour at the top.
func TestTrimOfCrop(t *testing.T) {
	dir := t.TempDir()
	args := strings.Fields("scene:gear?triangles=1000 -s 200x150 --zoom 0.5 --no-ground --trim -o")
	run(t, dir, "", append(args, "whole.png")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "part.png", "--crop", "0,30,200x110")...).Want(t, cli.Done)
	if whole, part := pictureFile(t, dir, "whole.png"), pictureFile(t, dir, "part.png"); !samePixels(whole, part) || whole.Bounds().Dx() > 110 {
		t.Errorf("trimmed: %v as a whole, %v of a part", whole.Bounds(), part.Bounds())
	}
}
