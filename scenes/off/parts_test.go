package off

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
	vertices := []string{"%d 0.25 -1e-3", "1 %d %d", "  1\t2 3 "}
	oddVertices := []string{"", "# comment", "1 2", "1 2 x", "1 2 3 # why", "1 2 3 255 0 0", "nan 0 0", "3 1 2 3"}
	faces := []string{"3 0 1 2", "3 %d %d %d", "4 0 1 2 3"}
	oddFaces := []string{"", "3", "%d", "%d %d", "4 0 1", "3 0 1 2 3 0 2 3", "3 0 1 2 3 %d %d %d", "3 0 1 2 3 0 2 3 3 1 2 3", "9 0 1 2", "5 4 3 2 1 0", "# comment", "3 0 1", "3 0 1 %d 255 0 0", "2 0 1", "-1", "x", "7 0 1 2 3 0 1 2", "3 0 1 -2", "3.0 0 1 2"}
	meshtest.Chunks(t, fileFormat{sequential: true}, func(size int) format.Format { return fileFormat{chunk: size} }, cases(), func(rt *rapid.T) string {
		v := meshtest.Lines(rt, 60, vertices, oddVertices)
		f := meshtest.Lines(rt, 60, faces, oddFaces)
		lie := rapid.SampledFrom([]int{0, 0, 0, 1, -1, 20}).Draw(rt, "lie")
		file := fmt.Sprintf("OFF\n%d %d 0\n", 4+len(v), max(0, len(f)+lie)) + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
		file += strings.Join(append(v, f...), "\n")
		return strings.ReplaceAll(file, "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(rt, "end of line"))
	})
}
