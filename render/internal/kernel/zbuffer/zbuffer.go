// Package zbuffer merges the span array into a frame of keys.
package zbuffer

import "lockstep/render/internal/kernel/array"

// RunPixels is the number of pixels in a run. A run is a task of the z-buffer loop.
const RunPixels = 16

// Loop is the function type of Merge and of its vector loops.
type Loop func(frame []uint64, s *array.Spans) (tested, runs int64)

// Merge merges the spans into a frame of keys. Each key becomes the larger of this key and the span's key. Merge
// returns the number of keys that it tested, and the number of runs. It panics if a span leaves the frame.
func Merge(frame []uint64, s *array.Spans) (tested, runs int64) {
	for i := range s.N {
		start, e, de := s.Start[i], s.E[i], s.DE[i]
		keys := frame[start : start+uint32(s.Count[i])]
		low := uint64(^s.Payload[i])
		for k := range keys {
			if key := array.Key(e+float32(float32(k)*de), low); key > keys[k] {
				keys[k] = key
			}
		}
		tested += int64(len(keys))
		runs += int64(len(keys)+RunPixels-1) / RunPixels
	}
	return tested, runs
}

// MergeRun merges one run of a span into a frame: a single task of the z-buffer. The run has at most `pixels` pixels,
// and starts at pixel pixels*run of the span. The nearness of a key is computed from the span's start. So the keys do
// not depend on how a span is cut into runs.
func MergeRun(frame []uint64, s *array.Spans, span, run int, pixels int32) {
	first := int32(run) * pixels
	end := min(first+pixels, s.Count[span])
	low := uint64(^s.Payload[span])
	for k := first; k < end; k++ {
		at := &frame[s.Start[span]+uint32(k)]
		*at = max(*at, array.Key(s.E[span]+float32(float32(k)*s.DE[span]), low))
	}
}
