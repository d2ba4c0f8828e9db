package calibration

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/machine"
)

// Sharing is the cost of letting other workers draw some rows of a block's polygons. For that, the polygons are cut
// into row ranges. A row range is a number of consecutive rows that one worker draws. The unit of costs is the time
// of one sample in the z-buffer. A row of n samples counts as n+16 samples.
type Sharing struct {
	Band  float64 `json:"band"`  // cost of a row range, whose last span array is processed although it is not full
	Piece float64 `json:"piece"` // cost of copying a polygon to a row range, and of preparing a lane for it
}

// chargeFactor is the charge for sharing divided by its cost. Rows are shared only if the charge is less than the time
// that sharing may save. If no worker is idle, sharing saves nothing, but it costs at most 1/chargeFactor of a block's
// time.
const chargeFactor = 4

// Of returns the charge, in samples, for drawing rows in the given number of row ranges (bands). pieces is the number
// of polygons in a row range, summed over all row ranges. So a polygon in two row ranges counts twice.
func (s Sharing) Of(bands int, pieces int64) float64 {
	return chargeFactor * (float64(bands)*s.Band + float64(pieces)*s.Piece)
}

// builtInSharing is approximately the cost on a Zen 5, where a sample takes 0.3 nanoseconds.
var builtInSharing = Sharing{Band: 2000, Piece: 200}

// check returns an error if no measurement could give these costs.
func (s Sharing) check() error {
	const most = 1 << 24 // largest cost in samples; that many samples take some milliseconds
	if !(s.Band > 0 && s.Band <= most && s.Piece > 0 && s.Piece <= most) {
		return fmt.Errorf("%w: %g samples a band, %g a piece", lb.ErrCostModel, s.Band, s.Piece)
	}
	return nil
}

// Settings of the measurement of Sharing. It draws polygons that fill a frame of sharingWidth by sharingRows samples,
// which fits into the second-level cache. They are drawn whole, and cut into sharingRanges row ranges. Each time is
// measured sharingAttempts times.
const (
	sharingWidth, sharingRows = 256, 256
	sharingRanges             = 8
	sharingFew, sharingMany   = array.Lanes, 16 * array.Lanes
	sharingAttempts           = 15
	rowSamples                = 16

	// linesPerPiece and transfersPerRange are the costs of giving work to another worker. A polygon takes a sixteenth
	// of a cache line in each of 12 slices. A lock is taken four times for each row range.
	linesPerPiece     = 0.75
	transfersPerRange = 4
	// measureTransfer sends transferLines cache lines (64 KiB) from core to core and back, transferTrips times.
	transferLines, transferTrips = 1024, 50
)

// rangeTimes holds two times in seconds: whole for drawing polygons uncut, and inRanges for copying them and drawing
// them in row ranges.
type rangeTimes struct {
	polygons        int
	whole, inRanges float64
	samples         float64
}

// transferTimes holds times, in seconds, of sending data from one core to another. word is the time until the other
// core sees a word for which it waits. line is the time of each cache line that it then reads.
type transferTimes struct{ word, line float64 }

// newSharing computes costs from the times of few and of many polygons, and from the times between cores. It assumes
// that n polygons in r row ranges take r*(band + n*piece) seconds longer than n whole polygons. A negative cost is
// due to measurement error, and becomes 0.
func newSharing(few, many rangeTimes, transfer transferTimes) Sharing {
	more := func(t rangeTimes) float64 { return max(t.inRanges-t.whole, 0) / sharingRanges }
	piece := max(more(many)-more(few), 0) / float64(many.polygons-few.polygons)
	band := max(more(few)-piece*float64(few.polygons), 0)
	sample := many.whole / many.samples
	return Sharing{Band: (band + transfersPerRange*transfer.word) / sample, Piece: (piece + linesPerPiece*transfer.line) / sample}
}

// measureSharing measures the cost of sharing in some five milliseconds.
func measureSharing(ctx context.Context, loops *kernel.Loops) (Sharing, error) {
	m := rangeTimer{loops: loops, keys: make([]uint64, sharingWidth*sharingRows), spans: array.MakeSpans(4096)}
	few, many := m.measure(sharingFew), m.measure(sharingMany)
	s := newSharing(few, many, measureTransfer())
	if err := ctx.Err(); err != nil {
		return s, err
	}
	return s, s.check()
}

// A rangeTimer times the loops on whole polygons and on row ranges of them.
type rangeTimer struct {
	loops *kernel.Loops
	keys  []uint64
	spans *array.Spans
	scan  scanline.Converter
}

// measure measures the times of n polygons that are eight samples wide. For row ranges, measure returns the median,
// because interruptions are not part of the cost of row ranges. For whole polygons, measure returns the shortest time.
// A longer time would make row ranges look too cheap.
func (m *rangeTimer) measure(n int) rangeTimes {
	p, band := array.MakePolygons(n), array.MakeRowRanges(n)
	for i := range n {
		x := int32(i%(sharingWidth/8-1)) * 8 * array.Sub
		box := array.Box{X0: x / array.Sub, X1: x/array.Sub + 16, Y0: 0, Y1: sharingRows}
		p.Push(array.Vertex{X: x, Y: 0, E: 0.5}, array.Vertex{X: x + 16*array.Sub, Y: 0, E: 0.6},
			array.Vertex{X: x + 8*array.Sub, Y: sharingRows * array.Sub, E: 0.7}, box, 1, i)
	}
	var whole, inRanges []float64
	for range sharingAttempts {
		start := time.Now()
		m.draw(p)
		whole = append(whole, time.Since(start).Seconds())
		start = time.Now()
		for b := range sharingRanges {
			first, end := machine.Part(b, sharingRanges, sharingRows)
			band.Reset()
			for i := range n {
				band.PushRows(p, i, int32(first), int32(end-first))
			}
			m.draw(band)
		}
		inRanges = append(inRanges, time.Since(start).Seconds())
	}
	slices.Sort(inRanges)
	return rangeTimes{
		polygons: n, whole: slices.Min(whole), inRanges: inRanges[len(inRanges)/2],
		samples: float64(n) * sharingRows * (8 + rowSamples),
	}
}

func (m *rangeTimer) draw(p *array.Polygons) {
	m.scan.Policy = lb.Never
	m.scan.Start()
	for finished := false; !finished; {
		m.spans.N = 0
		finished = m.loops.ScanConvert(&m.scan, p, m.spans, sharingWidth, sharingWidth)
		m.loops.ZBuffer(m.keys, m.spans)
	}
}

// measureTransfer measures transferTimes. Two workers send a word to each other in turn: first alone, then followed by
// cache lines that the sender has written. With only one core, measureTransfer returns constants that were measured on
// another machine.
func measureTransfer() transferTimes {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	if m.Pinned() < 2 || runtime.GOMAXPROCS(0) < 2 {
		return transferTimes{word: 200e-9, line: 20e-9}
	}
	const words = 64 / 8
	lines := make([]uint64, transferLines*words)
	write := func(n int) {
		for i := range n {
			lines[i*words]++
		}
	}
	alone := shortest(func() {
		for range 2 * transferTrips {
			write(transferLines)
		}
	})
	word, all := roundTrips(m, func() {}), roundTrips(m, func() { write(transferLines) })
	return transferTimes{word: word, line: max(all-word-alone/(2*transferTrips), 0) / transferLines}
}

// roundTrips returns the time, in seconds, of sending a word from one worker to the other. Each worker calls the
// function do before it sends the word.
func roundTrips(m *machine.Machine, do func()) float64 {
	var turn struct {
		_ [128]byte
		n atomic.Uint32
		_ [128]byte
	}
	return shortest(func() {
		turn.n.Store(0)
		m.Run(func(worker int) {
			for trip := range uint32(transferTrips) {
				mine := 2*trip + uint32(worker)
				for turn.n.Load() != mine {
				}
				do()
				turn.n.Store(mine + 1)
			}
		})
	}) / (2 * transferTrips)
}

// shortest returns the shortest time, in seconds, of ten calls of do. In the shortest call, probably all workers were
// awake and none was interrupted.
func shortest(do func()) float64 {
	took := math.Inf(1)
	for range 10 {
		start := time.Now()
		do()
		took = min(took, time.Since(start).Seconds())
	}
	return took
}
