//go:build amd64 && !purego

package zbuffer

import (
	"fmt"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// zbufferMost is the most keys in long spans that one call into assembly, which cannot
// be preempted, begins a batch with: 20 to 50 microseconds.
const zbufferMost = 1 << 16

// zbufferTwin is the form of the vector twins of Merge.
type zbufferTwin func(args *zbufferArgs)

// Select returns the twin of Merge for an instruction set.
func Select(level isa.Level) Loop {
	var twin zbufferTwin = zbufferAVX2
	switch level {
	case isa.Generic:
		return Merge
	case isa.AVX512:
		twin = zbufferAVX512
	}
	return func(frame []uint64, s *array.Spans) (tested, runs int64) {
		for done := 0; done < s.N; {
			args := zbufferCall(frame, s, done, s.N)
			twin(&args)
			if args.bad > 0 {
				panic(fmt.Sprintf("kernel: span %d leaves the frame", int64(done)+args.bad-1))
			}
			tested, runs = tested+args.tested, runs+args.runs
			if args.bad == 0 {
				break
			}
			done -= int(args.bad)
		}
		if race.Enabled {
			for i := range s.N {
				race.Write(frame[s.Start[i]:][:s.Count[i]])
			}
		}
		return tested, runs
	}
}

// zbufferCall returns the arguments of a twin for spans lo to hi, at least one.
func zbufferCall(frame []uint64, s *array.Spans, lo, hi int) zbufferArgs {
	return zbufferArgs{
		frame: unsafe.SliceData(frame), size: int64(len(frame)),
		start: &s.Start[lo], count: &s.Count[lo], e: &s.E[lo], de: &s.DE[lo], payload: &s.Payload[lo],
		spans: int64(hi - lo), most: zbufferMost,
	}
}
