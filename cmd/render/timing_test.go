package main

import (
	"context"
	"io"
	"math"
	"sync/atomic"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/recipe"
)

// testWork returns a pipeline for a mesh whose stages take measurable times, and the camera to draw it with.
func testWork(t *testing.T, mesh string) (*pipeline, render.Camera) {
	t.Helper()
	f := pictureflags.Draw{
		Mesh: pictureflags.Path(mesh), Size: recipe.Size{Width: 640, Height: 480}, View: &recipe.View{Azimuth: 30, Elevation: 20}, Zoom: 1,
		Projection: "perspective", Fov: 30, Look: pictureflags.Look{Fast: true, Light: "headlight", Cull: "none"}, Workers: 2, Isa: "auto", Balance: lb.Never,
	}
	a := &app{App: cli.New("render", cli.Streams{Stderr: io.Discard})}
	w, err := a.newPipeline(context.Background(), &f, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	cam, err := camera.Fit(w.Input.Box, w.Width, w.Height, f.CameraOptions(w.Input))
	if err != nil {
		t.Fatal(err)
	}
	return w, cam
}

// TestStageTimes checks that every stage of a frame takes time, and that the stages together take no longer than the
// frame. The test does not depend on speed. It fails if the time of a stage is counted twice, or is added over the
// workers instead of averaged.
func TestStageTimes(t *testing.T) {
	for _, mesh := range []string{
		"scene:bumpy?triangles=200000",  // this mesh is stored in memory
		"scene:sphere?triangles=600000", // this mesh is generated in blocks, so reading is a part of the frame
	} {
		w, cam := testWork(t, mesh)
		var pic render.Picture
		if _, err := w.draw(context.Background(), w.Input.Source, cam, &pic); err != nil {
			t.Fatal(err)
		}
		x, read := w.statistics(nil).Seconds, w.sum.Seconds.Read.Seconds()
		sum := read
		for name, stage := range map[string]float64{
			"geometry": x.Geometry, "scan": x.Scan, "zbuffer": x.ZBuffer, "merge": x.Merge, "resolve": x.Resolve,
		} {
			if stage <= 0 {
				t.Errorf("%s: %s took %v seconds", mesh, name, stage)
			}
			sum += stage
		}
		if sum > 1.05*x.Frame {
			t.Errorf("%s: the stages took %v seconds, the frame %v: %+v", mesh, sum, x.Frame, x)
		}
		if streams := w.Input.Mesh() == nil; streams != (read > 0) {
			t.Errorf("%s: reading blocks took %v seconds", mesh, read)
		}
		if want := w.Input.ReadTime.Seconds() + read; math.Abs(x.Read-want) > 1e-9 {
			t.Errorf("%s: read is %v, want %v", mesh, x.Read, want)
		}
	}
}

// TestEncodingIsCalledOff checks that encoding ends with its context, and returns an error about the missing strips.
func TestEncodingIsCalledOff(t *testing.T) {
	w, _ := testWork(t, "scene:cube")
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int64
	w.pngOptions(ctx, nil).Run(1000, func(int) {
		if done.Add(1) >= 3 {
			cancel()
		}
	})
	if n := int(done.Load()); n < 3 || n > 2+w.Renderer.Machine().Workers() {
		t.Errorf("%d of 1000 tasks, though the context ended with the third", n)
	}
	pic := render.Picture{Width: 640, Height: 480, Pix: make([]byte, 4*640*480)}
	if err := w.encoder.EncodeRGBA(io.Discard, pic.Pix, 4*640, 640, 480, w.pngOptions(ctx, nil)); err == nil {
		t.Error("a picture whose context has ended is written")
	}
}
