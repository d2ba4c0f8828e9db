//go:build amd64 && !purego

package kernel

// groupSpans is the most spans that a group of small polygons gives: each has
// at most 128 rows.
const groupSpans = Lanes * SmallExtent / Sub

// scanWith is Scan.Run with a twin for the small polygons. The twin only works
// on whole groups and leaves the rest to the specification: an array of spans
// without room for a group, and the polygons that are not small.
func scanWith(twin func(*scanArgs)) func(s *Scan, p *Polygons, out *Spans, width, stride int32) bool {
	return func(s *Scan, p *Polygons, out *Spans, width, stride int32) bool {
		if s.rows == 0 && s.group < p.Small && len(out.Start) >= groupSpans {
			s.twin(twin, p, out, width, stride)
			if s.group < p.Small {
				return false
			}
		}
		return s.Run(p, out, width, stride)
	}
}

// twin runs the groups of small polygons for which out has room.
func (s *Scan) twin(twin func(*scanArgs), p *Polygons, out *Spans, width, stride int32) {
	args := &s.args
	*args = scanArgs{
		x0: &p.X[0][0], y0: &p.Y[0][0], x1: &p.X[1][0], y1: &p.Y[1][0], x2: &p.X[2][0], y2: &p.Y[2][0],
		e0: &p.E[0][0], e1: &p.E[1][0], e2: &p.E[2][0],
		first: &p.First[0], rows: &p.Rows[0], payload: &p.Payload[0],
		group: int64(s.group), small: int64(p.Small),
		start: &out.Start[0], count: &out.Count[0], e: &out.E[0], de: &out.DE[0], spanPayload: &out.Payload[0],
		n: int64(out.N), most: int64(len(out.Start) - groupSpans),
		width: int64(width), stride: int64(stride),
	}
	twin(args)
	if raceEnabled {
		p.raceRead(s.group, p.Small)
		out.raceWrite(int(args.n))
	}
	s.group, out.N = min(int(args.group), p.Small), int(args.n)
	s.Iterations += args.iterations
	s.Tasks += args.tasks
}

// raceRead reports what scan conversion reads of polygons lo to hi.
func (p *Polygons) raceRead(lo, hi int) {
	for k := range 3 {
		raceRead(p.X[k][lo:hi])
		raceRead(p.Y[k][lo:hi])
		raceRead(p.E[k][lo:hi])
	}
	raceRead(p.First[lo:hi])
	raceRead(p.Rows[lo:hi])
	raceRead(p.Payload[lo:hi])
}

// raceWrite reports that the first n spans were written.
func (s *Spans) raceWrite(n int) {
	raceWrite(s.Start[:n])
	raceWrite(s.Count[:n])
	raceWrite(s.E[:n])
	raceWrite(s.DE[:n])
	raceWrite(s.Payload[:n])
}
