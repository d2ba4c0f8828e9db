package kernel

// A Lockstep is the renderer's two loops as problems and tasks, for an array of
// virtual processors of any size: the problem data of all polygons and all spans
// of a frame, and the solution phases. A task is computed from the problem data
// and its index alone, so any processor can do it at any time. It is the plain
// specification, slow and obvious: setting a polygon up for one row costs many times
// the row.
type Lockstep struct {
	polygons *Polygons // with the columns of MakeRowRanges
	spans    *Spans
}

// NewLockstep returns one without problems.
func NewLockstep() *Lockstep {
	return &Lockstep{polygons: MakeRowRanges(1), spans: MakeSpans(1)}
}

// Add appends the polygons of an array, shaded, to the problems of scan
// conversion.
func (l *Lockstep) Add(p *Polygons) {
	if need := l.polygons.N + p.N; need > len(l.polygons.Payload) {
		grown := MakeRowRanges(2 * need)
		for n := range l.polygons.N {
			grown.PushRows(l.polygons, n, l.polygons.First[n], l.polygons.Rows[n])
		}
		l.polygons = grown
	}
	for n := range p.N {
		l.polygons.PushRows(p, n, p.First[n], p.Rows[n])
	}
}

// Rows returns the workload of scan conversion: the scan lines of each polygon.
// It is valid until the next Add.
func (l *Lockstep) Rows() []int32 { return l.polygons.Rows[:l.polygons.N] }

// ScanRow is the solution phase of scan conversion: it appends the span of scan
// line task of a polygon to the problems of the z-buffer, if that covers any pixel.
func (l *Lockstep) ScanRow(polygon, task int, width, stride int32) {
	if l.spans.Room() == 0 {
		l.spans = l.spans.grown()
	}
	var one lane
	one.set(l.polygons, polygon, l.polygons.First[polygon]+int32(task), 1)
	one.emit(l.spans, width, stride)
}

// grown returns a copy with twice the room.
func (s *Spans) grown() *Spans {
	g := MakeSpans(2 * len(s.Start))
	g.N = s.N
	copy(g.Start, s.Start[:s.N])
	copy(g.Count, s.Count[:s.N])
	copy(g.E, s.E[:s.N])
	copy(g.DE, s.DE[:s.N])
	copy(g.Payload, s.Payload[:s.N])
	return g
}

// Spans returns the problems of the z-buffer.
func (l *Lockstep) Spans() *Spans { return l.spans }

// Runs returns the workload of the z-buffer: the runs of the given pixels in each
// span, the last of which may be shorter.
func (l *Lockstep) Runs(pixels int32) []int32 {
	runs := make([]int32, l.spans.N)
	for i, count := range l.spans.Count[:l.spans.N] {
		runs[i] = (count + pixels - 1) / pixels
	}
	return runs
}

// MergeRun is the solution phase of the z-buffer: it merges run task of a span
// into a frame. Where a span is cut must not change a key, so that a key's nearness is
// computed from the span's start.
func (l *Lockstep) MergeRun(frame []uint64, span, task int, pixels int32) {
	s := l.spans
	first := int32(task) * pixels
	end := min(first+pixels, s.Count[span])
	low := uint64(^s.Payload[span])
	for k := first; k < end; k++ {
		at := &frame[s.Start[span]+uint32(k)]
		*at = max(*at, key(s.E[span]+float32(float32(k)*s.DE[span]), low))
	}
}
