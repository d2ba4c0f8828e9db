package render

import (
	"lockstep/lb"
	"lockstep/render/internal/deferred"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// A schedule holds all decisions about a frame, made before the frame begins. The stages, which draw the frame step by
// step, read the schedule and not the options.
type schedule struct {
	// The size of the picture, and the window of pixel rows that the frame computes.
	width, height int // size of the whole picture, in pixels
	grid          int // samples along the side of a pixel
	layout        tile.Layout
	window        window
	// Ranges of tile rows (rows of tiles, see package tile), counted from the window's top. The rows in `lit` are lit.
	// Ambient occlusion is computed for the rows in `near`. The keys of the rows in `needed` are merged, because light
	// or occlusion depends on them.
	lit, near, needed tile.Rows

	// A key is the depth and the payload of a sample. These fields say where keys come from, what their payload is,
	// and what they become.
	from  origin
	carry payload
	to    output

	// Work of the first stage, in units: blocks of the source, runs of points, or tile rows of layers.
	units int // number of units that the workers share
	// unitSize is the number of triangles or points in a unit. It is 0 for a source that cannot be cut anywhere,
	// whose units are its blocks.
	unitSize  int
	blockSize int     // largest number of triangles that the geometry loop processes at a time
	timed     bool    // measure the time of every unit, see Options.TimeBlocks
	traced    bool    // units report their steps to Options.Trace, in order
	oneColor  bool    // the colours of the source are ignored
	sharing   Balance // decides whether large polygons of a block are cut into row ranges for several workers
	// fitsCache means that a private frame fits into a cache. Cutting polygons into row ranges then saves no memory
	// traffic.
	fitsCache    bool
	payloadLimit uint64 // payloads of keys from layers must be below this limit

	occluded    bool // pixels are darker where surrounding surfaces hide the sky
	domed       bool // pixels of a cloud are darker where neighbouring pixels are nearer
	translucent bool // a material is translucent: it lets some samples through
	// storeChunks is the number of chunks in which a worker stores spans, to draw them later tile row by tile row. 0
	// means that spans are drawn at once.
	storeChunks int
	oneSided    bool // some triangles have a one-sided material, which shows only their front
	// backRows is the largest number of tile rows that a back face may cover if it is deferred: drawn last, and only
	// if it may be visible. 0 means that no back faces are deferred.
	backRows int32
	// hiddenRows is the largest number of tile rows that a polygon may cover if it is deferred because the depths of
	// the previous frame predict that it is hidden. 0 means that no such polygon is deferred. mayPredict is true if
	// frames with this schedule may make such predictions. They make predictions only when that saves time.
	hiddenRows int32
	mayPredict bool
	leaves     bool // groups of triangles that are probably hidden may be deferred, see frame.Leaves
	// defersBacks is true if back faces would be deferred one by one, but groups are deferred instead.
	defersBacks bool
}

// An origin says where the keys of a frame come from. A key holds the depth and the payload of a sample in 64 bits.
type origin uint8

const (
	fromBlocks origin = iota // keys are drawn from the blocks of the source
	fromLayers               // keys are read from layers, which other processes drew
	fromPoints               // keys are drawn from the points of a cloud
)

// A payload names the value that a key carries besides its depth.
type payload uint8

const (
	carryHeadlight payload = iota // colours under a light at the eye
	carryStudio                   // colours under the studio's lights
	carryNumbers                  // triangle numbers; pixels are lit one by one later
)

// An output names what keys become.
type output uint8

const (
	toColors output = iota // pixels with the colours that the keys carry
	toLight                // pixels that are lit one by one
	toLayer                // a layer, for other processes
)

// A request holds everything on which a schedule depends besides the options.
type request struct {
	part    part
	rows    [2]int    // for partRows: the first pixel row that is drawn, and the row after the last
	litRows tile.Rows // for partGather: the tile rows that are lit
	blocks  int       // for partLayer: the number of blocks that are drawn
	// margin is the number of rows of cells (two by two pixels) above and below a row that its occlusion depends on.
	margin int
	// domeRows is the number of rows of pixels above and below a row that its eye-dome light depends on. It is 0
	// without this light.
	domeRows     int
	triangles    int  // number of triangles of the source
	points       int  // number of points of the source; 0 unless it is a cloud
	sourceBlocks int  // number of blocks of the source, used if the source is not in memory
	inMemory     bool // the source is in memory and can be cut into blocks anywhere
	oneSided     bool // some triangles of the source, but not all, are of one-sided materials
	culls        bool // the view leaves out back faces or front faces
	stored       bool // the source is not in memory, but its groups can be read one by one
	translucent  bool // the source has a translucent material, which lets some samples through
	traced       bool
	lean         bool // memory may be short, so spans are not stored
	// groups means that deferring groups saved time in recent frames, and that the source has groups or will have them
	// in this frame.
	groups   bool
	predicts bool // predicting hidden polygons saved time in recent frames
	// minDeferred is the least number of triangles of a mesh whose groups may be deferred. 0 means frame.MinDeferred.
	// Tests set it.
	minDeferred      int
	drawsBacksAtOnce bool // no polygon is deferred; set by tests
}

// A part says which part of a frame is drawn, and whether it is drawn into a picture or a layer.
type part uint8

const (
	partWhole  part = iota // a picture
	partRows               // some rows of a picture
	partLayer              // some blocks of the source, into a layer
	partGather             // some rows of a picture, from the layers of all blocks
)

// newSchedule makes the schedule of a frame. The options must have their defaults filled in.
func newSchedule(o *Options, q *request) schedule {
	s := schedule{
		width: o.Width, height: o.Height, grid: o.grid(), layout: tile.New(o.Width*o.grid(), o.Height*o.grid()),
		oneColor: o.Color != nil, timed: o.TimeBlocks, traced: q.traced,
	}
	s.chooseStages(o, q)
	s.domed = q.domeRows > 0 && o.Light == LightStudio && s.to != toLayer
	s.occluded = s.carry == carryNumbers && o.Occlusion && !s.domed
	s.translucent = s.carry == carryNumbers && q.translucent
	s.oneSided = s.carry == carryNumbers && q.oneSided
	if s.sharing = o.Balance; s.timed {
		s.sharing = BalanceNever // a block's large polygons stay with its worker, so that the block's time contains them
	}
	s.chooseRows(q)
	s.fitsCache = 8*s.layout.Keys() <= cachedKeys
	s.chooseUnits(o, q)
	s.chooseStore(q)
	defers := s.storeChunks > 0 && q.inMemory && !s.translucent && !s.oneSided && !q.drawsBacksAtOnce
	if defers && s.to == toLight && !q.culls {
		s.backRows = deferred.BackRows(q.triangles)
	}
	s.chooseLeaves(q)
	s.mayPredict = defers && !s.leaves && o.Leaves != lb.Never && deferred.HiddenRows(q.triangles) > 0
	if s.mayPredict && q.predicts {
		s.hiddenRows = deferred.HiddenRows(q.triangles)
	}
	return s
}

// chooseLeaves decides whether groups of triangles may be deferred. They may be in whole pictures whose units consist
// of whole groups. A frame defers back faces one by one instead if deferring groups saved no time in recent frames, or
// if the groups are not known yet, as in a single picture.
func (s *schedule) chooseLeaves(q *request) {
	minDeferred := q.minDeferred
	if minDeferred == 0 {
		minDeferred = frame.MinDeferred
	}
	s.leaves = q.part == partWhole && (q.inMemory || q.stored) && !s.traced && !s.translucent && !s.oneSided && (s.backRows == 0 || q.groups) &&
		q.triangles >= minDeferred && s.unitSize%groups.Size == 0 && s.layout.FitsStore()
	if s.leaves {
		s.defersBacks, s.backRows = s.backRows > 0, 0
	}
}

// chooseStages sets the origin of keys, the payload that keys carry, and the output that keys are turned into.
func (s *schedule) chooseStages(o *Options, q *request) {
	switch {
	case q.part == partGather:
		s.from = fromLayers
	case q.points > 0:
		s.from = fromPoints
	}
	s.payloadLimit = 1 << 32
	switch {
	case o.deferredShading():
		s.carry, s.to, s.payloadLimit = carryNumbers, toLight, uint64(q.triangles)
	case o.Light == LightStudio:
		s.carry = carryStudio
	}
	if q.part == partLayer {
		s.to = toLayer
	}
}

// chooseRows sets the window, and the ranges of tile rows `lit`, `near` and `needed`.
func (s *schedule) chooseRows(q *request) {
	all := tile.Rows{Lo: 0, Hi: s.layout.TilesY}
	s.window = window{height: s.height, pictureHeight: s.height}
	rows := tile.Height / s.grid
	switch q.part {
	case partRows:
		s.lit = tile.Rows{Lo: q.rows[0] / rows, Hi: (q.rows[1] + rows - 1) / rows}
	case partGather:
		s.lit = q.litRows
	default:
		s.lit, s.near, s.needed = all, all, all
		return
	}
	beyond := 0
	if s.occluded {
		beyond = s.tileRowsOf(q.margin)
	}
	if s.domed {
		beyond = max(beyond, (q.domeRows+rows-1)/rows)
	}
	s.needed = s.lit.Within(beyond, all.Hi)
	s.near = s.lit.Within(s.tileRowsOf(surface.AverageMargin), all.Hi)
	if q.part == partRows {
		s.chooseWindow(q.rows[0], q.rows[1], beyond)
	}
}

// tileRowsOf returns the least number of tile rows that contain the given number of rows of cells (two by two pixels).
func (s *schedule) tileRowsOf(cells int) int {
	rows := tile.Height / s.grid
	return (2*cells + rows - 1) / rows
}

// chooseWindow limits the frame to the rows that are needed to light pixel rows lo to hi. The light of a tile row
// depends on `beyond` further tile rows on each side. Afterwards the ranges `lit`, `near` and `needed` count from the
// window's top.
func (s *schedule) chooseWindow(lo, hi, beyond int) {
	rows := tile.Height / s.grid
	// The pattern of the occlusion repeats every tile.Height rows, so the window starts at a multiple of that. The
	// additional rows are merged too, because merging also clears them.
	top := s.needed.Lo * rows / tile.Height * tile.Height
	s.needed.Lo = top / rows
	bottom := min(s.needed.Hi*rows, s.height)
	s.window = window{top: top, height: bottom - top, pictureTop: lo - top, pictureHeight: hi - lo}
	maxRows := min(hi-lo+2*(beyond*rows+tile.Height), s.height)
	s.window.maxKeys = tile.New(s.width*s.grid, maxRows*s.grid).Keys()
	s.near = tile.Rows{Lo: max(s.near.Lo, s.needed.Lo), Hi: min(s.near.Hi, s.needed.Hi)}
	for _, t := range []*tile.Rows{&s.lit, &s.near, &s.needed} {
		t.Lo, t.Hi = t.Lo-top/rows, t.Hi-top/rows
	}
	s.layout = tile.New(s.width*s.grid, s.window.height*s.grid)
}

const (
	// minBlocks is the least number of blocks into which a mesh in memory is cut, so that each worker gets several. A
	// small mesh is cut into fewer blocks, because a block has at least minBlockSize triangles (15 microseconds of
	// work).
	minBlocks    = 16
	minBlockSize = 256
	// cachedKeys is the largest size in bytes of a frame's keys that fit into a core's share of the last-level cache.
	cachedKeys = 4 << 20
)

// chooseUnits sets the units of work. Sources that can be cut anywhere get blocks of a chosen size; others have blocks
// of their own. Blocks that are timed or drawn into a layer have exactly the size of the options, because block times
// and other processes refer to blocks by number.
func (s *schedule) chooseUnits(o *Options, q *request) {
	s.blockSize = o.BlockSize
	if s.from == fromPoints {
		// Units are larger than blocks of the cloud, unless they must be blocks because they are timed or drawn into a
		// layer.
		s.unitSize = frame.MaxPoints
		if s.timed || s.to == toLayer {
			s.unitSize = scenes.BlockSize / scenes.PointTriangles
		}
	} else if q.stored {
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
	case s.from == fromPoints:
		s.units = (q.points + s.unitSize - 1) / s.unitSize
	case s.unitSize > 0:
		s.units = (q.triangles + s.unitSize - 1) / s.unitSize
	default:
		s.units = q.sourceBlocks
	}
}

// storeSamples is the least number of samples per triangle for which a frame stores its spans. It applies to frames
// with one sample a pixel whose keys carry colours. Smaller triangles have many spans of few samples; storing them
// costs more than the cache misses that it avoids.
//
// Storing spans at 1920x1080 made frames of 130 thousand triangles a fifth faster, and of 260 thousand a tenth faster.
// It made no difference with half a million triangles. With a million, frames became a fifth slower.
const storeSamples = 5

// chooseStore decides whether spans are stored until their tile row is drawn. Storing spans saves cache misses if the
// frame's keys exceed the caches. These frames do not store spans:
//
//   - traced and timed frames, because the steps and times of a block must end with the block
//   - parts of frames and layers, in order to save memory
//   - clouds, because their spans have few samples
func (s *schedule) chooseStore(q *request) {
	if q.part != partWhole || q.lean || s.traced || s.timed || s.from == fromPoints {
		return
	}
	if s.to == toLight || s.grid > 1 || storeSamples*q.triangles <= s.layout.Keys() {
		s.storeChunks = s.layout.StoreChunks()
	}
}
