package array

// Spans is the span array, with a slice for each property. A span is a run of samples of one polygon in one row. Each
// span is a virtual processor. All slices have the same length, which is the capacity.
//
// Span s covers Count[s] > 0 keys of the frame from index Start[s] on. Key Start[s]+k has the nearness E[s] + k*DE[s]
// and the payload Payload[s].
type Spans struct {
	N       int // number of spans in use
	Start   []uint32
	Count   []int32
	E, DE   []float32
	Payload []uint32
}

// MakeSpans returns an empty array for capacity spans and one more vector, which scan conversion may write.
func MakeSpans(capacity int) *Spans {
	unsigned, floats := Columns[uint32](2, capacity), Columns[float32](2, capacity)
	return &Spans{
		Start: unsigned[0], Count: Columns[int32](1, capacity)[0],
		E: floats[0], DE: floats[1], Payload: unsigned[1],
	}
}

// Room returns the number of further spans that fit.
func (s *Spans) Room() int { return len(s.Start) - s.N }

// Slice returns an array of spans lo to hi (exclusive) that shares the memory of s. No more spans fit into it.
func (s *Spans) Slice(lo, hi int) Spans {
	return Spans{
		N: hi - lo, Start: s.Start[lo:hi], Count: s.Count[lo:hi],
		E: s.E[lo:hi], DE: s.DE[lo:hi], Payload: s.Payload[lo:hi],
	}
}

// Grown returns a copy of s with twice the capacity.
func (s *Spans) Grown() *Spans {
	g := MakeSpans(2 * len(s.Start))
	g.N = s.N
	copy(g.Start, s.Start[:s.N])
	copy(g.Count, s.Count[:s.N])
	copy(g.E, s.E[:s.N])
	copy(g.DE, s.DE[:s.N])
	copy(g.Payload, s.Payload[:s.N])
	return g
}
