package framebuffer

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/tile"
)

// A Merge is the stage that merges the keys that all workers have drawn in a tile row. A tile that only one worker has
// drawn is not copied. Every tile gets an owner instead: the buffer that holds all keys of the tile after merging.
type Merge struct {
	frame  MergeFrame
	owners []*Buffer // buffer that holds the keys of each tile; nil if nothing was drawn in the tile
}

// A MergeFrame holds the parameters of the stage for a frame.
type MergeFrame struct {
	Layout  tile.Layout
	Private []*Buffer               // the private frames of the workers
	Loop    func(dst, src []uint64) // vector loop of pixel.Merge
	Stop    func() bool             // reports whether the frame was cancelled
}

// Begin prepares for a frame.
func (m *Merge) Begin(f MergeFrame) {
	m.frame = f
	m.owners = scratch.Resize(m.owners, f.Layout.TilesX*f.Layout.TilesY)
}

// End does nothing. A cancelled frame leaves keys only in buffers, which other stages clear.
func (m *Merge) End(bool) {}

// Run finds the owner of each tile of tile row ty, and merges the keys of all frames into it. If the tile is touched
// in buffer, buffer is the owner. Otherwise, or if buffer is nil, the owner is the private frame of the first worker
// that touched the tile. Run returns false if the frame was cancelled.
func (m *Merge) Run(ty int, buffer *Buffer) bool {
	const look = 16 // number of tiles between two checks of Stop: 128 KiB of keys per worker
	owners := m.Owners(ty)
	for tx := range owners {
		if tx%look == 0 && m.frame.Stop() {
			return false
		}
		var owner *Buffer
		if buffer != nil && buffer.TouchedRow(ty)[tx] {
			owner = buffer
		}
		t := ty*len(owners) + tx
		for _, f := range m.frame.Private {
			if !f.Touched[t] {
				continue
			}
			if owner == nil {
				owner = f
				continue
			}
			m.move(owner, f, tx, ty)
			f.Touched[t] = false
		}
		owners[tx] = owner
	}
	return true
}

// move merges the keys of tile (tx, ty) of the buffer `from` into the buffer `to`, and sets them to 0 in `from`.
func (m *Merge) move(to, from *Buffer, tx, ty int) {
	for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
		m.frame.Loop(to.TileKeys(tx, y), from.TileKeys(tx, y))
	}
}

// Owners returns the owner of each tile of tile row ty, after Run. It is nil for a tile without anything drawn.
func (m *Merge) Owners(ty int) []*Buffer {
	return m.owners[ty*m.frame.Layout.TilesX : (ty+1)*m.frame.Layout.TilesX]
}

// OwnerRun returns the longest run of tiles with the same owner that starts at tile lo of tile row ty. first is lo,
// and hi is the tile after the run. At the end of the tile row the run is empty.
func (m *Merge) OwnerRun(ty, lo int) (first, hi int, owner *Buffer) {
	row := m.Owners(ty)
	if lo == len(row) {
		return lo, lo, nil
	}
	for hi = lo + 1; hi < len(row) && row[hi] == row[lo]; {
		hi++
	}
	return lo, hi, row[lo]
}

// Clear sets all keys of merged tile row ty to 0 and removes its touched marks.
func (m *Merge) Clear(ty int) {
	for lo, hi, f := m.OwnerRun(ty, 0); lo < hi; lo, hi, f = m.OwnerRun(ty, hi) {
		if f == nil {
			continue
		}
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			clear(f.Keys[f.KeyIndex(lo, y):][:(hi-lo)*tile.Width])
		}
		clear(f.TouchedRow(ty)[lo:hi])
	}
}

// MeasureDepths fills table with the farthest depth in each cell of a merged tile row. A cell is a square of samples,
// see package hidden.
func (m *Merge) MeasureDepths(table *hidden.Table, loops *hidden.Loops, ty int) {
	table.Begin(m.frame.Layout.TilesX * tile.Width)
	for lo, hi, f := m.OwnerRun(ty, 0); lo < hi; lo, hi, f = m.OwnerRun(ty, hi) {
		if f != nil {
			table.Add(loops, lo*tile.Width, (hi-lo)*tile.Width, f.Keys[f.KeyIndex(lo, ty*tile.Height):], f.Stride)
		}
	}
	table.End(loops)
}

// IsBehind reports whether a box in tile row ty is hidden: every sample of the box shows something nearer than anything
// in the box.
func (m *Merge) IsBehind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tile.Width
		next := min((tx+1)*tile.Width, end)
		f := m.owners[ty*m.frame.Layout.TilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.Keys[f.KeyIndex(tx, ty*tile.Height)+x%tile.Width:], f.Stride) {
			return false
		}
		x = next
	}
	return true
}

// Claim makes buffer the owner of all tiles of tile row ty that the polygons may cover.
func (m *Merge) Claim(buffer *Buffer, ty int, p *array.Polygons) {
	owners := m.Owners(ty)
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		lo := max(int(min(ax[n], bx[n], cx[n])), 0) / (tile.Width * array.Sub)
		hi := min(max(int(max(ax[n], bx[n], cx[n])), 0)/(tile.Width*array.Sub), len(owners)-1)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != buffer {
				m.setOwner(buffer, ty, tx)
			}
		}
	}
}

// setOwner makes buffer the owner of a tile, and moves the tile's keys to it.
func (m *Merge) setOwner(buffer *Buffer, ty, tx int) {
	owner := &m.Owners(ty)[tx]
	buffer.TouchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		m.move(buffer, f, tx, ty)
		f.TouchedRow(ty)[tx] = false
	}
	*owner = buffer
}
