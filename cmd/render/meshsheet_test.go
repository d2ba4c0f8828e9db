package main

import (
	"image"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestMeshSheet checks that every cell of a sheet is the picture of its mesh alone, with a name. A cell is empty if
// its mesh cannot be read, or if there is no mesh for it.
func TestMeshSheet(t *testing.T) {
	dir := t.TempDir()
	meshes := []string{"scene:cube", "missing.stl", "scene:gear?triangles=1000", "scene:torus?triangles=1000"}
	args := append([]string{"--sheet", "3x2", "-s", "242x160", "--background", "white", "-o"}, "all.png")
	run(t, dir, "", append(args, meshes...)...).Want(t, cli.Partial, "missing.stl")
	sheet := pictureFile(t, dir, "all.png")
	if sheet.Bounds() != image.Rect(0, 0, 242, 160) {
		t.Fatalf("a sheet of %v", sheet.Bounds())
	}
	const names = 22 // number of rows of pixels that contain the name
	for i := range 6 {
		x0, y0 := i%3*80, i/3*80
		alone := image.Image(image.White)
		if i < len(meshes) && i != 1 {
			run(t, dir, "", "-s", "80x80", "--background", "white", "-o", "one.png", meshes[i]).Want(t, cli.Done)
			alone = pictureFile(t, dir, "one.png")
		}
		different, named := 0, false
		for y := range 80 {
			for x := range 80 {
				same := sameColor(sheet, x0+x, y0+y, alone, x, y)
				if y < names {
					named = named || !same
				} else if !same {
					different++
				}
			}
		}
		if different > 0 || named != (i < len(meshes) && i != 1) {
			t.Errorf("cell %d: %d pixels differ, named: %v", i, different, named)
		}
	}
	for x := 240; x < 242; x++ {
		if !sameColor(sheet, x, 80, image.White, 0, 0) {
			t.Error("the rest of the sheet is not empty")
		}
	}
	run(t, dir, "", append(append([]string{"--workers", "1"}, args...), meshes...)...).Want(t, cli.Partial)
	if !samePixels(sheet, pictureFile(t, dir, "all.png")) {
		t.Error("the sheet depends on the workers")
	}
}

func sameColor(a image.Image, ax, ay int, b image.Image, bx, by int) bool {
	r, g, bl, al := a.At(ax, ay).RGBA()
	r2, g2, bl2, al2 := b.At(bx, by).RGBA()
	return r == r2 && g == g2 && bl == bl2 && al == al2
}

func TestMeshSheetUsage(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for flags, says := range map[string]string{
		"--sheet 1x1 -o a.png":               "1 cells, and there are 2 meshes",
		"--sheet 0x2 -o a.png":               "COLUMNSxROWS",
		"--sheet 2x -o a.png":                "COLUMNSxROWS",
		"--sheet x -o a.png":                 "COLUMNSxROWS",
		"--sheet 2x0 -o a.png":               "COLUMNSxROWS",
		"--sheet 5000 -o a.png":              "COLUMNSxROWS",
		"--sheet 2":                          "-o all.png",
		"--sheet 2 -o out/":                  "-o all.png",
		"--sheet 2 -o a.svg":                 ".png, .jpg",
		"--sheet 2 -o a.exr":                 ".png, .jpg",
		"--sheet 2 -o a.xyz":                 "a.xyz",
		"--sheet 2 -s 20x20 -o a.png":        "at least 32x16",
		"--sheet 2 --trim -o a.png":          "--trim",
		"--sheet 2 --depth d.png -o a.png":   "--depth",
		"--sheet 2 --contact-sheet 4 -o a.p": "--contact-sheet",
		"--sheet 2 --format png -o " + mesh:  "cube.stl",
	} {
		run(t, dir, "", append([]string{mesh, "scene:cube", "-s", "64"}, strings.Fields(flags)...)...).Want(t, cli.Usage, says)
	}
	// A sheet of one mesh, in other formats, with as many rows as it needs.
	for _, name := range []string{"a.jpg", "a.webp", "a.tif"} {
		run(t, dir, "", mesh, "--sheet", "2", "-s", "64x40", "-o", name).Want(t, cli.Done)
		if len(clitest.Read(t, filepath.Join(dir, name))) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	run(t, dir, "", "none.stl", "no.stl", "--sheet", "2", "-s", "64x40", "-o", "none.png").Want(t, cli.Partial)
	clitest.WantFiles(t, dir, "a.jpg", "a.tif", "a.webp")
}
