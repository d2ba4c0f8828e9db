package main

import (
	"sync/atomic"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// TestProgressOfFrames draws frames that defer no polygons, frames that defer polygons facing away, and frames that
// defer polygons which the last frame predicts to be hidden. Each frame must count every triangle once.
func TestProgressOfFrames(t *testing.T) {
	scene, err := procedural.Parse("scene:housing?gears=8&triangles=20k")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	surface, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var counted atomic.Int64
	add := func(triangles int64) { counted.Add(triangles) }
	plain := render.Options{Width: 500, Height: 400, Samples: 4, Workers: 2, Leaves: lb.Always}
	studio := plain
	studio.Light, studio.Shading = render.LightStudio, render.ShadingSmooth
	for i, c := range []struct {
		source scenes.Source
		o      render.Options
	}{
		{&progressMesh{Mesh: mesh, add: add}, plain},
		{&progressSurface{Surface: surface, add: add}, plain},
		{&progressSurface{Surface: surface, add: add}, studio},
		{&progressSource{Source: scene, add: add}, plain},
	} {
		r, err := render.New(c.o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cam, err := camera.Fit(mesh.Bounds(), c.o.Width, c.o.Height, camera.Options{})
		if err != nil {
			t.Fatal(err)
		}
		deferred := int64(0)
		for frame := range 3 {
			counted.Store(0)
			stats, err := r.Frame(t.Context(), c.source, cam, new(render.Picture))
			if err != nil {
				t.Fatal(err)
			}
			deferred += stats.Hidden.Deferred
			if got, want := counted.Load(), int64(c.source.Len()); got != want {
				t.Errorf("source %d, frame %d: counted %d of %d triangles", i, frame, got, want)
			}
		}
		if _, inMemory := c.source.(interface{ Whole() *scenes.Block }); inMemory != (deferred > 0) {
			t.Errorf("source %d: %d polygons were deferred", i, deferred)
		}
	}
}
