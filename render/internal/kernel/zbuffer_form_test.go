package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp"
	"lockstep/vp/isa"
)

// spanLanes is the z-buffer loop in the form of the paper. Each lane has a span, or the part of a span that a
// redistribution has given to it. In an iteration every lane with remaining pixels merges one pixel. A group of spans
// takes as many iterations as its longest span has pixels.
type spanLanes struct {
	policy lb.Policy
	cost   float64 // cost of a redistribution, in iterations
	spans  *array.Spans

	span               [array.Lanes]int   // span of each lane
	next, left         [array.Lanes]int32 // next pixel of each lane, and number of its remaining pixels
	plan               [array.Lanes]int32
	planner            lb.Minimax
	iterations, pixels int64
	redistributions    int64
}

// run merges the spans into a frame.
func (z *spanLanes) run(frame []uint64, spans *array.Spans) {
	z.spans, z.iterations, z.pixels, z.redistributions = spans, 0, 0, 0
	for group := 0; group < spans.N; group += array.Lanes {
		for l := range z.left {
			z.span[l], z.next[l], z.left[l] = group+l, 0, 0
			if group+l < spans.N {
				z.left[l] = spans.Count[group+l]
			}
		}
		for last := array.Lanes + 1; ; {
			active := z.active()
			if active == 0 {
				break
			}
			if active < array.Lanes && active < last { // the savings only increase when a lane ends
				last = active
				z.look()
			}
			z.iterate(frame)
		}
	}
}

func (z *spanLanes) active() (lanes int) {
	for _, left := range z.left {
		if left > 0 {
			lanes++
		}
	}
	return lanes
}

// iterate merges the next pixel of every active lane.
func (z *spanLanes) iterate(frame []uint64) {
	z.iterations++
	for l, left := range z.left {
		if left == 0 {
			continue
		}
		zbuffer.MergeRun(frame, z.spans, z.span[l], int(z.next[l]), 1)
		z.next[l]++
		z.left[l]--
		z.pixels++
	}
}

// The method look redistributes the remaining pixels if this saves more than it costs.
func (z *spanLanes) look() {
	if z.policy == lb.Never {
		return
	}
	s := lb.Gather(z.left[:])
	newMax := z.planner.Plan(z.plan[:], z.left[:], s)
	if !z.policy.Decide(s, newMax, z.cost).Redistribute {
		return
	}
	z.redistributions++
	idle := make([]int, 0, array.Lanes)
	for l, left := range z.left {
		if left == 0 {
			idle = append(idle, l)
		}
	}
	for donor, helpers := range z.plan {
		parts := int(helpers) + 1
		first, all := z.next[donor], z.left[donor]
		for part := range parts {
			if all == 0 {
				break
			}
			lo, hi := vp.Share(all, parts, part)
			lane := donor
			if part > 0 {
				lane, idle = idle[0], idle[1:]
			}
			z.span[lane], z.next[lane], z.left[lane] = z.span[donor], first+lo, hi-lo
		}
	}
}

// spanKinds returns three sets of spans as scan conversion writes them. The spans are those of polygons of one or two
// pixels, of medium polygons, and of small polygons with some polygons as wide as the picture among them.
func spanKinds() map[string]*array.Spans {
	const size = 512
	kinds := make(map[string]*array.Spans)
	for name, p := range map[string]*array.Polygons{
		"small":  randomPolygons(rand.New(rand.NewPCG(91, 1)), 4096, size, 3*array.Sub, false),
		"medium": randomPolygons(rand.New(rand.NewPCG(91, 2)), 512, size, 60*array.Sub, false),
		"uneven": randomPolygons(rand.New(rand.NewPCG(91, 3)), 512, size, size*array.Sub, true),
	} {
		kinds[name], _ = allSpans((*scanline.Converter).Run, balance{policy: lb.Never}, p, 4096, size)
	}
	return kinds
}

// formsSize is the number of keys of the frame that holds the spans of spanKinds.
const formsSize = 512 * 515

// TestSpanLanes compares the form of the paper with the specification. The keys and the number of pixels must be the
// same. With redistributions there must be fewer iterations, but not fewer than the lanes need.
func TestSpanLanes(t *testing.T) {
	for name, spans := range spanKinds() {
		want := make([]uint64, formsSize)
		tested, _ := zbuffer.Merge(want, spans)
		var never, cost spanLanes
		never.policy, cost.policy, cost.cost = lb.Never, lb.CostEffective, 4
		for _, z := range []*spanLanes{&never, &cost} {
			got := make([]uint64, formsSize)
			z.run(got, spans)
			if !slices.Equal(got, want) || z.pixels != tested || z.iterations*array.Lanes < tested {
				t.Errorf("%s, %v: %d pixels in %d iterations, want %d, or another frame", name, z.policy, z.pixels, z.iterations, tested)
			}
		}
		if never.redistributions != 0 || name == "uneven" && (cost.redistributions == 0 || cost.iterations*6 > never.iterations*5) {
			t.Errorf("%s: %d iterations, with %d redistributions %d", name, never.iterations, cost.redistributions, cost.iterations)
		}
	}
}

// BenchmarkZBufferForms measures two forms of the z-buffer loop. The form of the paper runs without redistributions,
// and with redistributions that cost four iterations. In the form of the renderer all lanes work on a run of one span,
// in plain Go and in the vector loops. The benchmark reports nanoseconds per pixel, iterations (runs for the renderer's
// form) and the share of lanes in use. It fails if the frames differ.
func BenchmarkZBufferForms(b *testing.B) {
	for name, spans := range spanKinds() {
		want, frame := make([]uint64, formsSize), make([]uint64, formsSize)
		tested, _ := zbuffer.Merge(want, spans)
		bench := func(form string, run func() (iterations int64)) {
			b.Run("spans="+name+"/form="+form, func(b *testing.B) {
				best, iterations := time.Hour, int64(0)
				for b.Loop() {
					clear(frame)
					start := time.Now()
					iterations = run()
					best = min(best, time.Since(start))
				}
				if !slices.Equal(frame, want) {
					b.Fatal("another frame")
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(best.Seconds()*1e9/float64(tested), "ns/px")
				b.ReportMetric(float64(iterations), "iterations")
				b.ReportMetric(float64(tested)/float64(iterations*array.Lanes), "lane-use")
			})
		}
		for _, policy := range []lb.Policy{lb.Never, lb.CostEffective} {
			z := &spanLanes{policy: policy, cost: 4}
			bench("paper-"+policy.String(), func() int64 { z.run(frame, spans); return z.iterations })
		}
		for _, level := range isa.Available() {
			loop := Select(level).ZBuffer
			bench("production-"+level.String(), func() int64 { _, runs := loop(frame, spans); return runs })
		}
	}
}
