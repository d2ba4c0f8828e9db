//go:build amd64 && !purego

package scanline

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// Select returns the twin of Converter.Run for an instruction set.
func Select(level isa.Level) Loop {
	twin := scanConvertAVX2
	switch level {
	case isa.Generic:
		return (*Converter).Run
	case isa.AVX512:
		twin = scanConvertAVX512
	}
	step := func(s *Converter, c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32) {
		s.twin(twin, c, p, ranges, policy, out, width, stride)
	}
	return func(s *Converter, p *array.Polygons, out *array.Spans, width, stride int32) bool {
		return s.run(step, p, out, width, stride)
	}
}

// groupWords is the size of what the twins remember of a group, in numbers of 32
// bits: 31 vectors.
const groupWords = 31 * array.Lanes

// groupState is what a twin remembers of a group, between calls too.
type groupState [groupWords]uint32

// pause is the number of iterations after which a twin returns at the end of a
// group, spans or not: assembly cannot be preempted. They take about 50
// microseconds.
const pause = 4096

// twin runs a vector loop. A group that is interrupted stays in s.state.
func (s *Converter) twin(loop func(*scanArgs), c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32) {
	if len(out.Start) < array.Lanes || c.group >= ranges.len(p) {
		return
	}
	if s.state == nil {
		s.state = new(groupState)
	}
	for paused := true; paused; {
		s.setArgs(c, p, ranges, policy, out, width, stride)
		loop(&s.args)
		s.readArgs(c, p, ranges, out)
		c.open = s.args.open != 0
		paused = s.args.iterations > pause && !c.open && c.group < ranges.len(p) && !s.stopped()
	}
}

// setArgs sets the arguments of a twin.
func (s *Converter) setArgs(c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32) {
	a := s.deferred
	s.args = scanArgs{
		x0: &p.X[0][0], y0: &p.Y[0][0], x1: &p.X[1][0], y1: &p.Y[1][0], x2: &p.X[2][0], y2: &p.Y[2][0],
		e0: &p.E[0][0], e1: &p.E[1][0], e2: &p.E[2][0],
		first: &p.First[0], rows: &p.Rows[0], payload: &p.Payload[0],
		group: int64(c.group), polygons: int64(ranges.len(p)),
		row: int64(c.row), tallest: int64(c.tallest), look: int64(c.look),
		deferredX0: &a.X[0][0], deferredY0: &a.Y[0][0], deferredX1: &a.X[1][0],
		deferredY1: &a.Y[1][0], deferredX2: &a.X[2][0], deferredY2: &a.Y[2][0],
		deferredE0: &a.E[0][0], deferredE1: &a.E[1][0], deferredE2: &a.E[2][0],
		deferredFirst: &a.First[0], deferredRows: &a.Rows[0], deferredPayload: &a.Payload[0],
		deferred: int64(a.N), deferredMost: deferredMost - array.Lanes,
		start: &out.Start[0], count: &out.Count[0], e: &out.E[0], de: &out.DE[0], spanPayload: &out.Payload[0],
		n: int64(out.N), most: int64(len(out.Start) - array.Lanes), pause: pause,
		width: int64(width), stride: int64(stride),
		state: s.state,
	}
	if ranges != nil {
		s.args.index, s.args.first, s.args.rows = &ranges.polygon[0], &ranges.first[0], &ranges.rows[0]
	}
	if c.open {
		s.args.open = 1
	}
	if policy == lb.Never { // which needs no room
		s.args.deferredMost = math.MaxInt32
	}
	s.args.cost = s.threshold(policy)
	s.args.tall = min(2*s.args.cost, math.MaxInt32)
}

// readArgs adds what a twin has done.
func (s *Converter) readArgs(c *cursor, p *array.Polygons, ranges *rowRanges, out *array.Spans) {
	args := &s.args
	if race.Enabled {
		for i := c.group; i < min(int(args.group)+array.Lanes, ranges.len(p)); i++ {
			n, _, _ := ranges.at(p, i)
			readPolygons(p, n, n+1)
		}
		wroteSpans(out, int(args.n))
	}
	c.group, c.row = int(args.group), int(args.row)
	c.tallest, c.look = int32(args.tallest), int(args.look)
	out.N, s.deferred.N = int(args.n), int(args.deferred)
	s.Iterations += args.iterations
	s.Tasks += args.tasks
	s.Redistributions += args.redistributions
	s.IterationsUnbalanced += args.unbalanced
}

// readPolygons reports what scan conversion reads of polygons lo to hi.
func readPolygons(p *array.Polygons, lo, hi int) {
	for k := range 3 {
		race.Read(p.X[k][lo:hi])
		race.Read(p.Y[k][lo:hi])
		race.Read(p.E[k][lo:hi])
	}
	race.Read(p.First[lo:hi])
	race.Read(p.Rows[lo:hi])
	race.Read(p.Payload[lo:hi])
}

// wroteSpans reports that the first n spans were written.
func wroteSpans(s *array.Spans, n int) {
	race.Write(s.Start[:n])
	race.Write(s.Count[:n])
	race.Write(s.E[:n])
	race.Write(s.DE[:n])
	race.Write(s.Payload[:n])
}
