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

// TestWorkersWarmUpOnce counts the redistributions that warm workers up. Each worker must make one redistribution
// before the first frame that may redistribute.
func TestWorkersWarmUpOnce(t *testing.T) {
	const workers = 2
	r, err := New(Options{Width: 64, Height: 64, Workers: workers, Balance: BalanceNever, ISA: "generic"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var warm atomic.Int64
	k := *kernel.Select(isa.Generic)
	scan := k.ScanConvert
	k.ScanConvert = func(s *scanline.Converter, p *array.Polygons, out *array.Spans, width, stride int32) bool {
		if s.Policy == lb.Always {
			warm.Add(1)
		}
		return scan(s, p, out, width, stride)
	}
	r.engine.kernels = &k
	mesh := panes(3)
	cam := inFront(mesh.Bounds(), false, 1)
	for i, c := range []struct {
		policy Balance
		want   int64
	}{{BalanceNever, 0}, {BalanceCost, workers}, {BalanceCost, workers}, {BalanceNever, workers}, {BalanceCost, workers}} {
		r.engine.options.Balance = c.policy
		r.engine.setEstimate()
		if _, err := r.Frame(t.Context(), mesh, cam, new(Picture)); err != nil {
			t.Fatal(err)
		}
		if warm.Load() != c.want {
			t.Errorf("frame %d: %d times warmed up, want %d", i, warm.Load(), c.want)
		}
	}
}
