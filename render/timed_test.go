package render_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestTimedGroups checks the work of blocks in frames with groups, by counting spans in place of time. Blocks together
// have all the work of the frame. Of a closed box most blocks have little, because they lie inside. Pictures are the same
// as with all triangles drawn.
func TestTimedGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	for name, c := range map[string]struct {
		mesh          *scenes.Mesh
		width, height int
		left          float64 // largest part of the work without groups that may be left
		spared        float64 // least part of the blocks of the mesh that have at most a quarter of their work
	}{
		"closed box":    {generated(t, "scene:housing?triangles=500k&closed=1"), 320, 240, 0.5, 0.75},
		"bumpy":         {bumpy(300, 200), 320, 240, 1.001, 0},
		"dense, sieved": {bumpy(500, 400), 100, 80, 1.001, 0},
	} {
		surface, err := render.NewSurface(t.Context(), c.mesh, render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		file := stored(t, surface, 0)
		if c.spared > 0 { // with sieves, groups are deferred by whole bundles, which are large beside this box
			surface.LeaveUnpacked()
		}
		for _, o := range []render.Options{{}, render.Options{}.Studio()} {
			o.Width, o.Height, o.TimeBlocks, o.BlockSize = c.width, c.height, true, scenes.BlockSize
			cam := fitted(t, c.mesh, o, camera.Options{Azimuth: 30, Elevation: 20})
			all, want := timed(t, surface, cam, o, lb.Never, nil)
			for workers := 1; workers <= 3; workers++ {
				for _, source := range []scenes.Source{surface, file} {
					o.Workers = workers
					got, pic := timed(t, source, cam, o, lb.Always, nil)
					if !bytes.Equal(pic.Pix, want.Pix) {
						t.Errorf("%s, %d workers: another picture", name, workers)
					}
					if left := sum(got) / sum(all); len(got) != len(all) || left > c.left {
						t.Errorf("%s, %T, %d workers: %d blocks with %.3f of the work, want %d", name, source, workers, len(got), left, len(all))
					}
					if source == scenes.Source(surface) {
						spared := 0
						for i := range got {
							if got[i] <= all[i]/4 {
								spared++
							}
						}
						if part := float64(spared) / float64(len(got)); part < c.spared {
							t.Errorf("%s, %d workers: only %.3f of the blocks have at most a quarter of their work", name, workers, part)
						}
					}
					timed(t, source, cam, o, lb.Always, random)
				}
			}
		}
	}
}

// timed draws frames with timed blocks and returns the spans of each block in the last frame, and its picture. With a
// random source the history of groups changes between frames, so that groups are drawn late.
func timed(t *testing.T, source scenes.Source, cam render.Camera, o render.Options, p lb.Policy, random *rand.Rand) ([]float64, *render.Picture) {
	t.Helper()
	r, pic := newRenderer(t, o), new(render.Picture)
	render.SetLeaves(r, p, 1)
	render.MeterSpans(r)
	for range 12 {
		stats, err := r.Frame(t.Context(), source, cam, pic)
		if err != nil {
			t.Fatal(err)
		}
		if spans := sum(r.BlockSeconds()); math.Abs(spans-float64(stats.Spans)) > 1e-3 {
			t.Errorf("blocks have %v spans, the frame has %d", spans, stats.Spans)
		}
		if random != nil {
			render.ShuffleLeaves(r, random)
		}
	}
	return r.BlockSeconds(), pic
}

func sum(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}
