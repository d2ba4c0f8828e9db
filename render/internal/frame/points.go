package frame

import (
	"sync/atomic"
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// Points is the first stage of frames of a cloud of points. It turns points into spans without scan conversion, and
// passes the spans to the workers' targets.
type Points struct {
	frame   PointsFrame
	workers []pointWorker
}

// pointWorker is the memory of one worker.
type pointWorker struct {
	Drawn
	out   *cloud.Output
	block cloud.Block // points that are being drawn; a field, because a local variable would escape
	err   error

	_ [64]byte // padding, so that the counters of two workers do not share a cache line
}

// A PointsFrame holds the parameters of the stage for a frame.
type PointsFrame struct {
	Workers  int
	Points   *scenes.Points
	Units    Units // hands out the units of the cloud
	Numbers  []int // for each unit, the number of its run of UnitSize points in the cloud; nil if unit i is run i
	UnitSize int   // number of points in a unit, at most MaxPoints

	Frame    cloud.Frame
	Loop     cloud.Loop
	Payloads PointPayloads

	Targets     []framebuffer.Target  // one for each worker
	Rasters     []*framebuffer.Raster // one for each worker
	Watchers    []Watcher
	IdleWorkers *atomic.Int32 // number of workers that found no unit left
	Stop        func() bool   // reports whether the frame was called off
}

// MaxPoints is the largest number of points in a unit. A Raster can hold the spans of that many points.
const MaxPoints = 4096

// PointPayloads sets the payloads of the spans of points. Before the call, a span's payload is the number of its point
// minus `first`.
type PointPayloads interface {
	SetPointPayloads(s *array.Spans, first int)
}

// Begin prepares for a frame. Only the first call allocates memory.
func (p *Points) Begin(f PointsFrame) {
	p.frame = f
	if p.workers == nil {
		p.workers = make([]pointWorker, f.Workers)
	}
	for i := range p.workers {
		w := &p.workers[i]
		if w.out == nil {
			w.out = cloud.NewOutput(MaxPoints, f.Rasters[i].Spans)
		}
		w.Drawn, w.err = Drawn{}, nil
	}
}

// End ends a frame and drops its cloud, so that the cloud can be garbage collected.
func (p *Points) End(bool) {
	p.frame = PointsFrame{}
	for i := range p.workers {
		p.workers[i].block = cloud.Block{}
	}
}

// Drawn returns the counts of a worker, and the error that ended its work. The counts of triangles are counts of
// points.
func (p *Points) Drawn(worker int) (Drawn, error) {
	return p.workers[worker].Drawn, p.workers[worker].err
}

// Run draws units until no unit is left or the frame is called off.
func (p *Points) Run(worker int) {
	f, w := &p.frame, &p.workers[worker]
	defer p.notifyLeave(worker)
	for !f.Stop() {
		unit, ok := f.Units.Next(worker)
		if !ok {
			f.IdleWorkers.Add(1)
			return
		}
		for _, o := range f.Watchers {
			o.BeginUnit(worker, unit)
		}
		if f.Numbers != nil {
			unit = f.Numbers[unit]
		}
		p.draw(worker, unit*f.UnitSize)
		for _, o := range f.Watchers {
			w.err = o.EndUnit(worker, w.err)
		}
		if w.err != nil {
			return
		}
	}
}

// notifyLeave notifies the watchers that a worker stops.
func (p *Points) notifyLeave(worker int) {
	for _, o := range p.frame.Watchers {
		o.Leave(worker)
	}
}

// draw draws the unit that starts with point number `first`.
func (p *Points) draw(worker, first int) {
	f, w, r := &p.frame, &p.workers[worker], p.frame.Rasters[worker]
	for _, o := range f.Watchers {
		o.BeginBlock(worker, 0, f.UnitSize)
	}
	start := time.Now()
	end := min(first+f.UnitSize, len(f.Points.X))
	w.block = cloud.Block{X: f.Points.X[first:end], Y: f.Points.Y[first:end], Z: f.Points.Z[first:end]}
	f.Loop(&f.Frame, &w.block, w.out, &w.Triangles)
	target, spans := f.Targets[worker], w.out.Spans
	touchSpans(target, w.out)
	f.Payloads.SetPointPayloads(spans, first)
	now := time.Now()
	w.Geometry += now.Sub(start)
	now = r.Pass(target, 1, now)
	if w.out.Discs.N == 0 {
		return
	}
	touchDiscs(target, f.Frame.View, w.out.Discs)
	var at cloud.Cursor
	for !f.Stop() && cloud.Rows(&f.Frame, w.out.Discs, &at, spans) {
		f.Payloads.SetPointPayloads(spans, first)
		scanned := time.Now()
		r.Scan += scanned.Sub(now)
		now = r.Pass(target, int64(f.Frame.View.Width), scanned)
	}
}

// touchSpans marks the tiles of the output's spans.
func touchSpans(t framebuffer.Target, o *cloud.Output) {
	n := o.Spans.N
	if n == 0 {
		return
	}
	x0, x1, y0, y1 := int(o.MinX)/tile.Width, int(o.MaxX)/tile.Width, int(o.MinY)/tile.Height, int(o.MaxY)/tile.Height
	// Successive points mostly lie close together. Then marking one rectangle is as good as marking the tile of each
	// point. It is also as fast, if the rectangle has at most as many tiles as there are spans.
	if (x1-x0+1)*(y1-y0+1) <= max(n, alwaysMarked) {
		t.TouchTiles(x0, x1, y0, y1)
		return
	}
	keys := uint32(t.RowKeys())
	for _, start := range o.Spans.Start[:n] {
		x, y := int(start%keys)/tile.Width, int(start/keys)/tile.Height
		t.TouchTiles(x, x, y, y)
	}
}

// alwaysMarked is the number of tiles up to which a rectangle is always marked as a whole.
const alwaysMarked = 16

// touchDiscs marks the tiles of discs.
func touchDiscs(t framebuffer.Target, v *geometry.View, d *array.Discs) {
	for i := range d.N {
		b := cloud.Box(v, d, i)
		t.TouchTiles(int(b.X0)/tile.Width, int(b.X1-1)/tile.Width, int(b.Y0)/tile.Height, int(b.Y1-1)/tile.Height)
	}
}

// PointNumbers sets the payload of a point to the number of the first triangle of its octahedron, see scenes.Points.
// It is used in frames that are lit after the z-buffer.
type PointNumbers struct{}

// SetPointPayloads implements PointPayloads.
func (PointNumbers) SetPointPayloads(s *array.Spans, first int) {
	for i, n := range s.Payload[:s.N] {
		s.Payload[i] = (uint32(first) + n) * uint32(scenes.PointTriangles)
	}
}

// PointColors sets the payloads of points to their colours.
type PointColors struct {
	Colors  []uint32 // sRGB colour 0x00RRGGBB of every point; nil if all points have the payload Uniform
	Uniform uint32
	Table   [3][256]uint32 // part of the payload for each value of red, green and blue
}

// SetPointPayloads implements PointPayloads.
func (c *PointColors) SetPointPayloads(s *array.Spans, first int) {
	payload := s.Payload[:s.N]
	if c.Colors == nil {
		for i := range payload {
			payload[i] = c.Uniform
		}
		return
	}
	colors := c.Colors[first:min(first+MaxPoints, len(c.Colors))]
	for i, n := range payload {
		rgb := colors[n]
		payload[i] = c.Table[0][rgb>>16&255] | c.Table[1][rgb>>8&255] | c.Table[2][rgb&255]
	}
}
