package render_test

import (
	"bytes"
	"context"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// stepsCloud returns a cloud of stairs, with steps on both sides of all borders of tile rows.
func stepsCloud() *scenes.Points {
	p := &scenes.Points{Size: 0.03}
	for i := range 20_000 {
		x, y := float32(i%200)/100-1, float32(i/200)/50-1
		p.X, p.Y, p.Z = append(p.X, x), append(p.Y, y), append(p.Z, float32(int(8*(x+y)))/8+0.3*x)
	}
	return p
}

// TestEyeDomeInParts draws a cloud with eye-dome light in bands, and in parts as nodes that share a frame do. The
// pictures must equal those of a whole frame, bit for bit.
func TestEyeDomeInParts(t *testing.T) {
	cloud := stepsCloud()
	for name, o := range map[string]render.Options{
		"flat": {Light: render.LightStudio, EyeDome: true}, "studio": render.Options{}.Studio(), "16 samples": {Light: render.LightStudio, EyeDome: true, Samples: 16},
	} {
		o.Width, o.Height, o.Workers = 170, 150, 1
		cam, err := camera.FitTight(t.Context(), cloud, cloud.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 30, Elevation: 35})
		if err != nil {
			t.Fatal(err)
		}
		nodes := make([]*render.Renderer, 3)
		for i := range nodes {
			if nodes[i], err = render.New(o); err != nil {
				t.Fatal(err)
			}
			defer nodes[i].Close()
		}
		var want, plain render.Picture
		if _, err := nodes[0].Frame(t.Context(), cloud, cam, &want); err != nil {
			t.Fatal(err)
		}
		owner := make([]int, scenes.NumBlocks(cloud))
		for b := range owner {
			owner[b] = b % len(nodes)
		}
		rows := part.All(nodes[0]).Hi
		if got := parted(t, nodes, cloud, cam, owner, []int{0, rows / 3, rows/3 + 1, rows}); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: another picture by three nodes", name)
		}
		var bands []byte
		for lo := 0; lo < o.Height; lo += part.RowStep {
			var pic render.Picture
			if _, err := part.DrawRows(context.Background(), nodes[1], cloud, cam, part.Rows{Lo: lo, Hi: min(lo+part.RowStep, o.Height)}, &pic); err != nil {
				t.Fatal(err)
			}
			bands = append(bands, pic.Pix...)
		}
		if !bytes.Equal(bands, want.Pix) {
			t.Errorf("%s: another picture in bands", name)
		}
		o.EyeDome = false
		if err := nodes[2].SetOptions(o); err != nil {
			t.Fatal(err)
		}
		if _, err := nodes[2].Frame(t.Context(), cloud, cam, &plain); err != nil || bytes.Equal(plain.Pix, want.Pix) {
			t.Errorf("%s: the same picture without eye-dome light, %v", name, err)
		}
	}
}
