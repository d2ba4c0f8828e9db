//go:build amd64 && !purego

package kernel

import "fmt"

// zbufferTwin is the form of the vector twins of ZBuffer.
type zbufferTwin func(frame []uint64, start []uint32, count []int32, e, de []float32, payload []uint32) (tested, runs, bad int64)

// zbufferWith is ZBuffer by a twin.
func zbufferWith(twin zbufferTwin) func(frame []uint64, s *Spans) (tested, runs int64) {
	return func(frame []uint64, s *Spans) (tested, runs int64) {
		n := s.N
		tested, runs, bad := twin(frame, s.Start[:n], s.Count[:n], s.E[:n], s.DE[:n], s.Payload[:n])
		if bad > 0 {
			panic(fmt.Sprintf("kernel: span %d leaves the frame", bad-1))
		}
		if raceEnabled {
			for i := range n {
				raceWrite(frame[s.Start[i]:][:s.Count[i]])
			}
		}
		return tested, runs
	}
}
