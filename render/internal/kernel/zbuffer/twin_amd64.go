//go:build amd64 && !purego

package zbuffer

import (
	"fmt"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// maxCallKeys limits the time of a call of the assembly loop, which cannot be preempted. When the call has merged that
// number of keys in long spans, it returns before the next batch. That many keys take 20 to 50 microseconds.
const maxCallKeys = 1 << 16

// Select returns the vector loop of Merge for an instruction set.
func Select(level isa.Level) Loop {
	if level == isa.Generic {
		return Merge
	}
	return func(frame []uint64, s *array.Spans) (tested, runs int64) { return merge(level, frame, s) }
}

func merge(level isa.Level, frame []uint64, s *array.Spans) (tested, runs int64) {
	for done := 0; done < s.N; {
		args := zbufferCall(frame, s, done, s.N)
		args.run(level)
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

// run calls the assembly loop for the instruction set. Calls through function values would move the arguments to the
// heap.
func (a *zbufferArgs) run(level isa.Level) {
	if level == isa.AVX512 {
		zbufferAVX512(a)
	} else {
		zbufferAVX2(a)
	}
}

// zbufferCall returns the arguments of a vector loop for spans lo to hi (exclusive). There must be at least one span.
func zbufferCall(frame []uint64, s *array.Spans, lo, hi int) zbufferArgs {
	return zbufferArgs{
		frame: unsafe.SliceData(frame), size: int64(len(frame)),
		start: &s.Start[lo], count: &s.Count[lo], e: &s.E[lo], de: &s.DE[lo], payload: &s.Payload[lo],
		spans: int64(hi - lo), most: maxCallKeys,
	}
}
