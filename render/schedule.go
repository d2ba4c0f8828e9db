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

// A schedule is all that is decided about a frame before it begins. Stages look at nothing else to find out what
// to do: not at options, and not at which part of the frame is drawn.
type schedule struct {
	// The picture, of which the frame may be a part.
	width, height int // of the whole picture, in pixels
	grid          int // samples along a pixel's side
	layout        tile.Layout
	window        window
	// Rows of tiles of the window: those that are lit, those that occlusion is found for, and those whose keys
	// are needed for both.
	lit, near, needed tile.Rows

	// The ways of keys.
	from  origin
	carry payload
	to    goal

	// The work: blocks of the source, or rows of tiles of layers.
	units     int     // that workers take
	unitSize  int     // triangles of a unit of a source that can be cut anywhere; 0: units are the source's blocks
	blockSize int     // the most triangles that the geometry loop takes at a time
	timed     bool    // the time of every unit is taken
	traced    bool    // units report their steps, in turn
	oneColor  bool    // the colours of the source do not count
	sharing   Balance // decides whether rows of a block's large polygons are cut into ranges
	cached    bool    // a private frame stays in a cache, so that ranges of rows save no memory traffic
	payloads  uint64  // those of keys from layers are below

	occluded bool // pixels are darker where the surface around hides the sky
	sheer    bool // a material lets some samples through
	// storeChunks is how many chunks of spans a worker keeps until its frame's rows of tiles are merged; 0: none are
	// kept.
	storeChunks int
	// backRows is the most rows of tiles of a back face that is drawn last; 0: all faces are drawn at once.
	backRows int32
	leaves   bool // groups of triangles that are not expected to be seen may be deferred, see frame.Leaves
	// backsInstead says that back faces would be drawn last, were groups not deferred.
	backsInstead bool
}

// An origin says where the keys of a frame come from.
type origin uint8

const (
	fromBlocks origin = iota // of the source, that are drawn
	fromLayers               // of other processes, that are gathered
)

// A payload says what keys carry besides depths.
type payload uint8

const (
	carryHeadlight payload = iota // colours under a light at the eye
	carryStudio                   // colours under the studio's lights
	carryNumbers                  // of triangles, whose pixels are lit one by one
)

// A goal says what keys become.
type goal uint8

const (
	toColors goal = iota // pixels, of the colours that they carry
	toLight              // pixels, which are lit
	toLayer              // a layer, for other processes
)

// A request is what a schedule depends on besides the options.
type request struct {
	part          part
	rows          [2]int    // of pixels, hi exclusive, of partRows
	own           tile.Rows // that are lit, of partGather
	blocks        int       // that are drawn, of partLayer
	margin        int       // rows of cells of two by two pixels beyond a row that its occlusion depends on
	triangles     int       // of the source
	read          int       // blocks of the source as it is read, where it is not in memory
	inMemory      bool      // the source can be cut anywhere
	stored        bool      // the source is not in memory, but its groups can be read one by one
	sheer         bool      // the source has a material that lets some samples through
	traced        bool
	groups        bool // the source's groups of triangles are known, and frames before have not found that to defer them does not pay
	leastDeferred int  // triangles, for tests; 0: the constant
	backsNow      bool // no back face is drawn last, for tests
}

// A part says which part of a frame is drawn, and into what.
type part uint8

const (
	partWhole  part = iota // a picture
	partRows               // some rows of a picture
	partLayer              // some blocks of the source, into a layer
	partGather             // some rows of a picture, from the layers of all blocks
)

// newSchedule decides about a frame. Options have their defaults.
func newSchedule(o *Options, q *request) schedule {
	s := schedule{
		width: o.Width, height: o.Height, grid: o.grid(), layout: tile.New(o.Width*o.grid(), o.Height*o.grid()),
		oneColor: o.Color != nil, timed: o.TimeBlocks, traced: q.traced,
	}
	s.chooseWays(o, q)
	s.occluded = s.carry == carryNumbers && o.Occlusion
	s.sheer = s.carry == carryNumbers && q.sheer
	if s.sharing = o.Balance; s.timed {
		s.sharing = BalanceNever // every block keeps its work
	}
	s.chooseRows(q)
	s.cached = 8*s.layout.Keys() <= cachedKeys
	s.chooseUnits(o, q)
	s.chooseStore(q)
	if s.storeChunks > 0 && s.to == toLight && q.inMemory && o.Cull == CullNone && !s.sheer && !q.backsNow {
		s.backRows = backs.RowsOf(q.triangles)
	}
	s.chooseLeaves(q)
	return s
}

// chooseLeaves sets whether groups of triangles may be deferred: of whole pictures whose units are made of whole groups. Back
// faces are deferred one by one as long as nothing is known of groups, as in single pictures, or that has been given up.
func (s *schedule) chooseLeaves(q *request) {
	most := q.leastDeferred
	if most == 0 {
		most = frame.LeastDeferred
	}
	s.leaves = q.part == partWhole && (q.inMemory || q.stored) && !s.traced && !s.timed && !s.sheer && (s.backRows == 0 || q.groups) &&
		q.triangles >= most && s.unitSize%groups.Size == 0 && s.layout.Stores()
	if s.leaves {
		s.backsInstead, s.backRows = s.backRows > 0, 0
	}
}

// chooseWays sets where keys come from, what they carry, and what they become.
func (s *schedule) chooseWays(o *Options, q *request) {
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

// chooseRows sets the rows of tiles that the frame lights, finds occlusion for, and needs the keys of.
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

// tileRowsOf returns the number of rows of tiles that the given number of rows of cells reach into.
func (s *schedule) tileRowsOf(cells int) int {
	rows := tile.Height / s.grid
	return (2*cells + rows - 1) / rows
}

// chooseWindow limits the frame to the rows that are needed to light rows lo to hi, which depend
// on beyond rows of tiles on each side. Rows of tiles then count from the window's top.
func (s *schedule) chooseWindow(lo, hi, beyond int) {
	rows := tile.Height / s.grid
	// The window begins at a multiple of tile.Height, since the pattern of the occlusion repeats
	// within it. All of its rows are merged, so that they are cleared as well.
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
	// leastBlocks is how many blocks a mesh in memory is cut into, so that each worker
	// gets several, as long as none has fewer than leastBlock triangles: 15
	// microseconds.
	leastBlocks = 16
	leastBlock  = 256
	// cachedKeys is the size in bytes up to which a frame stays in a core's share of the last
	// cache.
	cachedKeys = 4 << 20
)

// chooseUnits sets the units of work: blocks of the wanted size where the source can be cut anywhere,
// else blocks of its own. Where blocks have numbers, which their times and other processes go by, they have the
// wanted size exactly.
func (s *schedule) chooseUnits(o *Options, q *request) {
	s.blockSize = o.BlockSize
	if q.stored {
		s.unitSize = min(o.BlockSize, scenes.BlockSize) / groups.Size * groups.Size
	} else if q.inMemory {
		s.unitSize = o.BlockSize
		if !s.timed && s.to != toLayer {
			even := (q.triangles + leastBlocks - 1) / leastBlocks
			s.unitSize = min(o.BlockSize, max(leastBlock, (even+array.Lanes-1)/array.Lanes*array.Lanes))
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
		s.units = q.read
	}
}

// storeSamples is how many samples of a flat frame there are to a triangle from which on it pays to keep spans of one sample
// a pixel: small triangles have many spans of few samples, which cost more to keep than the caches lose. At 1920x1080 frames of
// 260 thousand triangles gained a tenth, and of 130 thousand a fifth; those of half a million gained nothing, and a million lost a
// fifth.
const storeSamples = 5

// chooseStore sets whether spans are kept by rows of tiles, since their keys are more than caches hold. Frames that are
// traced keep none, since their steps end with a block, nor those whose blocks are timed, nor parts of frames, which are to
// take little memory.
func (s *schedule) chooseStore(q *request) {
	if s.to == toLayer || q.part != partWhole || s.traced || s.timed {
		return
	}
	if s.to == toLight || s.grid > 1 || storeSamples*q.triangles <= s.layout.Keys() {
		s.storeChunks = s.layout.StoreChunks()
	}
}
