//go:build amd64 && !purego

package kernel

import "fmt"

// zbufferMost is the most keys in long spans that one call into assembly, which cannot
// be preempted, begins a batch with: 20 to 50 microseconds.
const zbufferMost = 1 << 16

// zbufferTwin is the form of the vector twins of ZBuffer.
type zbufferTwin func(frame []uint64, start []uint32, count []int32, e, de []float32, payload []uint32, most int64) (tested, runs, bad int64)

// zbufferWith is ZBuffer by a twin.
func zbufferWith(twin zbufferTwin) func(frame []uint64, s *Spans) (tested, runs int64) {
	return func(frame []uint64, s *Spans) (tested, runs int64) {
		n := s.N
		for done, paused := 0, true; paused; {
			t, r, bad := twin(frame, s.Start[done:n], s.Count[done:n], s.E[done:n], s.DE[done:n], s.Payload[done:n], zbufferMost)
			if bad > 0 {
				panic(fmt.Sprintf("kernel: span %d leaves the frame", int64(done)+bad-1))
			}
			tested, runs, done, paused = tested+t, runs+r, done-int(bad), bad < 0
		}
		if raceEnabled {
			for i := range n {
				raceWrite(frame[s.Start[i]:][:s.Count[i]])
			}
		}
		return tested, runs
	}
}
