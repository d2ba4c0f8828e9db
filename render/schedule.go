package render

import (
	"lockstep/render/internal/backs"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// A schedule is everything that is decided about a frame before it begins. Stages look at nothing else to find out what
// to do: neither at options nor at which part of the frame is drawn.
type schedule struct {
	// The size of the picture. The frame may be a part of it.
	width, height int // of the whole picture, in pixels
	grid          int // samples along the side of a pixel
	layout        tile.Layout
	window        window
	// Tile rows of the window: lit are the tile rows that are lit, near those that occlusion is found for, and needed
	// those whose keys are needed for either.
	lit, near, needed tile.Rows

	// Where keys come from, what they carry, and what becomes of them.
	from  origin
	carry payload
	to    goal

	// The work of the first stage: blocks of the source, or tile rows of layers.
	units     int     // how many units the workers share
	unitSize  int     // triangles in a unit, if the source can be cut anywhere; 0: units are the source's blocks
	blockSize int     // most triangles that the geometry loop takes at a time
	timed     bool    // the time of every unit is measured
	traced    bool    // units report their steps, in order
	oneColor  bool    // the colours of the source are ignored
	sharing   Balance // decides whether a block's large polygons are cut into row ranges
	fitsCache bool    // a private frame fits into a cache, so that row ranges save no memory traffic
	payloads  uint64  // payloads of keys from layers must be below this

	occluded bool // pixels are darker where the surface around hides the sky
	sheer    bool // a material lets some samples through
	// storeChunks is how many chunks of spans a worker keeps until the tile rows are merged; 0: spans are drawn at
	// once.
	storeChunks int
	// backRows is the most tile rows that a deferred back face may cover; 0: no back faces are deferred.
	backRows int32
	leaves   bool // groups of triangles that are probably hidden may be deferred, see frame.Leaves
	// defersBacks says that back faces would be deferred if groups were not.
	defersBacks bool
}

// An origin says where the keys of a frame come from.
type origin uint8

const (
	fromBlocks origin = iota // blocks of the source, which are drawn
	fromLayers               // layers of other processes, which are gathered
)

// A payload says what keys carry besides depths.
type payload uint8

const (
	carryHeadlight payload = iota // colours under a light at the eye
	carryStudio                   // colours under the studio's lights
	carryNumbers                  // numbers of triangles, whose pixels are lit one by one
)

// A goal says what becomes of keys.
type goal uint8

const (
	toColors goal = iota // pixels of the colours that the keys carry
	toLight              // pixels, which are lit
	toLayer              // a layer, for other processes
)

// A request is what a schedule depends on besides the options.
type request struct {
	part             part
	rows             [2]int    // pixel rows of partRows, lo inclusive and hi exclusive
	own              tile.Rows // tile rows that partGather lights
	blocks           int       // number of blocks that partLayer draws
	margin           int       // how many rows of cells (two by two pixels) beyond a row its occlusion depends on
	triangles        int       // of the source
	sourceBlocks     int       // number of the source's own blocks, used if it is not in memory
	inMemory         bool      // the source can be cut anywhere
	stored           bool      // the source is not in memory, but its groups can be read one by one
	sheer            bool      // the source has a material that lets some samples through
	traced           bool
	groups           bool // the source's groups of triangles are known, and earlier frames have not found that deferring them does not pay
	leastDeferred    int  // least triangles for deferred groups, set by tests; 0: frame.LeastDeferred
	drawsBacksAtOnce bool // no back face is deferred; set by tests
}

// A part says which part of a frame is drawn, and into what.
type part uint8

const (
	partWhole  part = iota // a picture
	partRows               // some rows of a picture
	partLayer              // some blocks of the source, into a layer
	partGather             // some rows of a picture, from the layers of all blocks
)

// newSchedule decides about a frame. The options must have their defaults filled in.
func newSchedule(o *Options, q *request) schedule {
	s := schedule{
		width: o.Width, height: o.Height, grid: o.grid(), layout: tile.New(o.Width*o.grid(), o.Height*o.grid()),
		oneColor: o.Color != nil, timed: o.TimeBlocks, traced: q.traced,
	}
	s.chooseStages(o, q)
	s.occluded = s.carry == carryNumbers && o.Occlusion
	s.sheer = s.carry == carryNumbers && q.sheer
	if s.sharing = o.Balance; s.timed {
		s.sharing = BalanceNever // every block keeps its work
	}
	s.chooseRows(q)
	s.fitsCache = 8*s.layout.Keys() <= cachedKeys
	s.chooseUnits(o, q)
	s.chooseStore(q)
	if s.storeChunks > 0 && s.to == toLight && q.inMemory && o.Cull == CullNone && !s.sheer && !q.drawsBacksAtOnce {
		s.backRows = backs.RowsOf(q.triangles)
	}
	s.chooseLeaves(q)
	return s
}

// chooseLeaves decides whether groups of triangles may be deferred: only in whole pictures whose units consist of whole
// groups. If the groups are not known yet, as in single pictures, or deferring them was given up, back faces are
// deferred one by one instead.
func (s *schedule) chooseLeaves(q *request) {
	most := q.leastDeferred
	if most == 0 {
		most = frame.LeastDeferred
	}
	s.leaves = q.part == partWhole && (q.inMemory || q.stored) && !s.traced && !s.timed && !s.sheer && (s.backRows == 0 || q.groups) &&
		q.triangles >= most && s.unitSize%groups.Size == 0 && s.layout.FitsStore()
	if s.leaves {
		s.defersBacks, s.backRows = s.backRows > 0, 0
	}
}

// chooseStages sets where keys come from, what they carry, and what becomes of them.
func (s *schedule) chooseStages(o *Options, q *request) {
	if q.part == partGather {
		s.from = fromLayers
	}
	s.payloads = 1 << 32
	switch {
	case o.isDeferred():
		s.carry, s.to, s.payloads = carryNumbers, toLight, uint64(q.triangles)
	case o.Light == LightStudio:
		s.carry = carryStudio
	}
	if q.part == partLayer {
		s.to = toLayer
	}
}

// chooseRows sets which tile rows the frame lights, finds occlusion for, and needs keys of.
func (s *schedule) chooseRows(q *request) {
	all := tile.Rows{Lo: 0, Hi: s.layout.TilesY}
	s.window = window{height: s.height, pictureHeight: s.height}
	rows := tile.Height / s.grid
	switch q.part {
	case partRows:
		s.lit = tile.Rows{Lo: q.rows[0] / rows, Hi: (q.rows[1] + rows - 1) / rows}
	case partGather:
		s.lit = q.own
	default:
		s.lit, s.near, s.needed = all, all, all
		return
	}
	beyond := 0
	if s.occluded {
		beyond = s.tileRowsOf(q.margin)
	}
	s.needed = s.lit.Within(beyond, all.Hi)
	s.near = s.lit.Within(s.tileRowsOf(surface.AverageMargin), all.Hi)
	if q.part == partRows {
		s.chooseWindow(q.rows[0], q.rows[1], beyond)
	}
}

// tileRowsOf returns how many tile rows the given number of rows of cells reaches into.
func (s *schedule) tileRowsOf(cells int) int {
	rows := tile.Height / s.grid
	return (2*cells + rows - 1) / rows
}

// chooseWindow limits the frame to the rows that are needed to light pixel rows lo to hi, which depend on beyond tile
// rows on each side. Tile rows then count from the window's top.
func (s *schedule) chooseWindow(lo, hi, beyond int) {
	rows := tile.Height / s.grid
	// The window begins at a multiple of tile.Height, because the pattern of the occlusion repeats with that period.
	// All of its rows are merged, because merging also clears them.
	top := s.needed.Lo * rows / tile.Height * tile.Height
	s.needed.Lo = top / rows
	bottom := min(s.needed.Hi*rows, s.height)
	s.window = window{top: top, height: bottom - top, pictureTop: lo - top, pictureHeight: hi - lo}
	most := min(hi-lo+2*(beyond*rows+tile.Height), s.height)
	s.window.mostKeys = tile.New(s.width*s.grid, most*s.grid).Keys()
	s.near = tile.Rows{Lo: max(s.near.Lo, s.needed.Lo), Hi: min(s.near.Hi, s.needed.Hi)}
	for _, t := range []*tile.Rows{&s.lit, &s.near, &s.needed} {
		t.Lo, t.Hi = t.Lo-top/rows, t.Hi-top/rows
	}
	s.layout = tile.New(s.width*s.grid, s.window.height*s.grid)
}

const (
	// minBlocks is the least number of blocks that a mesh in memory is cut into, so that each worker gets several. No
	// block is made smaller than minBlockSize triangles (15 microseconds of work).
	minBlocks    = 16
	minBlockSize = 256
	// cachedKeys is the size in bytes up to which a frame stays in a core's share of the last-level cache.
	cachedKeys = 4 << 20
)

// chooseUnits sets the units of work: blocks of a chosen size if the source can be cut anywhere, otherwise the source's
// own blocks. Blocks have exactly the size of the options if they are timed or drawn into a layer, because block times
// and other processes refer to blocks by number.
func (s *schedule) chooseUnits(o *Options, q *request) {
	s.blockSize = o.BlockSize
	if q.stored {
		s.unitSize = min(o.BlockSize, scenes.BlockSize) / groups.Size * groups.Size
	} else if q.inMemory {
		s.unitSize = o.BlockSize
		if !s.timed && s.to != toLayer {
			even := (q.triangles + minBlocks - 1) / minBlocks
			s.unitSize = min(o.BlockSize, max(minBlockSize, (even+array.Lanes-1)/array.Lanes*array.Lanes))
		}
	}
	switch {
	case s.from == fromLayers:
		s.units = s.needed.Len()
	case q.part == partLayer:
		s.units = q.blocks
	case s.unitSize > 0:
		s.units = (q.triangles + s.unitSize - 1) / s.unitSize
	default:
		s.units = q.sourceBlocks
	}
}

// storeSamples is the least number of samples per triangle for which a frame of one sample a pixel without deferred
// light keeps spans. Smaller triangles have many spans of few samples, and keeping these costs more than the cache
// misses that it avoids. At 1920x1080, frames of 130 thousand triangles gained a fifth, 260 thousand a tenth, half a
// million nothing, and a million lost a fifth.
const storeSamples = 5

// chooseStore decides whether spans are kept by tile rows, because the frame's keys exceed the caches. Traced and timed
// frames keep none, because their steps and times end with a block. Parts of frames and layers keep none, to save memory.
func (s *schedule) chooseStore(q *request) {
	if q.part != partWhole || s.traced || s.timed {
		return
	}
	if s.to == toLight || s.grid > 1 || storeSamples*q.triangles <= s.layout.Keys() {
		s.storeChunks = s.layout.StoreChunks()
	}
}
