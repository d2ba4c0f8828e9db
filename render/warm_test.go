package render

import (
	"sync/atomic"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// TestWorkersWarmUpOnce counts the converters that redistribute always, in frames that
// do not: each worker has one before the first frame with other loops, and none under never.
func TestWorkersWarmUpOnce(t *testing.T) {
	const workers = 2
	r, err := New(Options{Width: 64, Height: 64, Workers: workers, Balance: BalanceNever, ISA: "generic"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var warm atomic.Int64
	counting := func() *kernel.Loops {
		k := *kernel.Select(isa.Generic)
		scan := k.ScanConvert
		k.ScanConvert = func(s *scanline.Converter, p *array.Polygons, out *array.Spans, width, stride int32) bool {
			if s.Policy == lb.Always {
				warm.Add(1)
			}
			return scan(s, p, out, width, stride)
		}
		return &k
	}
	r.engine.kernels = counting()
	mesh := panes(3)
	cam := inFront(mesh.Bounds(), false, 1)
	for i, c := range []struct {
		policy Balance
		other  bool // loops
		want   int64
	}{{BalanceNever, false, 0}, {BalanceCost, false, workers}, {BalanceCost, false, workers}, {BalanceNever, true, workers}, {BalanceCost, false, 2 * workers}} {
		r.engine.options.Balance = c.policy
		if r.engine.setEstimate(); c.other {
			r.engine.kernels = counting()
		}
		if _, err := r.Frame(t.Context(), mesh, cam, new(Picture)); err != nil {
			t.Fatal(err)
		}
		if warm.Load() != c.want {
			t.Errorf("frame %d: %d times warmed up, want %d", i, warm.Load(), c.want)
		}
	}
}
