// Command gallerymeshes writes the meshes of docs/gallery.md that neither a procedural scene nor the command render
// convert can make.
//
//	go run ./internal/gallerymeshes FOLDER   writes the small ones, which are in testdata/gallery
//	go run ./internal/gallerymeshes cloud    writes a cloud of ten million points to standard output
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected a folder, or the word cloud")
	}
	if args[0] == "cloud" {
		return writeCloud(os.Stdout, 10_000_000)
	}
	for name, write := range map[string]func() ([]byte, error){
		"solver.vtu": flowInPipe, "painted.3mf": paintedVase, "lattice.3mf": lattice, "draco.glb": dracoGLB, "assembly.dae": assembly,
	} {
		data, err := write()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(args[0], name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
