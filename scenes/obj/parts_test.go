package obj

import (
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"

	"pgregory.net/rapid"
)

// TestChunks checks that texts give the same mesh with chunks of any size.
func TestChunks(t *testing.T) {
	usual := []string{
		"v %d 0.25 -1e-3", "v 1 %d %d", "vt 0.5 %d", "vn 0 %d 1", "f 1 2 3", "f -1 -2 -3", "f %d %d %d", "f %d/%d/%d 1/1/1 2/2/2",
		"f 1//1 2//1 3//2 1//2", "f -1/-1/-1 -2/-1/-1 -3/-1/-1 -4/-1/-1", "f 1/1 2/2 3/1", "f 1 2/2 3//1", "f 1//1 2/1/1 3/1", "", "s 1",
	}
	odd := []string{
		"v 1 2", "v 1 2 3 0.5 0.5 0.5", "v x", "vn 1", "vt", "f 1 2", "f 1 2 3 4 5 6 7", "f 1 2 x", "f 1 2 \\", "3", "# comment \\", "g part %d",
		"usemtl red", "mtllib a.mtl", "unknown", "o", "f -%d -1 -2", "f 1 2 3 # why", "v 1 2 3 \\", "  f\t1 2  3", "f 1/%d 2 3", "f %d//%d 1//1 2",
	}
	meshtest.Chunks(t, fileFormat{sequential: true}, func(size int) format.Format { return fileFormat{chunk: size} }, cases(), func(rt *rapid.T) string {
		start := "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 1\nvn 0 0 1\nvn 0 1 0\nf 1 2 3\n"
		eol := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(rt, "end of line")
		return strings.ReplaceAll(start+strings.Join(meshtest.Lines(rt, 120, usual, odd), "\n"), "\n", eol)
	})
}

// TestConcave cuts an arrow and its texture coordinates. A fan around its first corner would extend beyond its outline.
func TestConcave(t *testing.T) {
	m := read(t, "v 0 0 0\nv 2 -1 0\nv 1 0 0\nv 2 1 0\nvt 0 0\nvt 0.25 0\nvt 0.5 0\nvt 0.75 0\nf 2/2 3/3 4/4 1/1\n", scenes.ReadOptions{})
	area := 0.0
	for i := range m.Len() {
		c := m.Triangle(i)
		area += float64((c[1][0]-c[0][0])*(c[2][1]-c[0][1])-(c[2][0]-c[0][0])*(c[1][1]-c[0][1])) / 2
		for k, p := range c {
			want := map[[3]float32]float32{{0, 0, 0}: 0, {2, -1, 0}: 0.25, {1, 0, 0}: 0.5, {2, 1, 0}: 0.75}[p]
			if got := m.Attributes.TexCoords.At(k, i)[0]; got != want {
				t.Errorf("triangle %d, corner %v: texture coordinate %v", i, p, got)
			}
		}
		if (c[1][0]-c[0][0])*(c[2][1]-c[0][1])-(c[2][0]-c[0][0])*(c[1][1]-c[0][1]) < 0 {
			t.Errorf("triangle %d faces the other way: %v", i, c)
		}
	}
	if m.Len() != 2 || area != 1 {
		t.Errorf("%d triangles, area %v", m.Len(), area)
	}
}
