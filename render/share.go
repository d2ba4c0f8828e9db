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
	// sharedSamples is how many samples the rectangle around a polygon's rows may
	// have before its rows are taken out of the block and offered to all
	// workers, in pieces of about as many. A piece of that size takes the
	// z-buffer some 10 microseconds, tens of times what it costs to hand over
	// (a lock, a copy, setting up one group of lanes: 0.3), while the 2 million
	// of a picture-high polygon still make 64 pieces.
	sharedSamples = 32 << 10

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
		l.pieces = kernel.MakeParts(sharedMost)
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
	if r.estimate.cost == kernel.Never || r.options.TimeBlocks || int64(p.MaxRows)*int64(p.MaxX-p.MinX) <= sharedSamples {
		return
	}
	low := sharedSamples / (p.MaxX - p.MinX) // no polygon as low as that is too large
	for n, rows := range p.Rows[:p.N] {
		if rows <= low {
			continue
		}
		if width := polygonWidth(p, n, r.job.view.Width); int64(rows)*int64(width) > sharedSamples {
			w.sharePolygon(r, n, width)
		}
	}
}

// sharePolygon offers the rows of polygon n, whose samples lie in so many columns,
// and leaves it without.
func (w *worker) sharePolygon(r *Renderer, n int, width int32) {
	p := w.polys
	// Whole iterations of all lanes.
	rows := max(sharedSamples/width/kernel.Lanes, 1) * kernel.Lanes
	for first, end := p.First[n], p.First[n]+p.Rows[n]; first < end; first += rows {
		some := min(rows, end-first)
		if len(r.workers) > 1 && r.pieces.put(p, n, first, some) {
			continue
		}
		w.piece.Reset()
		w.piece.PushRows(p, n, first, some)
		w.drawPiece(r)
	}
	// What its group takes less now is what it would have taken more.
	group := n / kernel.Lanes * kernel.Lanes
	end := min(group+kernel.Lanes, p.N)
	before := maxRows(p, group, end)
	p.Rows[n] = 0
	w.scan.IterationsUnbalanced += int64(before - maxRows(p, group, end))
	w.scan.Redistributions++
	w.shared++
}

// maxRows returns the most rows of polygons lo to hi (exclusive).
func maxRows(p *kernel.Polygons, lo, hi int) (most int32) {
	for _, rows := range p.Rows[lo:hi] {
		most = max(most, rows)
	}
	return most
}

// polygonWidth bounds the columns of the picture that polygon n reaches.
func polygonWidth(p *kernel.Polygons, n int, width int32) int32 {
	lo := min(p.X[0][n], p.X[1][n], p.X[2][n]) >> kernel.SubBits
	hi := max(p.X[0][n], p.X[1][n], p.X[2][n]) >> kernel.SubBits
	return min(hi+1, width) - max(lo, 0)
}

// drawPieces draws pieces until no worker can add any. Workers begin at different
// heights, those at which they will merge frames, so that few tiles are drawn by
// two and the keys are still in the caches where they are needed next.
func (w *worker) drawPieces(r *Renderer, index int) {
	if len(r.workers) == 1 {
		return
	}
	row := r.job.view.Height * int32(2*index+1) / int32(2*len(r.workers))
	for {
		w.piece.Reset()
		if !r.pieces.take(w.piece, row) {
			return
		}
		if r.cancelled() {
			continue // the list must be emptied all the same
		}
		w.drawPiece(r)
	}
}

// drawPiece draws the worker's piece.
func (w *worker) drawPiece(r *Renderer) {
	w.scan.StartRows(w.piece, 0, w.piece.First[0], w.piece.Rows[0])
	w.drawSpans(r, w.piece, time.Now(), true)
}
