package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
)

// TestKeepPoints checks that a cloud with more points than ReadOptions.KeepPoints is kept as points, with the positions
// and colours of the octahedra that are drawn otherwise.
func TestKeepPoints(t *testing.T) {
	const n = 70_000 // more than one chunk of a list
	var b strings.Builder
	fmt.Fprintf(&b, "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty float heat\nend_header\n", n)
	for i := range n {
		x := fmt.Sprint(i % 300)
		if i == 5 {
			x = "nan"
		}
		fmt.Fprintf(&b, "%s %d %d %d %d 7 1\n", x, i/300, i%11, i%256, i%200)
	}
	read := func(keep int) (*scenes.Mesh, *scenes.Report) {
		m, rep, err := Reader(t.Context(), strings.NewReader(b.String()), scenes.ReadOptions{KeepPoints: keep})
		if err != nil {
			t.Fatal(err)
		}
		return m, rep
	}
	solid, want := read(n) // the cloud is not above the limit
	kept, got := read(n - 1)
	p := kept.Points
	if solid.Points != nil || p == nil || kept.Len() != 0 || p.Len() != solid.Len() || len(p.X) != n-1 {
		t.Fatalf("%d triangles, kept %d", solid.Len(), kept.Len())
	}
	if want.Points != n-1 || got.Points != n-1 || got.Triangles != want.Triangles || got.Format != want.Format || got.Bounds != want.Bounds || got.Bytes != want.Bytes {
		t.Errorf("%+v\nexpected %+v", got, want)
	}
	made, err := scenes.Load(t.Context(), p, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made.Colors, solid.Colors) {
		t.Error("other colours")
	}
	for _, c := range []int{0, 8, 8 * 5, made.Len() - 1} {
		if !sameTriangle(made.Triangle(c), solid.Triangle(c)) {
			t.Errorf("triangle %d: %v, expected %v", c, made.Triangle(c), solid.Triangle(c))
		}
	}
	if _, _, err := Reader(t.Context(), strings.NewReader(b.String()), scenes.ReadOptions{KeepPoints: 1, MaxMemory: 1 << 20}); err == nil {
		t.Error("a limit of memory is not heeded")
	}
	m, _, err := Reader(t.Context(), strings.NewReader("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), scenes.ReadOptions{KeepPoints: 1})
	if err != nil || m.Points != nil || m.Len() != 1 {
		t.Error("a surface is taken for a cloud", err)
	}
}

// sameTriangle compares corners. It allows for the rounding of the size of points, which is a float32 in scenes.Points.
func sameTriangle(a, b [3][3]float32) bool {
	for k := range a {
		for axis := range a[k] {
			if math.Abs(float64(a[k][axis]-b[k][axis])) > 1e-6*math.Abs(float64(b[k][axis])) {
				return false
			}
		}
	}
	return true
}
