package main

import (
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pictureFile reads a PNG file of the folder.
func pictureFile(t *testing.T, dir, name string) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// A picture's camera draws the picture again, in both projections.
func TestCameraOfPicture(t *testing.T) {
	dir := t.TempDir()
	for _, projection := range []string{"perspective", "orthographic"} {
		base := "scene:gear?triangles=1000 -s 96x64 --samples 1 --projection " + projection
		run(t, dir, "", strings.Fields(base+" --view 50,-20 --zoom 1.3 -o a.png")...).want(t, exitDone)
		run(t, dir, "", strings.Fields(base+" --camera a.png -o b.png")...).want(t, exitDone)
		a, b := pictureFile(t, dir, "a.png"), pictureFile(t, dir, "b.png")
		differ := 0
		for y := range 64 {
			for x := range 96 {
				if a.At(x, y) != b.At(x, y) {
					differ++
				}
			}
		}
		if differ > 20 { // depth ranges round in other places
			t.Errorf("%s: %d pixels differ", projection, differ)
		}
	}
	camera, _ := json.Marshal(map[string]any{"eye": []float64{0, -10, 0}, "target": []float64{0, 0, 0}, "up": []float64{1, 0, 0}, "projection": "orthographic", "height": 4})
	if err := os.WriteFile(filepath.Join(dir, "c.json"), camera, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--camera", "c.json", "-o", "c.png").want(t, exitDone)
	for name, content := range map[string]string{
		"empty.json": "{}", "bad.json": "{", "unknown.json": `{"eye":[0,0,0],"target":[1,1,1],"iso":1}`, "height.json": `{"eye":[0,0,0],"target":[1,1,1],"height":1}`,
		"short.png": "\x89PNG\r\n\x1a\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "", "scene:cube", "-s", "64", "--camera", name, "-o", "d.png").want(t, exitInput, name)
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--camera", "missing.json", "-o", "d.png").want(t, exitInput, "missing.json")
}

// A crop is that part of the whole picture; a trimmed one has no empty rows at its borders.
func TestCropAndTrim(t *testing.T) {
	dir := t.TempDir()
	base := "scene:cube --fast --projection orthographic --view front --color ff0000 "
	run(t, dir, "", strings.Fields(base+"-s 200x100 -o whole.png")...).want(t, exitDone)
	run(t, dir, "", strings.Fields(base+"-s 200x100 --crop 40,20,80x60 -o part.png --ids ids.png")...).want(t, exitDone)
	whole, part := pictureFile(t, dir, "whole.png"), pictureFile(t, dir, "part.png")
	if part.Bounds() != image.Rect(0, 0, 80, 60) {
		t.Fatalf("the part is %v", part.Bounds())
	}
	for y := range 60 {
		for x := range 80 {
			if part.At(x, y) != whole.At(x+40, y+20) {
				t.Fatalf("pixel %d,%d: %v, want %v", x, y, part.At(x, y), whole.At(x+40, y+20))
			}
		}
	}
	run(t, dir, "", strings.Fields(base+"-s 200x100 --trim -o trimmed.png --coverage c.png")...).want(t, exitDone)
	for _, name := range []string{"trimmed.png", "c.png"} {
		if b := pictureFile(t, dir, name).Bounds(); b != image.Rect(0, 0, 90, 90) {
			t.Errorf("%s is %v", name, b)
		}
	}
}

// A cut through the middle of a cube shows its colour, in every kind of picture.
func TestSection(t *testing.T) {
	dir := t.TempDir()
	for _, look := range []string{"", " --fast", " --color ffffff", " --edges --shading flat"} {
		run(t, dir, "", strings.Fields("scene:cube -s 64 --view front --section y=50% --section-color 00ff00 -o a.png"+look)...).want(t, exitDone)
		r, g, b, _ := pictureFile(t, dir, "a.png").At(32, 32).RGBA()
		if g < 2*r || g < 2*b {
			t.Errorf("%q: %x %x %x", look, r, g, b)
		}
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--section", "z<-100", "-o", "b.png").want(t, exitBlank, "leaves nothing")
	run(t, dir, "", "scene:cube", "-s", "64", "--clip-box", "0,0,0,10,10,10", "-o", "c.png").want(t, exitDone)
}
