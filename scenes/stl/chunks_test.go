package stl

import (
	"strings"
	"testing"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"

	"pgregory.net/rapid"
)

// TestChunks checks that texts give the same mesh with chunks of any size.
func TestChunks(t *testing.T) {
	usual := []string{
		"facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 %d\n  vertex %d 1 0\n endloop\nendfacet",
		"facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 %d vertex %d 1 0 endloop endfacet",
		"FACET NORMAL 0 0 1\n\n OUTER LOOP\n  VERTEX 0 0 0\n  VERTEX 1 0 %d\n  VERTEX %d 1 0\n ENDLOOP\nENDFACET\n",
	}
	odd := []string{
		"facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 x\n endloop\nendfacet", "endfacet", "facet", "endsolid a\nsolid b", "solid endfacet",
		"endsolid", "x y z", "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 %d vertex %d 1 0 vertex 0 0 0 endloop endfacet",
		"facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 nan vertex %d 1 0 endloop endfacet", "solid facet normal 0 0 1\n", strings.Repeat("z", 3000),
	}
	meshtest.Chunks(t, fileFormat{sequential: true}, func(size int) format.Format { return fileFormat{chunk: size} }, nil, func(rt *rapid.T) string {
		file := "solid a\n" + usual[0] + "\n" + strings.Join(meshtest.Lines(rt, 60, usual, odd), "\n") + rapid.SampledFrom([]string{"", "\n", "\nendsolid a\n"}).Draw(rt, "rest")
		return strings.ReplaceAll(file, "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(rt, "end of line"))
	})
}
