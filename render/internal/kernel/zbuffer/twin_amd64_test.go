//go:build amd64 && !purego

package zbuffer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa/isatest"
)

// TestZBufferTwinsPause passes more long spans to the vector loops than one call may merge.
func TestZBufferTwinsPause(t *testing.T) {
	const n, size = 500, 3000
	spans, r := array.MakeSpans(n), rand.New(rand.NewPCG(17, 18))
	spans.N = n
	for i := range n {
		count := 1 + r.IntN(size)
		spans.Start[i], spans.Count[i] = uint32(r.IntN(size-count+1)), int32(count)
		spans.E[i], spans.DE[i], spans.Payload[i] = r.Float32(), r.Float32(), r.Uint32()
	}
	want := make([]uint64, size)
	wantTested, wantRuns := Merge(want, spans)
	for _, level := range isatest.Levels(t)[1:] {
		const most = maxCallKeys
		frame := make([]uint64, size)
		args := zbufferCall(frame, spans, 0, n)
		args.run(level)
		bad := args.bad
		if bad >= 0 || -bad%int64(level.Lanes()) != 0 || args.tested < most || args.tested >= most+int64(level.Lanes())*size {
			t.Errorf("%v: %d keys tested in one call, %d spans done", level, args.tested, -bad)
		}
		clear(frame)
		tested, runs := Select(level)(frame, spans)
		if tested != wantTested || runs != wantRuns || !slices.Equal(frame, want) {
			t.Errorf("%v: %d keys tested in %d runs, want %d in %d, or another frame", level, tested, runs, wantTested, wantRuns)
		}
		// The last batch reaches the limit, so the loop ends without a pause.
		for last := range 17 {
			some := int(-bad) - last
			args := zbufferCall(frame, spans, 0, some)
			args.run(level)
			if args.bad != 0 {
				t.Errorf("%v: %d of %d spans done", level, -args.bad, some)
			}
		}
	}
}
