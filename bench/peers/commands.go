package main

import (
	"context"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fogleman/fauxgl"

	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/stl"
)

// A command is a command line that reads an STL file and writes a PNG file, with environment variables for it.
type command struct {
	who  string
	args []string
	env  []string
}

// commandRatios prints how long each command takes for each mesh, on all cores. The files have just been written, so
// they are in the page cache.
func commandRatios(ctx context.Context, meshes []string, runs int) error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	lockstep := filepath.Join(dir, "render")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", lockstep, "./cmd/render").CombinedOutput(); err != nil {
		return fmt.Errorf("build lockstep: %w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range meshes {
		s, err := openMesh(ctx, name)
		if err != nil {
			return err
		}
		stl, picture := filepath.Join(dir, "mesh.stl"), filepath.Join(dir, "mesh.png")
		if err := writeSTL(stl, s); err != nil {
			return err
		}
		fmt.Printf("\n%s: %d triangles, STL to PNG, %dx%d, all cores\n", s.name, s.mesh.Len(), width, height)
		commands := []command{
			{"lockstep", []string{lockstep, "-q", "-o", picture, stl}, nil},
			{"cat", []string{"cat", stl}, nil},
			{"fauxgl", []string{self, "fauxgl", stl, picture}, nil},
			{"f3d", []string{"xvfb-run", "-a", "f3d", "--resolution=1920,1080", "--output=" + picture, stl}, tuned},
		}
		printBestTimes(commands, runs)
	}
	return nil
}

// printBestTimes prints the best time of each command. The commands run in turn, because the machine's speed may
// change.
func printBestTimes(commands []command, runs int) {
	best := make([]time.Duration, len(commands))
	for range runs {
		for i, c := range commands {
			if best[i] < 0 {
				continue
			}
			cmd := exec.Command(c.args[0], c.args[1:]...)
			cmd.Env = append(os.Environ(), c.env...)
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "peers: without %s: %v: %.80s\n", c.who, err, out)
				best[i] = -1
				continue
			}
			if d := time.Since(start); best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	fmt.Printf("  %-10s %10s %8s\n", "command", "ms", "ratio")
	for i, c := range commands {
		if best[i] > 0 {
			fmt.Printf("  %-10s %10.1f %8.1f\n", c.who, best[i].Seconds()*1000, best[i].Seconds()/best[0].Seconds())
		}
	}
}

func writeSTL(path string, s *subject) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := stl.Write(f, s.mesh, stl.WriteOptions{}); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// fauxglCommand loads an STL file, draws it with fauxgl and writes the picture, as a program based on fauxgl does.
func fauxglCommand(stl, picture string) error {
	mesh, err := fauxgl.LoadSTL(stl)
	if err != nil {
		return err
	}
	box := mesh.BoundingBox()
	cam, err := camera.Fit(scenes.Box{Min: [3]float64{box.Min.X, box.Min.Y, box.Min.Z}, Max: [3]float64{box.Max.X, box.Max.Y, box.Max.Z}},
		width, height, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		return err
	}
	ctx := fauxglContext(&subject{cam: cam}, false)
	ctx.ClearColorBufferWith(fauxgl.Transparent)
	ctx.DrawMesh(mesh)
	f, err := os.Create(picture)
	if err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, ctx.Image()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
