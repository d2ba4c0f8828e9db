package visible

import (
	"sync"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/show"
	"lockstep/vp/hugepages"
)

// A Page is a piece of memory that several Rows of one worker use, one after the other. If each Rows had a buffer of
// its own, the buffer would be thrown away whenever it became too small. Such buffers caused half of the page faults of
// a picture.
type Page struct {
	triangles []uint32
	places    []Place
	points    int // number of points in use
}

// HasRoom reports whether n more points, and a vector after them, fit into the page.
func (p *Page) HasRoom(n int) bool { return len(p.triangles)-p.points >= n+array.Lanes }

// Begin empties r and gives it the rest of the page. nearness is the memory for the nearness of all pixels of r.
// width is the width of a row in pixels. loops may be nil.
func (p *Page) Begin(r *Rows, width int, nearness []float32, loops *show.Loops) {
	r.Triangles, r.Places, r.Nearness = p.triangles[p.points:p.points], p.places[p.points:p.points], nearness
	r.Begin(width, loops)
}

// End ends r. The points in r then count as used.
func (p *Page) End(r *Rows) {
	r.End()
	p.points += len(r.Triangles)
}

// A Pool holds the pages of a frame, and keeps them for the next frame.
type Pool struct {
	mu      sync.Mutex
	size    int // number of points that fit into a page
	pages   []*Page
	used    int
	maxUsed int // largest number of pages that a frame has used
}

// Begin takes back all pages, and prepares for a frame whose workers need pages of at least the given number of
// points. Each worker leaves a part of its last page empty, and this part varies. So the pool holds one page per
// worker more than any frame has used.
func (p *Pool) Begin(points, workers int) {
	if points > p.size {
		*p = Pool{size: points}
	}
	for _, page := range p.pages[:p.used] {
		page.points = 0
	}
	p.maxUsed, p.used = max(p.maxUsed, p.used), 0
	for p.maxUsed > 0 && len(p.pages) < p.maxUsed+workers {
		p.add()
	}
}

func (p *Pool) add() {
	// One allocation, most of it in whole huge pages.
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
