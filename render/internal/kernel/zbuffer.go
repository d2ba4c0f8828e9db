package kernel

import "math"

// Spans is the span array: one virtual processor a span, in
// structure-of-arrays form. All slices have the same length, the capacity.
//
// Span s covers Count[s] > 0 keys of the frame from index Start[s] on; key
// Start[s]+k has the nearness E[s] + k*DE[s] and the payload Payload[s].
type Spans struct {
	N       int // spans in use
	Start   []uint32
	Count   []int32
	E, DE   []float32
	Payload []uint32
}

// MakeSpans returns an empty array with room for capacity spans.
func MakeSpans(capacity int) *Spans {
	return &Spans{
		Start: make([]uint32, capacity), Count: make([]int32, capacity),
		E: make([]float32, capacity), DE: make([]float32, capacity),
		Payload: make([]uint32, capacity),
	}
}

// Room returns how many more spans fit.
func (s *Spans) Room() int { return len(s.Start) - s.N }

// Slice returns spans lo to hi (exclusive), full. They share the memory of s.
func (s *Spans) Slice(lo, hi int) Spans {
	return Spans{
		N: hi - lo, Start: s.Start[lo:hi], Count: s.Count[lo:hi],
		E: s.E[lo:hi], DE: s.DE[lo:hi], Payload: s.Payload[lo:hi],
	}
}

// RunPixels is the number of pixels in a run, the task of the z-buffer loop.
const RunPixels = 16

// ZBuffer merges the spans into a frame of keys. It returns how many keys it
// tested and in how many runs. It panics when a span leaves the frame.
func ZBuffer(frame []uint64, s *Spans) (tested, runs int64) {
	for i := range s.N {
		start, e, de := s.Start[i], s.E[i], s.DE[i]
		keys := frame[start : start+uint32(s.Count[i])]
		low := uint64(^s.Payload[i])
		for k := range keys {
			if key := key(e+float32(float32(k)*de), low); key > keys[k] {
				keys[k] = key
			}
		}
		tested += int64(len(keys))
		runs += int64(len(keys)+RunPixels-1) / RunPixels
	}
	return tested, runs
}

// key packs a nearness above the complement of a payload.
func key(e float32, low uint64) uint64 {
	if !(e > MinNearness) {
		e = MinNearness
	}
	return uint64(math.Float32bits(e))<<32 | low
}

// Payload returns the payload of a key that is not 0.
func Payload(key uint64) uint32 { return ^uint32(key) }

// Nearness returns the nearness of a key that is not 0.
func Nearness(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }
