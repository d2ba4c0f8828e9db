package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/blockplace"
	"lockstep/internal/cli"
	"lockstep/lb/loads"
	"lockstep/render"
	"lockstep/scenes"
)

// TestPlaceOf checks the projection by a camera that looks down from height 2. A point one unit to the right must
// appear at half of the camera's magnification. A point nearer than the near plane must not be visible.
func TestPlaceOf(t *testing.T) {
	cam := render.Camera{
		Eye: mgl64.Vec3{0, 0, 2}, Right: mgl64.Vec3{1, 0, 0}, Up: mgl64.Vec3{0, 1, 0}, Forward: mgl64.Vec3{0, 0, -1},
		Magnification: 3, Near: 0.5,
	}
	for _, c := range []struct {
		at   mgl64.Vec3
		x, y float64
	}{
		{mgl64.Vec3{1, 0, 0}, 1.5, 0},
		{mgl64.Vec3{0, -1, 1}, 0, -3},
		{mgl64.Vec3{1, 1, 5}, 6, 6},
		{mgl64.Vec3{1e9, 0, 0}, loads.MaxPlace, 0},
	} {
		if x, y := blockplace.Project(c.at, &cam); math.Abs(x-c.x) > 1e-12 || math.Abs(y-c.y) > 1e-12 {
			t.Errorf("%v is at (%v, %v), want (%v, %v)", c.at, x, y, c.x, c.y)
		}
	}
	cam.Orthographic = true
	if x, y := blockplace.Project(mgl64.Vec3{1, 2, 7}, &cam); x != 3 || y != 6 {
		t.Errorf("without perspective (1, 2, 7) is at (%v, %v), want (3, 6)", x, y)
	}
}

// TestRecordedLoads checks that loads of a prepared mesh are of as many blocks as those of the mesh, have places in the
// picture, and that pictures are the same whether loads are recorded or not.
func TestRecordedLoads(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "convert", "scene:bumpy?triangles=20k", "mesh.ply").Want(t, cli.Done)
	run(t, dir, "", "prepare", "mesh.ply").Want(t, cli.Done)
	for _, mesh := range []string{"mesh.ply", "mesh.lkm"} {
		for _, leaves := range []string{"auto", "never", "always"} {
			draw := func(name string, more ...string) {
				args := []string{"animate", mesh, "--turntable", "--frames", "3", "--fast", "-s", "80x60", "--leaves", leaves, "-o", name + "_#.png"}
				run(t, dir, "", append(args, more...)...).Want(t, cli.Done)
			}
			draw("plain")
			draw("timed", "--record-loads", "loads.jsonl")
			if !samePixels(pictureFile(t, dir, "plain_2.png"), pictureFile(t, dir, "timed_2.png")) {
				t.Errorf("%s, --leaves %s: the pictures differ", mesh, leaves)
			}
			file, err := os.Open(filepath.Join(dir, "loads.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			film, err := loads.Read(file)
			if file.Close(); err != nil {
				t.Fatal(err)
			}
			if blocks := (20_000 + scenes.BlockSize - 1) / scenes.BlockSize; len(film.Triangles) != blocks || len(film.Seconds) != 3 || len(film.X[2]) != blocks {
				t.Errorf("%s, --leaves %s: %d blocks, %d frames", mesh, leaves, len(film.Triangles), len(film.Seconds))
			} else if film.X[2][0] == film.X[2][blocks-1] {
				t.Errorf("%s, --leaves %s: all blocks at %v", mesh, leaves, film.X[2])
			}
		}
	}
}
