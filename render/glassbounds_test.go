package render_test

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// ofMaterial returns a mesh in which all triangles have the same material.
func ofMaterial(m scenes.Material, triangles ...[3]vec) *scenes.Mesh {
	mesh := meshOf(triangles...)
	none := make([]uint32, mesh.Len())
	mesh.Attributes = &scenes.Attributes{
		Index: [3][]uint32{none, none, none}, Vertices: 1, Materials: []scenes.Material{m}, MaterialOf: make([]int32, mesh.Len()),
	}
	return mesh
}

// TestClearGlassInBands draws clear glass that recedes from the eye upwards, downwards, to the left and to the right, so
// that it hides more samples the farther away it is. The picture must be the same in bands, in which polygons have
// other bounds of their coverage, and much the same if the glass consists of many small triangles.
func TestClearGlassInBands(t *testing.T) {
	pane := func(parts int, corner, u, v vec) (triangles [][3]vec) {
		at := func(i, j int) vec {
			return corner.add(u.scale(float64(i) / float64(parts))).add(v.scale(float64(j) / float64(parts)))
		}
		for i := range parts {
			for j := range parts {
				triangles = append(triangles, quad(at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1))...)
			}
		}
		return triangles
	}
	const long, wide = 20, 4
	for name, c := range map[string]struct{ corner, u, v, eye vec }{
		"floor":   {vec{-wide / 2, 0, 0}, vec{wide, 0, 0}, vec{0, long, 0}, vec{0, 0.5, 1}},
		"ceiling": {vec{-wide / 2, 0, 0}, vec{wide, 0, 0}, vec{0, long, 0}, vec{0, 0.5, -1}},
		"left":    {vec{0, 0, -wide / 2}, vec{0, long, 0}, vec{0, 0, wide}, vec{1, 0.5, 0}},
		"right":   {vec{0, 0, -wide / 2}, vec{0, long, 0}, vec{0, 0, wide}, vec{-1, 0.5, 0}},
	} {
		o := render.Options{Width: 96, Height: 6 * part.RowStep, Samples: 4, Light: render.LightStudio, Shading: render.ShadingSmooth}
		mesh := ofMaterial(glassPane([3]float32{1, 1, 1}, nil), pane(1, c.corner, c.u, c.v)...)
		cam, err := camera.Look(mesh.Bounds(), mgl64.Vec3(c.eye), mgl64.Vec3{0, 2, 0}, camera.Options{FieldOfView: 120})
		if err != nil {
			t.Fatal(err)
		}
		r := newRenderer(t, o)
		var whole render.Picture
		if _, err := r.Frame(t.Context(), mesh, cam, &whole); err != nil {
			t.Fatal(err)
		}
		for lo := 0; lo < o.Height; lo += part.RowStep {
			var band render.Picture
			rows := part.Rows{Lo: lo, Hi: lo + part.RowStep}
			if _, err := part.DrawRows(t.Context(), r, mesh, cam, rows, &band); err != nil || !bytes.Equal(band.Pix, whole.Pix[4*lo*o.Width:][:len(band.Pix)]) {
				t.Errorf("%s, rows from %d: another picture, %v", name, lo, err)
			}
		}
		fine, _ := drawn(t, ofMaterial(mesh.Attributes.Materials[0], pane(64, c.corner, c.u, c.v)...), cam, o)
		differ, shares := 0, map[byte]bool{}
		for i := 3; i < len(fine.Pix); i += 4 {
			shares[whole.Pix[i]] = true
			if fine.Pix[i] != whole.Pix[i] {
				differ++
			}
		}
		if differ > 10 || len(shares) < 4 {
			t.Errorf("%s: %d pixels differ from those of small triangles, %d different alphas", name, differ, len(shares))
		}
	}
}

// TestFullMask draws a mask that removes nothing, at every distance between its edges and the picture's. It must look
// like an opaque surface. In the last pictures it covers the lowest row of samples.
func TestFullMask(t *testing.T) {
	for _, samples := range []int{1, 4} {
		o := render.Options{Width: 150, Height: 48, Samples: samples, Light: render.LightStudio, Shading: render.ShadingSmooth}
		cam := fitted(t, boxMesh(vec{-1, -1, 0}, vec{1, 1, 1}), o, camera.Options{Orthographic: true})
		cam.Magnification = 1
		for shift := range o.Height {
			size := float64(o.Height)
			low := 1 - float64(shift+1)/size // heights are in heights of the picture
			corners := plate(-1.2, 1.2, low, low+2.5/size, 0)
			var pictures [2]*render.Picture
			for i, alpha := range []scenes.AlphaMode{scenes.AlphaOpaque, scenes.AlphaMask} {
				mesh := ofMaterial(scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, Alpha: alpha, AlphaCutoff: 0.5}, corners...)
				pictures[i], _ = drawn(t, mesh, cam, o)
			}
			if want := pictures[0].Pix; !bytes.Equal(pictures[1].Pix, want) || at(pictures[0], 75, shift)[3] == 0 {
				t.Errorf("%d samples, row %d: a full mask looks unlike an opaque surface", samples, shift)
			}
		}
	}
}

// TestSamplesBehindGlass checks how many samples the picture behind glass has: as many as the frame, but at most 4. So
// many shades lie between dark and bright on a slanting edge behind glass.
func TestSamplesBehindGlass(t *testing.T) {
	mesh := windowMesh([3]float32{}, [3]float32{1, 1, 1}, glassPane([3]float32{0.9, 0.9, 0.8}, nil))
	for k, x := range mesh.X { // the edge between the two halves of the panel slants
		for i := range x[:4] {
			if x[i] == 0 {
				x[i] = 0.3 * mesh.Z[k][i]
			}
		}
	}
	for samples, want := range map[int]int{1: 0, 4: 3, 16: 3} {
		pic := paintedPicture(t, mesh, render.Options{Samples: samples})
		shades := map[byte]bool{}
		for y := 72; y < 85; y++ { // the diagonal of the pane lies elsewhere
			for x := 32; x < 48; x++ {
				shades[at(pic, x, y)[1]] = true
			}
		}
		if len(shades)-2 != want {
			t.Errorf("%d samples: %d shades between dark and bright, want %d: %v", samples, len(shades)-2, want, shades)
		}
	}
}
