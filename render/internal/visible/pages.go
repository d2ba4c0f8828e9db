package visible

import (
	"sync"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/show"
	"lockstep/vp/hugepages"
)

// A Page is memory that the rows which one worker notes take one after the other. Rows of
// their own would grow with what they hold, and leave most of what they took behind: half of
// the page faults of a picture.
type Page struct {
	triangles []uint32
	places    []Place
	points    int // that are taken
}

// Room reports whether n more points fit, and a vector behind them.
func (p *Page) Room(n int) bool { return len(p.triangles)-p.points >= n+array.Lanes }

// Begin empties rows of a width and gives them what is left of a page, and memory for the nearness of all of their
// pixels.
func (p *Page) Begin(r *Rows, width int, nearness []float32, loops *show.Loops) {
	r.Triangles, r.Places, r.Nearness = p.triangles[p.points:p.points], p.places[p.points:p.points], nearness
	r.Begin(width, loops)
}

// End ends the rows, and takes off what they hold.
func (p *Page) End(r *Rows) {
	r.End()
	p.points += len(r.Triangles)
}

// A Pool has the pages of a frame. They are used again for the next one.
type Pool struct {
	mu    sync.Mutex
	size  int // points of a page
	pages []*Page
	used  int
	most  int // used by any frame
}

// Begin takes all pages back, and prepares for a frame in which workers take pages of a number of points each. How much of
// its last page a worker leaves empty is chance, so there is one page a worker more than any frame used.
func (p *Pool) Begin(points, workers int) {
	if points > p.size {
		*p = Pool{size: points}
	}
	for _, page := range p.pages[:p.used] {
		page.points = 0
	}
	p.most, p.used = max(p.most, p.used), 0
	for p.most > 0 && len(p.pages) < p.most+workers {
		p.add()
	}
}

func (p *Pool) add() {
	// One block, so that most of it lies in whole huge pages.
	all := hugepages.Make[uint32](2 * p.size)
	p.pages = append(p.pages, &Page{
		triangles: all[:p.size:p.size],
		places:    unsafe.Slice((*Place)(unsafe.Pointer(&all[p.size])), p.size),
	})
}

// Take returns an empty page.
func (p *Pool) Take() *Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == len(p.pages) {
		p.add()
	}
	p.used++
	return p.pages[p.used-1]
}
