package framebuffer

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/tile"
)

// A Merge is the stage that brings together what the workers drew to a row of tiles. It does not copy a tile that only
// one of them has drawn to: it finds an owner for every tile, the buffer that has all of its keys.
type Merge struct {
	frame  MergeFrame
	owners []*Buffer // by tile; nil: nothing was drawn there
}

// A MergeFrame is what a merge wants to know of a frame.
type MergeFrame struct {
	Layout  tile.Layout
	Private []*Buffer               // the private frames of the workers
	Loop    func(dst, src []uint64) // pixel.Merge
	Stop    func() bool             // whether the frame was called off
}

// Begin prepares for a frame.
func (m *Merge) Begin(f MergeFrame) {
	m.frame = f
	m.owners = scratch.Resize(m.owners, f.Layout.TilesX*f.Layout.TilesY)
}

// End ends a frame. What a frame leaves that was called off lies in buffers, which others clear.
func (m *Merge) End(bool) {}

// Run finds the owner of each tile of a row, and moves the keys of all other frames into the owner. The owner is the
// buffer, if there is one and it touched the tile, else the private frame of the first worker that did. Run returns
// false when the frame was called off.
func (m *Merge) Run(ty int, buffer *Buffer) bool {
	const look = 16 // tiles: their keys are 128 KiB a worker
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

// move moves the keys of a tile from one buffer to another.
func (m *Merge) move(to, from *Buffer, tx, ty int) {
	for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
		m.frame.Loop(to.TileKeys(tx, y), from.TileKeys(tx, y))
	}
}

// Owners returns the owners of a row of tiles for which Run was called, nil where nothing was drawn.
func (m *Merge) Owners(ty int) []*Buffer {
	return m.owners[ty*m.frame.Layout.TilesX : (ty+1)*m.frame.Layout.TilesX]
}

// From returns the tiles from lo to hi (exclusive) of a row that have the same owner as the first of them; none where
// the row ends.
func (m *Merge) From(ty, lo int) (first, hi int, owner *Buffer) {
	row := m.Owners(ty)
	if lo == len(row) {
		return lo, lo, nil
	}
	for hi = lo + 1; hi < len(row) && row[hi] == row[lo]; {
		hi++
	}
	return lo, hi, row[lo]
}

// Clear clears a row of tiles.
func (m *Merge) Clear(ty int) {
	for lo, hi, f := m.From(ty, 0); lo < hi; lo, hi, f = m.From(ty, hi) {
		if f == nil {
			continue
		}
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			clear(f.Keys[f.Tile(lo, y):][:(hi-lo)*tile.Width])
		}
		clear(f.TouchedRow(ty)[lo:hi])
	}
}

// Measure makes the table of depths of a row of tiles.
func (m *Merge) Measure(table *hidden.Table, loops *hidden.Loops, ty int) {
	table.Begin(m.frame.Layout.TilesX * tile.Width)
	for lo, hi, f := m.From(ty, 0); lo < hi; lo, hi, f = m.From(ty, hi) {
		if f != nil {
			table.Add(loops, lo*tile.Width, (hi-lo)*tile.Width, f.Keys[f.Tile(lo, ty*tile.Height):], f.Stride)
		}
	}
	table.End(loops)
}

// Behind reports whether all samples of a box in a row of tiles are nearer than it may be.
func (m *Merge) Behind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tile.Width
		next := min((tx+1)*tile.Width, end)
		f := m.owners[ty*m.frame.Layout.TilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.Keys[f.Tile(tx, ty*tile.Height)+x%tile.Width:], f.Stride) {
			return false
		}
		x = next
	}
	return true
}

// Claim makes a buffer the owner of the tiles of a row that polygons may reach.
func (m *Merge) Claim(buffer *Buffer, ty int, p *array.Polygons) {
	owners := m.Owners(ty)
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		lo := max(int(min(ax[n], bx[n], cx[n])), 0) / (tile.Width * array.Sub)
		hi := min(max(int(max(ax[n], bx[n], cx[n])), 0)/(tile.Width*array.Sub), len(owners)-1)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != buffer {
				m.give(buffer, ty, tx)
			}
		}
	}
}

// give makes a buffer the owner of a tile.
func (m *Merge) give(buffer *Buffer, ty, tx int) {
	owner := &m.Owners(ty)[tx]
	buffer.TouchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		m.move(buffer, f, tx, ty)
		f.TouchedRow(ty)[tx] = false
	}
	*owner = buffer
}
