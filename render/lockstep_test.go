package render_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/render"
	"lockstep/render/lockstep"
	"lockstep/scenes"
	"lockstep/vp"
	"lockstep/vp/trace"
)

// balancers returns methods of balancing a loop, and nil for no balancing. The plans of the methods depend on the
// number of idle processors, so that tasks move to all processors.
func balancers(t *testing.T) map[string]vp.Balancer {
	t.Helper()
	model := lb.NewCostModel(lb.DefaultConstant)
	if err := model.Calibrate([]lb.Timing{{Gather: 1, Redistribution: 4, Solution: 2}}); err != nil {
		t.Fatal(err)
	}
	paper := lb.Options{Cost: model, Planner: new(lb.Proportional)}
	return map[string]vp.Balancer{
		"never":        nil,
		"always":       lb.NewCycle(lb.Options{Policy: lb.Always}),
		"cost":         lb.NewCycle(lb.Options{Cost: model, Forecast: new(forecast.Histogram)}),
		"paper":        lb.NewCycle(paper),
		"uncalibrated": lb.NewCycle(lb.Options{}),
	}
}

// TestLockstepDrawsTheSamePicture draws with arrays of virtual processors of all sizes and with all policies. The
// picture must equal a Renderer's to the last bit, with the same number of tasks.
func TestLockstepDrawsTheSamePicture(t *testing.T) {
	mesh := unevenMesh()
	o := render.Options{Width: 300, Height: 200, Depth: true, Workers: 1, Balance: render.BalanceNever}
	cam := closeCamera(t, mesh, o)
	want, stats := drawn(t, mesh, cam, o)
	rows := int64(math.Round(stats.Loops[0].LaneUse * float64(stats.Loops[0].Iterations) * 16))
	for name, balancer := range balancers(t) {
		for _, l := range []lockstep.Options{{}, {Processors: 1}, {Processors: 7, Run: 5}, {Processors: 16, Run: 16}, {Processors: 5000}} {
			l.Scan.Balance, l.ZBuffer.Balance = balancer, balancer
			where := fmt.Sprintf("%s, %d processors", name, l.Processors)
			got := new(render.Picture)
			loops, err := lockstep.Draw(t.Context(), mesh, cam, o, l, got)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if err := same(got, want, stats, stats); err != nil {
				t.Errorf("%s: %v", where, err)
			}
			if loops[0].Tasks != rows || l.Run <= 1 && loops[1].Tasks != stats.Pixels {
				t.Errorf("%s: %d rows and %d runs, want %d rows and %d pixels", where, loops[0].Tasks, loops[1].Tasks, rows, stats.Pixels)
			}
			checkLockstepLoops(t, where, name, loops)
		}
	}
}

// checkLockstepLoops checks that balancing never lengthens a loop, and shortens loops that it should shorten.
func checkLockstepLoops(t *testing.T, where, policy string, loops [2]vp.Stats) {
	t.Helper()
	for i, loop := range loops {
		idle := policy == "never" || policy == "uncalibrated" || loop.Processors == 1
		switch {
		case loop.Iterations > loop.IterationsNever:
			t.Errorf("%s: loop %d takes %d iterations, left alone %d", where, i, loop.Iterations, loop.IterationsNever)
		case idle && (loop.Redistributions != 0 || loop.Iterations != loop.IterationsNever):
			t.Errorf("%s: loop %d was balanced: %+v", where, i, loop)
		case !idle && i == 0 && loop.Iterations > loop.IterationsNever*3/4:
			t.Errorf("%s: loop %d was hardly balanced: %+v", where, i, loop)
		}
	}
}

// TestLockstepDrawsSamples draws several samples a pixel on a background. The depth of a pixel must be that of its
// nearest sample.
func TestLockstepDrawsSamples(t *testing.T) {
	mesh := soup(60, 0.3, 9)
	for _, samples := range []int{1, 4, 16} {
		o := render.Options{Width: 50, Height: 40, Samples: samples, Depth: true, Background: render.RGB(0x336699), Color: render.RGB(0xff8800), Workers: 1}
		cam := closeCamera(t, mesh, o)
		want, stats := drawn(t, mesh, cam, o)
		got := new(render.Picture)
		if _, err := lockstep.Draw(t.Context(), mesh, cam, o, lockstep.Options{}, got); err != nil {
			t.Fatal(err)
		}
		if err := same(got, want, stats, stats); err != nil {
			t.Errorf("%d samples: %v", samples, err)
		}
	}
}

// TestLockstepOfLanes uses as many virtual processors as a worker has lanes. The loop must take as many iterations as
// the renderer counts for a block.
func TestLockstepOfLanes(t *testing.T) {
	mesh := joined(soup(300, 0.05, 5), slivers(150, 7), soup(200, 0.02, 8))
	o := render.Options{Width: 300, Height: 200, Workers: 1, Balance: render.BalanceNever, TimeBlocks: true} // one block
	cam := closeCamera(t, mesh, o)
	_, stats := drawn(t, mesh, cam, o)
	loops, err := lockstep.Draw(t.Context(), mesh, cam, o, lockstep.Options{Processors: 16, Run: 16}, new(render.Picture))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := int64(loops[0].Iterations), stats.Loops[0].Iterations; got != want {
		t.Errorf("%d iterations of scan conversion, the renderer takes %d", got, want)
	}
	if got, want := loops[1].Tasks, stats.Loops[1].Iterations; got != want {
		t.Errorf("%d runs, the renderer has %d", got, want)
	}
}

func TestLockstepRefuses(t *testing.T) {
	mesh := soup(10, 0.5, 1)
	o := render.Options{Width: 30, Height: 20}
	cam := closeCamera(t, mesh, o)
	for _, l := range []lockstep.Options{{Processors: -1}, {Run: -1}} {
		if _, err := lockstep.Draw(t.Context(), mesh, cam, o, l, new(render.Picture)); err == nil {
			t.Errorf("%+v was accepted", l)
		}
	}
	// If the length of a task exceeds that of a span, the whole span is one task.
	want, _ := drawn(t, mesh, cam, render.Options{Width: 30, Height: 20, Workers: 1})
	for _, run := range []int{render.MaxPixels, math.MaxInt32, math.MaxInt/2 + 1, math.MaxInt} {
		got := new(render.Picture)
		if _, err := lockstep.Draw(t.Context(), mesh, cam, o, lockstep.Options{Run: run}, got); err != nil || string(got.Pix) != string(want.Pix) {
			t.Errorf("runs of %d: another picture, or error %v", run, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	iterations := 0
	stop := lockstep.Options{Scan: vp.LoopOptions{Trace: func(trace.Step) {
		if iterations++; iterations == 2 {
			cancel()
		}
	}}}
	if _, err := lockstep.Draw(ctx, mesh, cam, o, stop, new(render.Picture)); !errors.Is(err, context.Canceled) || iterations != 2 {
		t.Errorf("called off after two iterations: %v after %d", err, iterations)
	}
	if _, err := lockstep.Draw(t.Context(), failing{mesh}, cam, o, lockstep.Options{}, new(render.Picture)); err == nil {
		t.Error("a source that fails was drawn")
	}
}

// failing is a mesh whose blocks cannot be read.
type failing struct{ *scenes.Mesh }

func (failing) ReadBlock(int, *scenes.Block) error { return errTest }
