package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestCropIsThePicture draws random parts of pictures, in one piece and in bands. Their pixels must equal those of
// the whole pictures, including lines and texts.
func TestCropIsThePicture(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	over := "--edges --ground --bounds --axes --scale-bar --label Part"
	rng := rand.New(rand.NewPCG(1, 2))
	for _, flags := range []string{
		"wave.ply --field height --legend --samples 4 " + over,
		"wave.ply --field height --legend --samples 1 --wireframe " + over,
		"scene:knot?triangles=3000 --samples 4 --projection orthographic " + over,
		"scene:gear?triangles=4000 --samples 1 --view 200,40 --zoom 3",
		"scene:gear?triangles=4000 --samples 16 --background none --section z=40% --ground --up y",
		"scene:slivers?triangles=800 --samples 4 --color facing --edges",
		"scene:knot?triangles=3000 --fast",
		"scene:knot?triangles=3000 --light headlight --shading flat --edges",
	} {
		args := append(strings.Fields(flags), "-s", "211x161", "-q", "-o", "o.png")
		run(t, dir, "", args...).Want(t, cli.Done)
		whole := pictureFile(t, dir, "o.png")
		for i := range 3 {
			x, y := rng.IntN(150), rng.IntN(120)
			part := image.Rect(x, y, x+1+rng.IntN(210-x), y+1+rng.IntN(160-y))
			cropped := append(args, "--crop", fmt.Sprintf("%d,%d,%dx%d", part.Min.X, part.Min.Y, part.Dx(), part.Dy()))
			if i%3 == 2 {
				cropped = append(cropped, "--max-memory", "7M")
			}
			r := run(t, dir, "", cropped...)
			if r.Code == int(cli.Blank) {
				continue // this part shows only background
			}
			r.Want(t, cli.Done)
			wantPart(t, strings.Join(cropped, " "), pictureFile(t, dir, "o.png"), whole, part)
		}
	}
}

// wantPart checks that a picture equals a part of another picture.
func wantPart(t *testing.T, what string, got, whole image.Image, part image.Rectangle) {
	t.Helper()
	if got.Bounds().Size() != part.Size() {
		t.Fatalf("%s: %v", what, got.Bounds())
	}
	differ := 0
	for y := range part.Dy() {
		for x := range part.Dx() {
			if got.At(x, y) != whole.At(part.Min.X+x, part.Min.Y+y) {
				differ++
			}
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d pixels differ from the whole picture's", what, differ)
	}
}

// TestCropOfLargePictures draws parts of pictures that are too large for one renderer, into files that are not written
// in bands, and with further outputs. The parts must equal parts of larger parts.
func TestCropOfLargePictures(t *testing.T) {
	dir := t.TempDir()
	args := strings.Fields("scene:knot?triangles=3000 -s 20000x17000 --edges --workers 1 -q")
	draw := func(name, crop string, more ...string) image.Image {
		run(t, dir, "", append(append(args, "--crop", crop, "-o", name+".png"), more...)...).Want(t, cli.Done)
		return pictureFile(t, dir, name+".png")
	}
	whole := draw("whole", "8100,6900,300x150", "--ids", "w.png", "--normals", "v.png")
	got := draw("part", "8130,6950,120x70", "--ids", "i.png", "--normals", "n.png", "--trim")
	part := image.Rect(30, 50, 150, 120)
	wantPart(t, "part", got, whole, part)
	wantPart(t, "numbers", pictureFile(t, dir, "i.png"), pictureFile(t, dir, "w.png"), part)
	wantPart(t, "normals", pictureFile(t, dir, "n.png"), pictureFile(t, dir, "v.png"), part)
}
