package render_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/calibration"
	"lockstep/render/camera"
	"lockstep/render/ground"
	"lockstep/render/lockstep"
	"lockstep/render/part"
	"lockstep/scenes"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// meddler is a mesh that calls a function when its blocks are read.
type meddler struct {
	scenes.Source
	call func()
}

func (m meddler) ReadBlock(i int, dst *scenes.Block) error {
	m.call()
	return m.Source.ReadBlock(i, dst)
}

// reentrant returns a renderer of small pictures, a mesh with more blocks than workers, and a camera.
func reentrant(t *testing.T, workers int) (*render.Renderer, *scenes.Mesh, render.Camera) {
	mesh := sphere(120, 120, 1)
	r := newRenderer(t, render.Options{Width: 32, Height: 32, Workers: workers})
	cam, err := camera.Fit(mesh.Bounds(), 32, 32, camera.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, mesh, cam
}

// TestCloseInsideAFrame checks that Close within a frame returns at once, that the frame is complete, and that the
// renderer is closed after it.
func TestCloseInsideAFrame(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		r, mesh, cam := reentrant(t, workers)
		var want, got render.Picture
		if _, err := r.Frame(context.Background(), mesh, cam, &want); err != nil {
			t.Fatal(err)
		}
		stats, err := r.Frame(context.Background(), meddler{mesh, r.Close}, cam, &got)
		if err != nil || string(got.Pix) != string(want.Pix) || stats.Covered == 0 {
			t.Errorf("%d workers: %v, want a whole frame", workers, err)
		}
		if _, err := r.Frame(context.Background(), mesh, cam, &got); !errors.Is(err, render.ErrClosed) {
			t.Errorf("%d workers: a frame after Close: %v", workers, err)
		}
		r.Close()
	}
}

// TestCallsInsideAFrame checks that methods that draw or change the renderer return ErrBusy within a frame, that
// methods of its machine panic, and that the next frame is drawn.
func TestCallsInsideAFrame(t *testing.T) {
	for _, workers := range []int{1, 2} {
		r, mesh, cam := reentrant(t, workers)
		ctx := context.Background()
		calls := map[string]func() error{
			"Frame": func() error { _, err := r.Frame(ctx, mesh, cam, new(render.Picture)); return err },
			"FrameRows": func() error {
				_, err := part.DrawRows(ctx, r, mesh, cam, part.Rows{Lo: 0, Hi: 32}, new(render.Picture))
				return err
			},
			"DrawLayer":  func() error { _, err := part.DrawLayer(ctx, r, mesh, cam, nil, new(part.Layer)); return err },
			"Light":      func() error { _, err := part.Light(ctx, r, mesh, cam, part.Strip{}, new(render.Picture)); return err },
			"SetOptions": func() error { return r.SetOptions(r.Options()) },
		}
		for name, call := range calls {
			source := meddler{mesh, func() {
				if err := call(); !errors.Is(err, render.ErrBusy) {
					t.Errorf("%s inside a frame: %v, want ErrBusy", name, err)
				}
			}}
			if _, err := r.Frame(ctx, source, cam, new(render.Picture)); err != nil {
				t.Errorf("a frame that %s is called in: %v", name, err)
			}
		}
		m := r.Machine()
		for name, call := range map[string]func(){
			"Run": func() { m.Run(func(int) {}) }, "For": func() { m.For(9, 1, func(int, int) {}) }, "Close": m.Close,
			"panic": func() { panic("no") }, "Goexit": runtime.Goexit,
		} {
			ended := make(chan any)
			go func() {
				defer func() { ended <- recover() }()
				r.Frame(ctx, meddler{mesh, call}, cam, new(render.Picture))
			}()
			failure, _ := (<-ended).(*machine.PanicError)
			if name != "Goexit" && failure == nil || len(name) < 6 && name != "panic" && !strings.Contains(failure.Error(), name+" inside") {
				t.Errorf("%s inside a frame: %v", name, failure)
			}
			if _, err := r.Frame(ctx, mesh, cam, new(render.Picture)); err != nil {
				t.Errorf("a frame after %s: %v", name, err)
			}
		}
		r.Close()
	}
}

// TestNilArgumentsAreErrors checks that nil arguments are clear errors and cause no panic.
func TestNilArgumentsAreErrors(t *testing.T) {
	r, mesh, cam := reentrant(t, 1)
	ctx, box, o := context.Background(), mesh.Bounds(), camera.Options{}
	pic := new(render.Picture)
	only := func(_ any, err error) error { return err }
	frame := func(ctx context.Context, s scenes.Source) error { return only(r.Frame(ctx, s, cam, pic)) }
	var noContext context.Context
	var none *scenes.Mesh
	var noSurface *render.Surface
	bothNil := map[string]func(ctx context.Context, s scenes.Source) error{
		"Frame": frame,
		"FrameRows": func(ctx context.Context, s scenes.Source) error {
			return only(part.DrawRows(ctx, r, s, cam, part.Rows{Lo: 0, Hi: 32}, pic))
		},
		"DrawLayer": func(ctx context.Context, s scenes.Source) error {
			return only(part.DrawLayer(ctx, r, s, cam, nil, new(part.Layer)))
		},
		"FitTight": func(ctx context.Context, s scenes.Source) error { return only(camera.FitTight(ctx, s, box, 9, 9, o)) },
		"FitTightTurn": func(ctx context.Context, s scenes.Source) error {
			return only(camera.FitTightTurn(ctx, s, box, 9, 9, o, []float64{0}))
		},
		"ground.New": func(ctx context.Context, s scenes.Source) error {
			return only(ground.New(ctx, s, box, scenes.PlusZ, 64))
		},
		"lockstep.Draw": func(ctx context.Context, s scenes.Source) error {
			return only(lockstep.Draw(ctx, s, cam, render.Options{Width: 32, Height: 32}, lockstep.Options{}, pic))
		},
		"part.Bands": func(ctx context.Context, s scenes.Source) error {
			return only(part.Bands(ctx, r, s, cam, part.BandOptions{Options: render.Options{Width: 32, Height: 32}}, func(part.Band) error { return nil }))
		},
	}
	for name, call := range bothNil {
		for what, err := range map[string]error{
			"context": call(noContext, mesh), "source": call(ctx, nil), "mesh": call(ctx, none), "surface": call(ctx, noSurface),
		} {
			if err == nil || !strings.Contains(err.Error(), "not nil") {
				t.Errorf("%s without a %s: %v", name, what, err)
			}
		}
	}
	a, err := annotate.New(ctx, nil, box, annotate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Frame, empty surface":     frame(ctx, new(render.Surface)),
		"Frame without picture":    only(r.Frame(ctx, mesh, cam, nil)),
		"Light without context":    only(part.Light(noContext, r, mesh, cam, part.Strip{Layers: func(int) [][]byte { return nil }}, pic)),
		"FitAround, nil context":   only(camera.FitAround(noContext, mesh, box, 9, 9, []camera.Options{o})),
		"FitAround, nil mesh":      only(camera.FitAround(ctx, none, box, 9, 9, []camera.Options{o})),
		"NewSurface, nil context":  only(render.NewSurface(noContext, mesh, render.SurfaceOptions{})),
		"NewSurface, nil mesh":     only(render.NewSurface(ctx, nil, render.SurfaceOptions{})),
		"annotate.New":             only(annotate.New(noContext, nil, box, annotate.Options{})),
		"annotate without picture": a.Draw(ctx, nil, &cam),
		"annotate without camera":  a.Draw(ctx, pic, nil),
		"annotate without context": a.Draw(noContext, pic, &cam),
		"ground without picture":   new(ground.Backdrop).Lay(ctx, nil, &cam, 1, 0),
		"Measure":                  only(calibration.Measure(noContext, "")),
		"lockstep, no picture":     only(lockstep.Draw(ctx, mesh, cam, render.Options{}, lockstep.Options{}, nil)),
		"lockstep, processors":     only(lockstep.Draw(ctx, mesh, cam, render.Options{}, lockstep.Options{Processors: vp.MaxProcessors + 1}, pic)),
		"bands without renderer":   only(part.Bands(ctx, nil, mesh, cam, part.BandOptions{}, func(part.Band) error { return nil })),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := frame(ctx, mesh); err != nil {
		t.Errorf("a frame after all that: %v", err)
	}
}
