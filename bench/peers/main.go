// Command peers draws the same meshes with Lockstep and with other software renderers, on one core and in one run, and
// prints the ratios of their times.
//
// Every renderer gets the same triangles in memory, the same camera and picture size, and uses flat shading. Times are
// the best of several frames. A comparison is marked as unfair if the numbers of covered pixels differ by more than 1
// in 500. Renderers that are not installed are named and omitted.
//
// With -whole it compares whole commands on all cores, which read a file and write a picture.
//
//	go run . [-frames N] [-mesh FILE]... [-big] [-whole]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
)

// Size of the pictures, in pixels.
const (
	width  = 1920
	height = 1080
)

// A subject is a mesh for which the renderers are measured.
type subject struct {
	name string
	mesh *scenes.Mesh
	cam  render.Camera
}

// A timing is the time of one renderer for one subject.
type timing struct {
	who, mode string  // mode is "both" with both faces, or "culled" without back faces
	seconds   float64 // time of the best frame
	build     float64 // seconds for building data structures once, before the first frame
	covered   int64   // number of pixels that show the mesh
}

// stringList collects the values of a flag that may be repeated.
type stringList []string

func (n *stringList) String() string     { return strings.Join(*n, " ") }
func (n *stringList) Set(s string) error { *n = append(*n, s); return nil }

func main() {
	if len(os.Args) == 4 && os.Args[1] == "fauxgl" { // this process is the command that -whole measures
		if err := fauxglCommand(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var meshes stringList
	flag.Var(&meshes, "mesh", "mesh file or scene; may be repeated")
	frames := flag.Int("frames", 10, "frames, of which the best counts")
	big := flag.Bool("big", false, "also ten million triangles")
	whole := flag.Bool("whole", false, "measure whole commands, file to picture, instead of frames")
	flag.Parse()
	if len(meshes) == 0 {
		meshes = stringList{"scene:bumpy?triangles=70k", "scene:bumpy?triangles=1070k", "scene:slivers?triangles=99k&slivers=100&wide=100"}
	}
	if *big {
		meshes = append(meshes, "scene:bumpy?triangles=10M")
	}
	run := frameRatios
	if *whole {
		run = commandRatios
	}
	if err := run(context.Background(), meshes, *frames); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// openMesh loads a mesh into memory and fits the default camera to it.
func openMesh(ctx context.Context, name string) (*subject, error) {
	var mesh *scenes.Mesh
	var err error
	if procedural.IsScene(name) {
		scene, perr := procedural.Parse(name)
		if perr != nil {
			return nil, perr
		}
		mesh, err = scenes.Load(ctx, scene, scenes.ReadOptions{})
	} else {
		mesh, _, err = load.File(ctx, name, scenes.ReadOptions{})
	}
	if err != nil {
		return nil, err
	}
	cam, err := camera.Fit(mesh.Bounds(), width, height, camera.Options{Azimuth: 30, Elevation: 20})
	return &subject{name, mesh, cam}, err
}

// frameRatios prints how long each renderer takes for a frame of each mesh.
func frameRatios(ctx context.Context, meshes []string, frames int) error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs := buildPrograms(dir)
	for _, name := range meshes {
		s, err := openMesh(ctx, name)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s: %d triangles, %dx%d, one core\n", s.name, s.mesh.Len(), width, height)
		// Lockstep draws before and after the other renderers. Its two times show whether the machine's speed has
		// changed.
		all := lockstepFrames(ctx, s, frames)
		all = append(all, fauxglFrames(s, min(frames, 5))...)
		all = append(all, programs.run(s, dir, frames)...)
		all = append(all, lockstepFrames(ctx, s, frames)...)
		printTimes(all)
	}
	return nil
}

// printTimes prints the times, and each time divided by the best time of Lockstep in the same mode.
func printTimes(all []timing) {
	best := map[string]timing{}
	for _, t := range all {
		if old, ok := best[t.mode]; t.who == "lockstep" && (!ok || t.seconds < old.seconds) {
			best[t.mode] = t
		}
	}
	fmt.Printf("  %-10s %-7s %10s %8s %10s %s\n", "renderer", "faces", "ms", "ratio", "covered", "")
	for _, t := range all {
		own := best[t.mode]
		note := ""
		if off := t.covered - own.covered; off*500 > own.covered || -off*500 > own.covered {
			note = "covers other pixels: no fair comparison"
		}
		if t.build > 0 {
			note += fmt.Sprintf(" after building for %.0f ms", t.build*1000)
		}
		fmt.Printf("  %-10s %-7s %10.2f %8.1f %10d %s\n", t.who, t.mode, t.seconds*1000, t.seconds/own.seconds, t.covered, note)
	}
}
