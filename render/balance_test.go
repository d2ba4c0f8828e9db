package render_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// unevenMesh returns a mesh in which balancing moves every kind of work. It has slivers as tall as the picture, and a
// block of large polygons with small ones between them.
func unevenMesh() *scenes.Mesh {
	return joined(soup(300, 0.05, 5), slivers(150, 7), soup(200, 0.02, 8), soup(30, 1.9, 6), soup(900, 0.05, 9), slivers(40, 10))
}

// TestIdenticalForPolicies draws with every policy, number of workers and instruction set, and with some block sizes.
// The order of tasks differs, but the picture and the number of tasks must not.
func TestIdenticalForPolicies(t *testing.T) {
	mesh := unevenMesh()
	o := render.Options{Width: 210, Height: 135, Depth: true, Workers: 1, ISA: "generic", Balance: render.BalanceNever}
	cam := closeCamera(t, mesh, o)
	want, wantStats := drawn(t, mesh, cam, o)
	policies := []render.Options{
		{Balance: render.BalanceNever}, {Balance: render.BalanceAlways}, {Balance: render.BalanceCost},
		{Balance: render.BalanceCost, BalanceCost: 1}, {Balance: render.BalanceCost, BalanceCost: 30.5},
	}
	for _, level := range levels(t) {
		for _, block := range []int{0, 16, 333} {
			o.ISA, o.BlockSize = level, block
			never := render.LoopStats{}
			for _, policy := range policies {
				o.Balance, o.BalanceCost = policy.Balance, policy.BalanceCost
				one := render.LoopStats{}
				for workers := 1; workers <= 8; workers++ {
					if block != 0 && workers%3 != 1 && !*long {
						continue
					}
					o.Workers = workers
					got, stats := drawn(t, mesh, cam, o)
					where := fmt.Sprintf("%s, blocks of %d, policy %d, cost %g, %d workers", level, block, policy.Balance, policy.BalanceCost, workers)
					if err := same(got, want, stats, wantStats); err != nil {
						t.Fatalf("%s: %v", where, err)
					}
					loop := stats.Loops[0]
					if workers == 1 {
						one = loop
					}
					if loop != one {
						t.Fatalf("%s: loop %+v, with one worker %+v", where, loop, one)
					}
				}
				if policy.Balance == render.BalanceNever {
					never = one
				}
				checkLoop(t, fmt.Sprintf("%s, blocks of %d, policy %+v", level, block, policy), one, never)
			}
		}
	}
}

// checkLoop checks the relations between the counts of a loop and those of the same loop without balancing.
func checkLoop(t *testing.T, where string, loop, never render.LoopStats) {
	t.Helper()
	if loop.IterationsUnbalanced != never.Iterations || never.IterationsUnbalanced != never.Iterations || never.Redistributions != 0 {
		t.Errorf("%s: %+v, without balancing %+v", where, loop, never)
	}
	tasks := func(use float64, iterations int64) float64 { return math.Round(use * float64(iterations)) }
	if got, want := tasks(loop.LaneUse, loop.Iterations), tasks(never.LaneUse, never.Iterations); got != want {
		t.Errorf("%s: %v tasks a lane, want %v", where, got, want)
	}
	if loop.LaneUseUnbalanced != never.LaneUse || loop.LaneUse > 1 {
		t.Errorf("%s: lane use %v, unbalanced %v, without balancing %v", where, loop.LaneUse, loop.LaneUseUnbalanced, never.LaneUse)
	}
}

// TestCostBalancesSlivers draws slivers as tall as the picture among small triangles. The default policy must fill the
// lanes.
func TestCostBalancesSlivers(t *testing.T) {
	mesh := generated(t, "scene:slivers?triangles=20000")
	o := render.Options{Width: 512, Height: 512, Workers: 2}
	cam := fitted(t, mesh, o, camera.Options{})
	for _, level := range levels(t) {
		o.ISA = level
		_, stats := drawn(t, mesh, cam, o)
		loop := stats.Loops[0]
		if loop.LaneUse < 0.85 || loop.LaneUseUnbalanced > 0.1 || loop.Redistributions < 100 {
			t.Errorf("%s: %+v", level, loop)
		}
	}
}

// TestCostLeavesEvenMeshesAlone draws a mesh on which balancing saves nothing.
func TestCostLeavesEvenMeshesAlone(t *testing.T) {
	mesh := bumpy(300, 150)
	o := render.Options{Width: 640, Height: 480}
	cam := fitted(t, mesh, o, camera.Options{})
	_, stats := drawn(t, mesh, cam, o)
	if loop := stats.Loops[0]; loop.Redistributions != 0 || loop.Iterations != loop.IterationsUnbalanced {
		t.Errorf("%+v", loop)
	}
}

func TestBalanceOptions(t *testing.T) {
	for _, o := range []render.Options{
		{Balance: render.BalanceAlways + 1}, {BalanceCost: -1}, {BalanceCost: math.NaN()}, {BalanceCost: math.Inf(1)},
	} {
		if r, err := render.New(o); err == nil {
			r.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}

// TestSharingSurvivesErrors cancels frames, and lets frames fail, while workers wait for pieces of large polygons.
func TestSharingSurvivesErrors(t *testing.T) {
	big := soup(60, 1.9, 6)
	mesh := joined(big, soup(9000, 0.05, 5), big)
	o := render.Options{Width: 700, Height: 500, Workers: 4, BlockSize: 64}
	cam := closeCamera(t, mesh, o)
	want, wantStats := drawn(t, mesh, cam, o)
	r := newRenderer(t, o)
	for range 20 {
		if err := cancelledFrame(t, r, mesh, cam); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled: %v", err)
		}
		if err := failedFrame(t, r, mesh, cam); !errors.Is(err, errTest) {
			t.Fatalf("failed: %v", err)
		}
		pic := new(render.Picture)
		stats, err := r.Frame(t.Context(), mesh, cam, pic)
		if err != nil {
			t.Fatal(err)
		}
		if err := same(pic, want, stats, wantStats); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTimedBlocks checks that every block has a time, and that the picture is the same. While blocks are timed, large
// polygons must not be shared between workers.
func TestTimedBlocks(t *testing.T) {
	mesh := joined(soup(256, 0.01, 5), soup(256, 1.9, 6))
	o := render.Options{Width: 1400, Height: 900, Workers: 2, BlockSize: 256}
	cam := closeCamera(t, mesh, o)
	want, shared := drawn(t, mesh, cam, o)
	o.TimeBlocks = true
	r, err := render.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var pic render.Picture
	stats, err := r.Frame(t.Context(), mesh, cam, &pic)
	if err != nil {
		t.Fatal(err)
	}
	if string(pic.Pix) != string(want.Pix) {
		t.Error("another picture")
	}
	if timed := r.BlockSeconds(); len(timed) != 2 || timed[0] <= 0 || timed[1] <= 0 {
		t.Errorf("two blocks took %v s", timed)
	}
	if kept, all := stats.Balance.Shared, shared.Balance.Shared; kept > 0 || all == 0 {
		t.Errorf("%d polygons shared with timed blocks, %d without", kept, all)
	}
}

// TestSharingGoesByWork draws slivers whose bounding rectangles are large although they cover few samples. Sharing the
// slivers would cost more than drawing them. A triangle that covers such a rectangle must be shared.
func TestSharingGoesByWork(t *testing.T) {
	o := render.Options{Width: 2048, Height: 2048, Workers: 2, BalanceCost: 3000}
	for _, c := range []struct {
		name   string
		b, c   vec
		shared int64
	}{
		{"sliver", vec{1, 0, 1}, vec{1, 0, 0.999}, 0},
		{"half the picture", vec{1, 0, 1}, vec{1, 0, 0}, 1},
	} {
		mesh := meshOf([3]vec{{}, c.b, c.c})
		cam := fitted(t, mesh, o, camera.Options{})
		_, stats := drawn(t, mesh, cam, o)
		if got := stats.Balance.Shared; got != c.shared || stats.Loops[0].Redistributions != c.shared || stats.Spans < 1600 {
			t.Errorf("%s: %d polygons shared, want %d, of %d spans", c.name, got, c.shared, stats.Spans)
		}
	}
}
