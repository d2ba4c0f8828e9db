package film

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/render/recipe"
)

// A Film is an animation, with options for drawing it on nodes.
type Film struct {
	Animation recipe.Animation
	// Output says where the pictures are written. Output.File is a folder, or a pattern of names such as turn/####.png.
	// Each # is a digit of the frame number. All pictures are PNG.
	Output recipe.Output
	// Tries, Lease, Timeout and Priority are passed to cluster.Job. Zero means the default of cluster.Job.
	Tries          int
	Lease, Timeout time.Duration
	Priority       int
	// Shared makes all nodes draw each frame together: each node draws a part of the mesh.
	Shared bool
	// Open lets other nodes draw the film too: nodes of other builds, and nodes without its files, which download them.
	Open bool
}

// Validate returns an error if the film cannot be drawn. It does not read the meshes. Errors of the recipe are
// recipe.Faults.
func (f *Film) Validate() error {
	if err := f.Animation.Validate(); err != nil {
		return err
	}
	switch {
	case f.Animation.Full().Frames > cluster.MaxFrames:
		return fmt.Errorf("%d frames: expected at most %d", f.Animation.Full().Frames, cluster.MaxFrames)
	case len(f.Animation.More) > 0:
		return errors.New("a film shows one mesh")
	case f.Animation.Clip != "" && !slices.Contains([]string{"", "auto", "box"}, f.Animation.Picture.Camera.Fit):
		return fmt.Errorf("fit %s is for a mesh that does not move: what a clip moves is fitted by its box", f.Animation.Picture.Camera.Fit)
	case f.Animation.Clip != "" && f.Shared:
		return errors.New("nodes that draw pictures together read the mesh once, and a clip moves it")
	case f.Animation.Picture.Meshes[0].File == "-":
		return errors.New("every node reads the mesh: expected a file, not standard input")
	case f.Output.File == "":
		return errors.New("expected a folder for the pictures")
	case f.Output.Format != "" && f.Output.Format != "png":
		return fmt.Errorf("format %s: the pictures of films are PNG", f.Output.Format)
	case f.Output.DPI < 0 || f.Output.DPI > maxDPI:
		return fmt.Errorf("%d dots an inch: expected 0 to %d", f.Output.DPI, maxDPI)
	case f.Shared && f.Animation.Picture.Crop != (recipe.Rect{}):
		return errors.New("nodes draw whole pictures together, and a crop leaves parts out")
	}
	return nil
}

// maxDPI limits the resolution that a picture's file states. No printer or film has a higher resolution.
const maxDPI = 10_000

// checkFiles returns an error if some node could not read a mesh's file. Pipes and devices can be read only once. Names
// that are not UTF-8 cannot be written into a job.
func checkFiles(meshes []recipe.Mesh) error {
	for _, m := range meshes {
		info, err := os.Stat(m.File)
		switch {
		case m.IsScene():
		case !utf8.ValidString(m.File):
			return &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("%q: nodes are told names in UTF-8", m.File)}
		case err == nil && !info.Mode().IsRegular() && !info.IsDir():
			return &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("%s: every node reads the mesh: expected a file", m.File)}
		}
	}
	return nil
}

// names returns the names of the pictures, relative to the current folder.
func (f *Film) names() (*framename.Names, error) {
	return framename.New(f.Output.File, f.Animation.Picture.Meshes[0].File, f.Animation.Full().Frames)
}
