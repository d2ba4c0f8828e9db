package render_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
)

// TestPictureOfManySizes draws pictures of many sizes and looks with one renderer into one Picture, whole and in bands
// of rows. Its memory begins at any address and holds old data. Each picture must be the same as that of a new
// renderer.
func TestPictureOfManySizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	mesh, memory := awkward(), bytes.Repeat([]byte{0xff, 0xa5, 0x7f, 0xc0}, 300*150)
	var r *render.Renderer
	var pic render.Picture
	for round := range 60 {
		size := func(most int) int { return [...]int{1, 2, 15, 16, 17, 1 + rng.IntN(most)}[rng.IntN(6)] }
		o := render.Options{Width: size(300), Height: size(140), Depth: rng.IntN(2) == 0, Normals: rng.IntN(2) == 0, Triangles: rng.IntN(2) == 0}.Studio()
		o.Samples, o.Occlusion = []int{1, 4, 16}[rng.IntN(3)], rng.IntN(3) > 0
		if rng.IntN(3) == 0 {
			o.Shading = render.ShadingFlat
		}
		o.Workers, o.Facing = 1+round/10%2, rng.IntN(3) == 0
		cam := fitted(t, mesh, o, camera.Options{Azimuth: 360 * rng.Float64(), Elevation: 20, Zoom: 0.3 + 2*rng.Float64()})
		var want render.Picture
		if _, err := newRenderer(t, o).Frame(t.Context(), mesh, cam, &want); err != nil && !errors.Is(err, render.ErrBlank) {
			t.Fatal(err)
		}
		if r == nil || round%10 == 0 {
			r = newRenderer(t, o)
		} else if err := r.SetOptions(o); err != nil {
			t.Fatal(err)
		}
		if first := rng.IntN(9); first < 4 {
			pic.Pix = memory[first:first]
		}
		same := func(lo, hi int) {
			t.Helper()
			from, to := lo*o.Width, hi*o.Width
			if !bytes.Equal(pic.Pix, want.Pix[4*from:4*to]) {
				t.Fatalf("round %d, rows %d to %d of %dx%d, %d samples: another picture", round, lo, hi, o.Width, o.Height, o.Samples)
			}
			if o.Triangles && !slices.Equal(pic.Triangles, want.Triangles[from:to]) || o.Normals && !slices.Equal(pic.Normals, want.Normals[from:to]) ||
				o.Depth && !slices.Equal(pic.Depth, want.Depth[from:to]) {
				t.Fatalf("round %d, rows %d to %d: other data", round, lo, hi)
			}
		}
		if _, err := r.Frame(t.Context(), mesh, cam, &pic); err != nil && !errors.Is(err, render.ErrBlank) {
			t.Fatal(err)
		}
		same(0, o.Height)
		for lo := 0; lo < o.Height; {
			hi := min(lo+part.RowStep*(1+rng.IntN(3)), o.Height)
			if _, err := part.DrawRows(t.Context(), r, mesh, cam, part.Rows{Lo: lo, Hi: hi}, &pic); err != nil {
				t.Fatal(err)
			}
			same(lo, hi)
			lo = hi
		}
	}
}
