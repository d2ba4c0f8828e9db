package render_test

import (
	"sync/atomic"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// breaking is a surface that panics when no more parts of it may be read.
type breaking struct {
	*render.Surface
	left *atomic.Int64 // number of parts that may still be read
}

func (b breaking) Slice(lo, hi int) scenes.Block {
	if b.left.Add(-1) == 0 {
		panic("no")
	}
	return b.Surface.Slice(lo, hi)
}

func (b breaking) Whole() *scenes.Block { return &b.Block }

// TestNothingDeferredAfterPanic draws points, and layers of a mesh, after a frame that deferred polygons or groups and
// then panicked. The pictures must equal those of new renderers.
func TestNothingDeferredAfterPanic(t *testing.T) {
	mesh := generated(t, "scene:housing?gears=8&triangles=60k")
	surface, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	points := &scenes.Points{Size: 0.2}
	for i := range 200 {
		at := surface.Triangle(i * mesh.Len() / 200)
		points.X, points.Y, points.Z = append(points.X, at[0][0]), append(points.Y, at[0][1]), append(points.Z, at[0][2])
	}
	for _, c := range []struct {
		name  string
		o     render.Options
		least int // least number of triangles of meshes whose groups are deferred
	}{
		{"unlit", render.Options{Leaves: lb.Always}, 0},
		{"back faces", render.Options{Light: render.LightStudio, Leaves: lb.Never}, 0},
		{"predicted", render.Options{Light: render.LightStudio, Leaves: lb.Always}, 0},
		// With lb.Always, the mesh would not be read by Slice.
		{"groups", render.Options{Light: render.LightStudio, BlockSize: 64}, 1},
	} {
		c.o.Width, c.o.Height, c.o.Samples, c.o.Workers = 500, 400, 4, 2
		near := fitted(t, mesh, c.o, camera.Options{Zoom: 2})
		for name, draw := range map[string]func(r *render.Renderer) *render.Picture{
			"points": func(r *render.Renderer) *render.Picture { return frameOf(t, r, points, near) },
			"layers": func(r *render.Renderer) *render.Picture { return byLayer(t, r, surface, near) },
		} {
			want := draw(newRenderer(t, c.o))
			r := newRenderer(t, c.o)
			render.SetLeaves(r, c.o.Leaves, c.least)
			for range 6 { // six frames, after which groups that were never visible are deferred
				frameOf(t, r, surface, near)
			}
			breakOff(t, r, surface, near)
			if n, _ := render.LeavesDeferred(r); n > 0 != (c.name == "groups") {
				t.Errorf("%s: %d groups were deferred", c.name, n)
			}
			if got := draw(r); string(got.Pix) != string(want.Pix) {
				t.Errorf("%s, %s: another picture after a panic", c.name, name)
			}
		}
	}
}

// breakOff counts how many parts of the surface a frame reads. It then draws a frame that panics after three quarters
// of that number.
func breakOff(t *testing.T, r *render.Renderer, s *render.Surface, cam render.Camera) {
	t.Helper()
	const most = 1 << 40
	left := new(atomic.Int64)
	left.Store(most)
	frameOf(t, r, breaking{s, left}, cam)
	left.Store(max(1, (most-left.Load())*3/4))
	defer func() {
		if recover() == nil {
			t.Error("nobody heard of the panic")
		}
	}()
	_, err := r.Frame(t.Context(), breaking{s, left}, cam, new(render.Picture))
	t.Errorf("the frame returned, with error %v", err)
}

func frameOf(t *testing.T, r *render.Renderer, source scenes.Source, cam render.Camera) *render.Picture {
	t.Helper()
	pic := new(render.Picture)
	if _, err := r.Frame(t.Context(), source, cam, pic); err != nil {
		t.Fatal(err)
	}
	return pic
}

// byLayer draws all blocks of a surface into a layer with a new renderer, and returns the picture that r makes of the
// layer.
func byLayer(t *testing.T, r *render.Renderer, s *render.Surface, cam render.Camera) *render.Picture {
	t.Helper()
	layer, pic := new(part.Layer), new(render.Picture)
	o := r.Options()
	n, err := part.Blocks(o, s)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([]int, n)
	for i := range blocks {
		blocks[i] = i
	}
	if _, err := part.DrawLayer(t.Context(), newRenderer(t, o), s, cam, blocks, layer); err != nil {
		t.Fatal(err)
	}
	rows := func(ty int) [][]byte { return [][]byte{layer.Row(ty)} }
	if _, err := part.Light(t.Context(), r, s, cam, part.Strip{Own: part.All(r), Layers: rows}, pic); err != nil {
		t.Fatal(err)
	}
	return pic
}
