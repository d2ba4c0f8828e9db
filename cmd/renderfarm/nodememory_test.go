package main

import (
	"os"
	"path/filepath"
	"testing"

	"lockstep/render/recipe"
)

func TestNodesInMemory(t *testing.T) {
	for _, c := range []struct {
		n               int
		available, node int64
		want            int
	}{
		{4, 0, 100, 4},    // the available memory is unknown
		{4, 500, 100, 4},  // memory for four nodes and the command
		{4, 499, 100, 3},  // the command needs as much as a node
		{4, 10, 100, 1},   // there is at least one node
		{4, 1000, 100, 4}, // there are no more nodes than requested
		{4, 1000, 0, 4},
		{1, 10, 100, 1},
	} {
		if got := nodesInMemory(c.n, c.available, c.node); got != c.want {
			t.Errorf("%+v: %d nodes", c, got)
		}
	}
}

// TestNodeMemory checks that the memory of a node includes its mesh and increases with the number of its workers. The
// mesh may be a scene or a file.
func TestNodeMemory(t *testing.T) {
	of := func(file string, workers, n int) int64 {
		return nodeMemory(&recipe.Animation{Picture: recipe.Picture{Meshes: []recipe.Mesh{{File: file}}}}, workers, n)
	}
	file := filepath.Join(t.TempDir(), "a.stl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 50e6); err != nil {
		t.Fatal(err)
	}
	none, scene := of("no such.stl", 1, 1), of("scene:bumpy?triangles=1M", 1, 1)
	if none < 1<<20 || scene < none+30e6 {
		t.Errorf("%d bytes without a mesh, %d with a million triangles", none, scene)
	}
	if got := of(file, 1, 1); got < scene*9/10 || got > scene*11/10 {
		t.Errorf("%d bytes for a file of a million triangles, %d for a scene", got, scene)
	}
	if one, two := of(file, 1, 1), of(file, 2, 1); two < one+30e6 {
		t.Errorf("%d bytes for a worker, %d for two", one, two)
	}
	if got := of(file, 0, 1000); got != of(file, 1, 1) {
		t.Errorf("%d bytes for one of 1000 nodes", got)
	}
}
