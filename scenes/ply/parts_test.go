package ply

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"

	"pgregory.net/rapid"
)

// TestChunks checks that texts give the same mesh with chunks of any size.
func TestChunks(t *testing.T) {
	properties := []struct{ vertex, face, behind string }{
		{"", "", ""},
		{"property float nx\nproperty float ny\nproperty float nz\n", "", " 0 0 1"},
		{"property uchar red\nproperty uchar green\nproperty uchar blue\n", "", " 255 0 %d"},
		{"property float heat\n", "property list uchar float texcoord\n", " 0.5"},
	}
	vertices := []string{"%d 0.25 -1e-3", "1 %d %d"}
	odd := []string{"", "comment x", "# 1", "0,5 1 2", "1 2", "1 2 x", "nan 0 0", "3 1 2 3 4 5 6 7", "2 0 1", "-1", "7 0 1 2 3 0 1 2", "3 0 1 -2", "1e3 0 1 2", "3 0 1 999"}
	faces := []string{"3 0 1 2", "3 %d %d %d", "4 0 1 2 3"}
	meshtest.Chunks(t, fileFormat{sequential: true}, func(size int) format.Format { return fileFormat{chunk: size} }, cases(), func(rt *rapid.T) string {
		p := rapid.SampledFrom(properties).Draw(rt, "properties")
		start := []string{"0 0 0", "1 0 0", "1 1 0", "0 1 0"}
		v := append(start, meshtest.Lines(rt, 60, vertices, odd)...)
		for i := range v {
			if v[i] != "" {
				v[i] += strings.ReplaceAll(p.behind, "%d", fmt.Sprint(i))
			}
		}
		f := meshtest.Lines(rt, 60, faces, odd)
		if p.face != "" {
			for i := range f {
				f[i] += " 6 0 0 1 0 1 1"
			}
		}
		lie := rapid.SampledFrom([]int{0, 0, 0, 1, -1, 20}).Draw(rt, "lie")
		return fmt.Sprintf("ply\nformat ascii 1.0\nelement nothing 5\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n%s"+
			"element face %d\nproperty list uchar int vertex_indices\n%send_header\n", len(v), p.vertex, max(0, len(f)+lie), p.face) + strings.Join(append(v, f...), "\n")
	})
}
