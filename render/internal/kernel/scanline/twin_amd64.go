//go:build amd64 && !purego

package scanline

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// Select returns the version of Converter.Run for an instruction set. If an observer is set, that version calls Run.
func Select(level isa.Level) Loop {
	twin := scanConvertAVX2
	switch level {
	case isa.Generic:
		return (*Converter).Run
	case isa.AVX512:
		twin = scanConvertAVX512
	}
	return func(s *Converter, p *array.Polygons, out *array.Spans, width, stride int32) bool {
		if s.Observe != nil {
			return s.Run(p, out, width, stride)
		}
		return s.runTwin(twin, p, out, width, stride)
	}
}

// groupWords is the size of a groupState in 32-bit words: 44 vectors.
const groupWords = 44 * array.Lanes

// groupState holds the state of a group from which a loop in assembly has returned before the end of the group.
type groupState [groupWords]uint32

// pause is the number of iterations after which a loop in assembly returns, at the end of a group, even with room for
// more spans. Assembly cannot be preempted, and that many iterations take about 50 microseconds.
const pause = 4096

// runTwin does what Run does, by a loop in assembly. s.state keeps the state of a group that is not finished.
func (s *Converter) runTwin(loop func(*scanArgs), p *array.Polygons, out *array.Spans, width, stride int32) (finished bool) {
	if s.state == nil {
		s.state = new(groupState)
	}
	for s.group < p.N && len(out.Start) >= array.Lanes {
		s.setArgs(p, out, width, stride)
		loop(&s.args)
		s.readArgs(p, out)
		if s.loaded || s.stopped() {
			break
		}
	}
	return s.group >= p.N
}

// setArgs sets the arguments of a loop in assembly.
func (s *Converter) setArgs(p *array.Polygons, out *array.Spans, width, stride int32) {
	s.args = scanArgs{
		x0: &p.X[0][0], y0: &p.Y[0][0], x1: &p.X[1][0], y1: &p.Y[1][0], x2: &p.X[2][0], y2: &p.Y[2][0],
		e0: &p.E[0][0], e1: &p.E[1][0], e2: &p.E[2][0],
		first: &p.First[0], rows: &p.Rows[0], payload: &p.Payload[0],
		group: int64(s.group), polygons: int64(p.N),
		row: int64(s.row), tallest: int64(s.tallest), look: int64(s.lookLanes),
		spread: s.args.spread, solvedRows: s.args.solvedRows, spent: s.args.spent, atMost: s.args.atMost,
		start: &out.Start[0], count: &out.Count[0], e: &out.E[0], de: &out.DE[0], spanPayload: &out.Payload[0],
		n: int64(out.N), most: int64(len(out.Start) - array.Lanes), pause: pause,
		width: int64(width), stride: int64(stride),
		state: s.state,
	}
	if s.loaded {
		s.args.open = 1
	} else {
		s.args.spread, s.args.solvedRows = 0, 0
	}
	if s.judges() {
		s.args.iterationTicks = s.Cost.Ticks
	}
	if s.Policy == lb.CostEffective {
		s.args.full = int64(s.Cost.Full)
	}
	s.args.cost, s.args.firstCost = s.threshold(), s.firstCost
	s.args.tall = min(2*s.args.cost, math.MaxInt32)
}

// readArgs adds the counts of the last call of a loop in assembly to s, and moves s to where that loop stopped.
func (s *Converter) readArgs(p *array.Polygons, out *array.Spans) {
	args := &s.args
	if race.Enabled {
		readPolygons(p, s.group, min(int(args.group)+array.Lanes, p.N))
		wroteSpans(out, int(args.n))
	}
	if args.firstCost == 0 {
		s.redistributedFirst()
	}
	s.group, s.row, s.loaded = int(args.group), int(args.row), args.open != 0
	s.tallest, s.lookLanes, out.N = int32(args.tallest), int(args.look), int(args.n)
	s.Iterations += args.iterations + args.spreadIterations
	s.Tasks += args.tasks
	s.Looks += args.looks
	s.Redistributions += args.redistributions
	s.Polygons += args.moved
	s.Spread += args.spreadIterations
	s.Saved += args.unbalanced - args.spreadIterations
	s.IterationsUnbalanced += args.iterations + args.unbalanced
	s.Ticks += args.ticks
	s.SpreadTicks += args.spreadTicks
	s.Judged += args.judged
	s.Dearer += args.dearer
}

// readPolygons tells the race detector what scan conversion reads of polygons lo to hi (exclusive).
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

// wroteSpans tells the race detector that the first n spans were written.
func wroteSpans(s *array.Spans, n int) {
	race.Write(s.Start[:n])
	race.Write(s.Count[:n])
	race.Write(s.E[:n])
	race.Write(s.DE[:n])
	race.Write(s.Payload[:n])
}
