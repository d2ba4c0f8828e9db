package obj

import (
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"

	"pgregory.net/rapid"
)

// TestChunks reads texts in chunks of all lengths as in one piece.
func TestChunks(t *testing.T) {
	usual := []string{
		"v %d 0.25 -1e-3", "v 1 %d %d", "vt 0.5 %d", "vn 0 %d 1", "f 1 2 3", "f -1 -2 -3", "f %d %d %d", "f %d/%d/%d 1/1/1 2/2/2",
		"f 1//1 2//1 3//2 1//2", "f -1/-1/-1 -2/-1/-1 -3/-1/-1 -4/-1/-1", "f 1/1 2/2 3/1", "", "s 1",
	}
	odd := []string{
		"v 1 2", "v 1 2 3 0.5 0.5 0.5", "v x", "vn 1", "vt", "f 1 2", "f 1 2 3 4 5 6 7", "f 1 2 x", "f 1 2 \\", "3", "# comment \\", "g part %d",
		"usemtl red", "mtllib a.mtl", "unknown", "o", "f -%d -1 -2", "f 1 2 3 # why", "v 1 2 3 \\", "  f\t1 2  3", "f 1/%d 2 3", "f %d//%d 1//1 2",
	}
	meshtest.Chunks(t, format{plain: true}, func(size int) scenes.Format { return format{chunk: size} }, cases(), func(rt *rapid.T) string {
		start := "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 1\nvn 0 0 1\nvn 0 1 0\nf 1 2 3\n"
		eol := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(rt, "end of line")
		return strings.ReplaceAll(start+strings.Join(meshtest.Lines(rt, 120, usual, odd), "\n"), "\n", eol)
	})
}
