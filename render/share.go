package render

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/render/internal/kernel"
)

const (
	// sharedSamples is how many samples a polygon may cover before its rows are
	// taken out of the block and offered to all workers, in pieces of about as
	// many. A piece of that size takes the z-buffer some 5 microseconds, ten times
	// what it costs to hand over (a lock, a copy, setting up one group of lanes:
	// 0.3), while a polygon that fills the picture still makes 128 pieces.
	sharedSamples = 16 << 10

	// rowSamples is what a row costs apart from its samples, in samples: emitting its
	// span and starting on it.
	rowSamples = 16

	// sharedMost is how many pieces may wait. What finds no room is drawn by the
	// worker that has it.
	sharedMost = 1024

	// shareSpin is how long a worker without work looks for some before it sleeps:
	// longer than waking a sleeper takes, as at vp's barriers.
	shareSpin = 200 * time.Microsecond
)

// A pieceList holds rows of large polygons that any worker may draw, since
// every worker owns a private frame. Workers put pieces while they draw blocks
// and take them when they have no block left; the list is finished when it is
// empty and no worker draws blocks any more.
type pieceList struct {
	mu      sync.Mutex
	changed sync.Cond
	pieces  *kernel.Polygons
	drawing int // workers that draw blocks

	// version changes with everything that a waiter may wait for.
	version atomic.Uint32
	spin    time.Duration
}

// begin prepares for a frame with so many workers.
func (l *pieceList) begin(workers int) {
	if l.pieces == nil {
		l.changed.L = &l.mu
		l.pieces = kernel.MakeRowRanges(sharedMost)
		if workers <= min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) {
			l.spin = shareSpin
		}
	}
	l.pieces.Reset()
	l.drawing = workers
}

// put offers rows of polygon n of p and reports whether there was room.
func (l *pieceList) put(p *kernel.Polygons, n int, first, rows int32) bool {
	l.mu.Lock()
	ok := l.pieces.Room() > 0
	if ok {
		l.pieces.PushRows(p, n, first, rows)
		l.version.Add(1)
	}
	l.mu.Unlock()
	if ok {
		l.changed.Signal()
	}
	return ok
}

// leave says that a worker draws no more blocks.
func (l *pieceList) leave() {
	l.mu.Lock()
	l.drawing--
	l.version.Add(1)
	l.mu.Unlock()
	l.changed.Broadcast()
}

// take moves the piece nearest to a row of the picture into an empty array. It
// waits for one and reports false when none can come any more.
func (l *pieceList) take(into *kernel.Polygons, row int32) bool {
	var deadline time.Time
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.pieces.N == 0 {
		if l.drawing == 0 {
			return false
		}
		if deadline.IsZero() {
			deadline = time.Now().Add(l.spin)
		}
		if version := l.version.Load(); time.Now().Before(deadline) {
			l.mu.Unlock()
			for l.version.Load() == version && time.Now().Before(deadline) {
			}
			l.mu.Lock()
			continue
		}
		l.changed.Wait()
	}
	l.pieces.MoveRows(into, l.nearest(row))
	return true
}

// nearest returns the piece nearest to a row.
func (l *pieceList) nearest(row int32) (piece int) {
	nearest := int32(math.MaxInt32)
	for n, first := range l.pieces.First[:l.pieces.N] {
		if d := first + l.pieces.Rows[n]/2 - row; max(d, -d) < nearest {
			piece, nearest = n, max(d, -d)
		}
	}
	return piece
}

// share takes the polygons out of the worker's block that are too large to be
// one worker's, nearly all of the time none. It is a redistribution at a scope of
// its own: rows move to any worker, and to all lanes of it. Neither the rows of
// a piece nor its iterations depend on the number of workers. Where blocks are
// timed, every block keeps its own.
func (w *worker) share(r *Renderer) {
	p := w.polys
	if r.options.Balance == BalanceNever || r.options.TimeBlocks || int64(p.MaxRows)*int64(p.MaxX-p.MinX+rowSamples) <= sharedSamples {
		return
	}
	low := sharedSamples / (p.MaxX - p.MinX + rowSamples) // no polygon as low as that is too large
	for n, rows := range p.Rows[:p.N] {
		if rows > low {
			if samples := polygonSamples(p, n, r.job.view.Width); samples > sharedSamples {
				w.sharePolygon(r, n, samples)
			}
		}
	}
}

// sharePolygon offers the rows of polygon n, which is worth so many samples, and
// leaves it without.
func (w *worker) sharePolygon(r *Renderer, n int, samples int64) {
	p := w.polys
	// Whole iterations of all lanes.
	rows := max(int32(sharedSamples*int64(p.Rows[n])/samples)/kernel.Lanes, 1) * kernel.Lanes
	w.tracer.share(p, n, rows)
	for first, end := p.First[n], p.First[n]+p.Rows[n]; first < end && !r.cancelled(); first += rows {
		some := min(rows, end-first)
		if w.tracer == nil && r.pieces.put(p, n, first, some) {
			continue
		}
		w.piece.Reset()
		w.piece.PushRows(p, n, first, some)
		w.drawPiece(r)
	}
	w.tracer.shared()
	w.scan.IterationsUnbalanced += int64(spares(p, n))
	w.scan.Redistributions++
	w.shared++
	p.Rows[n] = 0
}

// spares returns what the group of polygon n takes less without it.
func spares(p *kernel.Polygons, n int) (iterations int32) {
	group := n / kernel.Lanes * kernel.Lanes
	end := min(group+kernel.Lanes, p.N)
	others := max(maxRows(p, group, n), maxRows(p, n+1, end))
	return max(p.Rows[n]-others, 0)
}

// maxRows returns the most rows of polygons lo to hi (exclusive).
func maxRows(p *kernel.Polygons, lo, hi int) (most int32) {
	for _, rows := range p.Rows[lo:hi] {
		most = max(most, rows)
	}
	return most
}

// polygonSamples is about the work of polygon n: the samples that its rows in the
// picture cover, were it as wide there as on average, and what its rows cost.
func polygonSamples(p *kernel.Polygons, n int, width int32) int64 {
	x, y := [3]int32{p.X[0][n], p.X[1][n], p.X[2][n]}, [3]int32{p.Y[0][n], p.Y[1][n], p.Y[2][n]}
	area := int64(x[1]-x[0])*int64(y[2]-y[0]) - int64(x[2]-x[0])*int64(y[1]-y[0])
	height := int64(max(y[0], y[1], y[2]) - min(y[0], y[1], y[2])) // above 0, or it had no rows
	mean := max(area, -area) / (2 * height) >> kernel.SubBits
	left, right := max(min(x[0], x[1], x[2])>>kernel.SubBits, 0), min(max(x[0], x[1], x[2])>>kernel.SubBits+1, width)
	return int64(p.Rows[n]) * (min(mean, int64(right-left)) + rowSamples)
}

// drawPieces draws pieces until no worker can add any. Workers begin at different
// heights, those at which they will merge frames, so that few tiles are drawn by
// two, and go on near where they are: the keys of one polygon's rows are still in the
// caches when another's are drawn over them, and when frames are merged.
func (w *worker) drawPieces(r *Renderer, index int) {
	// Two workers each begin where their parts are farthest apart.
	row := r.job.view.Height * int32(min((index+1)/2*2, len(r.workers))) / int32(len(r.workers))
	for {
		w.piece.Reset()
		if !r.pieces.take(w.piece, row) {
			return
		}
		if r.cancelled() {
			return
		}
		row = w.piece.First[0] + w.piece.Rows[0]/2
		w.drawPiece(r)
	}
}

// drawPiece draws the worker's piece.
func (w *worker) drawPiece(r *Renderer) {
	w.scan.StartRows(w.piece, 0, w.piece.First[0], w.piece.Rows[0])
	w.drawSpans(r, w.piece, time.Now(), true)
}
