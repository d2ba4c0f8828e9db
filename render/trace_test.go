package render_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/vp/trace"
)

// traced draws one frame with a trace.
func traced(t testing.TB, source scenes.Source, cam render.Camera, o render.Options) (*render.Picture, render.Stats, []trace.Step) {
	t.Helper()
	var steps []trace.Step
	o.Trace = func(s trace.Step) error {
		steps = append(steps, s)
		return nil
	}
	pic, stats := drawn(t, source, cam, o)
	return pic, stats, steps
}

// setTrace changes the trace of the frames to come.
func setTrace(t *testing.T, r *render.Renderer, f render.TraceFunc) {
	t.Helper()
	o := r.Options()
	o.Trace = f
	if err := r.SetOptions(o); err != nil {
		t.Fatal(err)
	}
}

// checkTrace compares the sums over a trace with the statistics of the frame.
func checkTrace(t *testing.T, where string, steps []trace.Step, loops [2]render.LoopStats) {
	t.Helper()
	for _, loop := range loops {
		got := render.LoopStats{Name: loop.Name}
		tasks, lanes := int64(0), int64(1)
		for _, s := range steps {
			if s.Loop != loop.Name {
				continue
			}
			got.Iterations += s.Iterations
			got.IterationsUnbalanced += s.Unbalanced
			tasks += s.Tasks
			lanes = int64(s.Processors)
			if s.Redistributed {
				got.Redistributions++
			}
		}
		if got.Iterations > 0 {
			got.LaneUse = float64(tasks) / float64(got.Iterations*lanes)
			got.LaneUseUnbalanced = float64(tasks) / float64(got.IterationsUnbalanced*lanes)
		}
		if got != loop {
			t.Errorf("%s: the trace comes to %+v, the statistics are %+v", where, got, loop)
		}
	}
}

// checkOrder checks that the records are ordered by block, and that each loop counts its iterations without a gap.
func checkOrder(t *testing.T, where string, steps []trace.Step) {
	t.Helper()
	block, next := 0, map[string]int{}
	for i, s := range steps {
		if s.Block < block {
			t.Fatalf("%s: record %d: block %d after block %d", where, i, s.Block, block)
		}
		if s.Block > block {
			block, next = s.Block, map[string]int{}
		}
		if s.Iteration != next[s.Loop] {
			t.Fatalf("%s: record %d: iteration %d, want %d: %+v", where, i, s.Iteration, next[s.Loop], s)
		}
		next[s.Loop] += int(s.Iterations)
	}
}

// TestTraceIsTheSame checks that tracing does not change the picture, that the trace is the same for any number of
// workers, and that its sums are the counts of the untraced frame.
func TestTraceIsTheSame(t *testing.T) {
	mesh := unevenMesh()
	for _, level := range levels(t) {
		for _, block := range []int{0, 100} {
			for _, balance := range []render.Balance{render.BalanceCost, render.BalanceAlways, render.BalanceNever} {
				o := render.Options{Width: 350, Height: 225, Depth: true, ISA: level, BlockSize: block, Balance: balance}
				cam := closeCamera(t, mesh, o)
				o.Workers = 2
				want, wantStats := drawn(t, mesh, cam, o)
				var first []trace.Step
				for _, workers := range []int{1, 2, 3, 4} {
					o.Workers = workers
					where := fmt.Sprintf("%s, blocks of %d, policy %d, %d workers", level, block, balance, workers)
					got, stats, steps := traced(t, mesh, cam, o)
					if err := same(got, want, stats, wantStats); err != nil {
						t.Fatalf("%s: %v", where, err)
					}
					if stats.Loops != wantStats.Loops {
						t.Fatalf("%s: loops %+v, without trace %+v", where, stats.Loops, wantStats.Loops)
					}
					if workers == 1 {
						first = steps
						checkTrace(t, where, steps, wantStats.Loops)
						checkOrder(t, where, steps)
					}
					if !slices.Equal(steps, first) {
						t.Fatalf("%s: another trace than with one worker", where)
					}
				}
			}
		}
	}
}

// TestTraceOfBlocks traces a source that is read in blocks, which are cut into smaller ones.
func TestTraceOfBlocks(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 300, Height: 200, Workers: 3, BlockSize: 1000}
	cam := closeCamera(t, mesh, o)
	_, stats, steps := traced(t, &blockSource{mesh: mesh}, cam, o)
	checkTrace(t, "blocks", steps, stats.Loops)
	checkOrder(t, "blocks", steps)
	// The 4096 triangles of the first block are cut into five blocks of at most 1000, and each further block into at least
	// one.
	if last := steps[len(steps)-1].Block; last < 5 || last > 9 {
		t.Errorf("the last block is %d", last)
	}
}

// TestTraceKnown compares with values computed by hand. A group has a triangle 64 pixels high and fifteen triangles of
// one row. After one iteration 63 rows are left on one lane, which sixteen lanes could do in four iterations.
func TestTraceKnown(t *testing.T) {
	var triangles [][3]vec
	for i := range 15 {
		x := float64(10 + 4*i)
		triangles = append(triangles, [3]vec{{x, 0, 99}, {x + 3, 0, 99}, {x, 0, 100}})
	}
	triangles = append(triangles, [3]vec{{2, 0, 36}, {2, 0, 100}, {8, 0, 100}})
	o := render.Options{Width: 100, Height: 100, Balance: render.BalanceCost, BalanceCost: 10, Workers: 1}
	for _, level := range levels(t) {
		o.ISA = level
		_, stats, steps := traced(t, meshOf(triangles...), unitCamera(o), o)
		checkTrace(t, level, steps, stats.Loops)
		if len(steps) < 4 {
			t.Fatalf("%s: %+v", level, steps)
		}
		polygons := trace.Step{
			Loop: render.TraceScan, Stage: render.TracePolygons, Iterations: 1, Unbalanced: 1, Processors: 16,
			Active: 16, Max: 64, Sum: 79, Tasks: 16, Savings: 64 - 15 - 4, Cost: 160, Decision: trace.None,
		}
		moved := polygons
		moved.Iteration, moved.Iterations, moved.Unbalanced, moved.Active, moved.Max, moved.Sum, moved.Tasks = 1, 0, 63, 1, 63, 63, 0
		moved.Savings, moved.Cost, moved.Decision, moved.Redistributed = 59, 10, trace.Redistributed, true
		if steps[0] != polygons || steps[1] != moved {
			t.Errorf("%s: got\n%+v\nwant\n%+v", level, steps[:2], []trace.Step{polygons, moved})
		}
		for i, s := range steps[2 : len(steps)-1] {
			if s.Stage != render.TraceParts || s.Iteration != 1+i || s.Unbalanced != 0 || int(s.Max) != 4-i || !math.IsInf(s.Cost, 1) {
				t.Errorf("%s: iteration %d on parts: %+v", level, i, s)
			}
		}
		if z := steps[len(steps)-1]; len(steps) != 7 || z.Loop != render.TraceZBuffer || z.Max != 1 || z.Active != int(z.Sum) ||
			int64(z.Active) != stats.Spans || z.Tasks != stats.Pixels {
			t.Errorf("%s: %d records, the last %+v", level, len(steps), z)
		}
	}
}

// TestTraceOfLargePolygons draws a triangle that covers the whole picture. Its work is 2,130,000 samples, including 16
// for each row, so it is divided into 64 row ranges. A small triangle is shared too, because large triangles are half
// of all polygons.
func TestTraceOfLargePolygons(t *testing.T) {
	o := render.Options{Width: 2048, Height: 2048, Workers: 2}
	mesh := meshOf([3]vec{{0, 0, 0}, {0, 0, 2048}, {2048, 0, 2048}}, [3]vec{{0, 0, 2000}, {0, 0, 2010}, {9, 0, 2010}})
	_, stats, steps := traced(t, mesh, unitCamera(o), o)
	checkTrace(t, "large", steps, stats.Loops)
	want := trace.Step{
		Loop: render.TraceScan, Stage: render.TraceRows, Unbalanced: 2048, Processors: 16,
		Active: 2, Max: 2048, Sum: 2058, Savings: 2048, Decision: trace.Shared, Parts: 64, Redistributed: true,
	}
	if steps[0] != want {
		t.Errorf("got %+v, want %+v", steps[0], want)
	}
	rows := 0
	for _, s := range steps[1:] {
		if s.Stage == render.TraceRows && s.Unbalanced == 0 {
			rows += int(s.Tasks)
		}
	}
	if rows != 2058 {
		t.Errorf("%d rows on their own", rows)
	}
}

// TestFewTrianglesMakeManyBlocks checks that a mesh of less than a block is still cut into blocks for several workers.
func TestFewTrianglesMakeManyBlocks(t *testing.T) {
	for _, c := range []struct{ triangles, blockSize, blocks int }{
		{3888, 0, 16}, {300, 0, 2}, {200, 0, 1}, {3888, 100, 39}, {20_000, 0, 16}, {70_000, 0, 18},
	} {
		o := render.Options{Width: 64, Height: 64, Workers: 2, BlockSize: c.blockSize}
		mesh := soup(c.triangles, 0.2, 4)
		_, _, steps := traced(t, mesh, closeCamera(t, mesh, o), o)
		if last := steps[len(steps)-1].Block; last != c.blocks-1 {
			t.Errorf("%d triangles, blocks of %d: the last is %d, want %d", c.triangles, c.blockSize, last, c.blocks-1)
		}
	}
}

// TestTraceErrors ends frames by an error of the trace, by an error of the source, and by cancelling, while workers
// wait for their turn. The renderer must stay usable.
func TestTraceErrors(t *testing.T) {
	mesh := joined(unevenMesh(), soup(5000, 0.05, 11)) // the source has two blocks
	o := render.Options{Width: 500, Height: 400, Workers: 4, BlockSize: 50}
	cam := closeCamera(t, mesh, o)
	want, _, wantSteps := traced(t, mesh, cam, o)
	r := newRenderer(t, o)
	frames := 0
	for after := 0; after < len(wantSteps); after += 1 + len(wantSteps)/7 {
		count, calls := 0, 0
		setTrace(t, r, func(trace.Step) error {
			calls++
			if count++; count > after {
				return errTest
			}
			return nil
		})
		if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); !errors.Is(err, errTest) || calls != after+1 {
			t.Fatalf("after %d records: %v, %d calls", after, err, calls)
		}
		setTrace(t, r, func(trace.Step) error { return nil })
		if err := cancelledFrame(t, r, mesh, cam); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled: %v", err)
		}
		if err := failedFrame(t, r, mesh, cam); !errors.Is(err, errTest) {
			t.Fatalf("failed: %v", err)
		}
		frames += 3
		var steps []trace.Step
		setTrace(t, r, func(s trace.Step) error {
			steps = append(steps, s)
			return nil
		})
		pic := new(render.Picture)
		if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil || string(pic.Pix) != string(want.Pix) {
			t.Fatalf("another picture after errors (%v)", err)
		}
		for i := range steps {
			if steps[i].Frame != frames {
				t.Fatalf("frame %d, want %d", steps[i].Frame, frames)
			}
			steps[i].Frame = 0
		}
		if !slices.Equal(steps, wantSteps) {
			t.Fatal("another trace after errors")
		}
		setTrace(t, r, nil)
		if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil || string(pic.Pix) != string(want.Pix) {
			t.Fatalf("another picture after a trace (%v)", err)
		}
		frames += 2
	}
}

// TestTracePanics checks that no worker waits for a worker whose report has panicked.
func TestTracePanics(t *testing.T) {
	mesh := unevenMesh()
	o := render.Options{Width: 200, Height: 200, Workers: 3, BlockSize: 20}
	cam := closeCamera(t, mesh, o)
	r := newRenderer(t, o)
	count := 0
	setTrace(t, r, func(trace.Step) error {
		if count++; count == 100 {
			panic(errTest)
		}
		return nil
	})
	defer func() {
		if recover() == nil {
			t.Error("the panic was lost")
		}
	}()
	_, _ = r.Frame(t.Context(), mesh, cam, new(render.Picture))
}

// TestPanicInTrace draws a frame after a trace that panicked in the middle of a frame. The next picture must contain
// nothing of that frame.
func TestPanicInTrace(t *testing.T) {
	mesh := joined(unevenMesh(), soup(500, 0.05, 11))
	for _, workers := range []int{1, 3} {
		o := render.Options{Width: 300, Height: 200, Workers: workers, BlockSize: 50}
		near := closeCamera(t, mesh, o)
		far := fitted(t, mesh, o, camera.Options{Azimuth: 80})
		want, _ := drawn(t, mesh, far, o)
		r := newRenderer(t, o)
		steps := 0
		setTrace(t, r, func(trace.Step) error {
			if steps++; steps == 100 {
				panic("enough")
			}
			return nil
		})
		func() {
			defer func() {
				if recover() == nil {
					t.Error("nobody heard of the panic")
				}
			}()
			_, err := r.Frame(t.Context(), mesh, near, new(render.Picture))
			t.Errorf("the frame returned, with error %v", err)
		}()
		setTrace(t, r, nil)
		var pic render.Picture
		if _, err := r.Frame(t.Context(), mesh, far, &pic); err != nil || string(pic.Pix) != string(want.Pix) {
			t.Errorf("%d workers: another picture after a panic, or error %v", workers, err)
		}
	}
}
