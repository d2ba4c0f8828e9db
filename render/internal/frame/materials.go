package frame

import (
	"slices"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
)

// Translucent is the stage that draws polygons whose material lets some samples through. It removes these polygons
// from blocks and merges them sample by sample into the private frames. Only frames of meshes with such materials use
// it.
type Translucent struct {
	frame TranslucentFrame
	grids []surface.SampleGrid // one for each worker
	sky   []float32
}

// A TranslucentFrame holds the parameters of the stage for a frame.
type TranslucentFrame struct {
	Width, Height int // size of the whole picture, in pixels
	Top           int // row of the picture that is the frame's first row
	Grid          int // samples along the side of a pixel
	// Lit is the range of tile rows that are lit. The other rows serve only the occlusion, which reads the first sample
	// of each pixel.
	Lit     tile.Rows
	Scene   *surface.Scene
	Light   *Light                // stage whose shaders test samples; Light.Begin must be called before Blocks.Run
	Private []*framebuffer.Buffer // private frames, one for each worker
	Rasters []*framebuffer.Raster
	Stop    func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (s *Translucent) Begin(f TranslucentFrame) {
	s.frame = f
	if n := f.Width + light.SkyMargin + 1; len(s.sky) < n {
		s.sky = slices.Repeat([]float32{1}, n)
	}
	s.grids = scratch.Resize(s.grids, len(f.Private))
	for i := range s.grids {
		s.grids[i] = surface.SampleGrid{Width: f.Width, Height: f.Height, Grid: f.Grid, Sky: s.sky}
	}
}

// End ends a frame.
func (s *Translucent) End(bool) {
	s.frame = TranslucentFrame{}
	clear(s.grids)
}

// Take implements Taker. The payloads must be triangle numbers.
func (s *Translucent) Take(worker int, p *array.Polygons) {
	f := &s.frame
	to, spans, grid := f.Private[worker], f.Rasters[worker].Spans, &s.grids[worker]
	grid.Keys = to.Keys
	for n := range p.N {
		if p.Rows[n] == 0 || !f.Scene.IsTranslucentTriangle(p.Payload[n]) {
			continue
		}
		x0, x1 := to.Reach(p, n)
		last := int(p.First[n]+p.Rows[n]-1) / tile.Height
		first := int(p.First[n]) + f.Top*f.Grid
		left, top := grid.Position(x0, first)
		right, bottom := grid.Position(x1, first+int(p.Rows[n]))
		most := f.Light.Shader(worker).MostCoverage(p.Payload[n], left, bottom, right, top)
		to.TouchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height, last)
		for row := p.First[n]; row < p.First[n]+p.Rows[n] && !f.Stop(); row++ {
			if spans.N = 0; !f.needs(int(row)) {
				continue
			}
			scanline.AppendRow(spans, p, n, row, int32(f.Width*f.Grid), int32(to.Stride))
			for i := range spans.N {
				s.mergeSpan(worker, i, int(row), most)
			}
		}
		p.Rows[n] = 0
	}
	f.Light.Shader(worker).TestSamples(grid)
}

// needs reports whether light or occlusion depends on a row of samples. A pixel's first sample is in its first row.
func (f *TranslucentFrame) needs(row int) bool {
	return row%f.Grid == 0 || f.Lit.Has(row/tile.Height)
}

// mergeSpan does the work of the z-buffer for a span, but skips samples that the material lets through. In rows that
// are not lit, it draws at most the first sample of each pixel. i is the index of the span, and row its row of samples.
// most is an upper bound of the polygon's coverage.
func (s *Translucent) mergeSpan(worker, i, row int, most float32) {
	f := &s.frame
	to, r := f.Private[worker], f.Rasters[worker]
	spans, start := r.Spans, int(r.Spans.Start[i])
	span := surface.SampleSpan{
		Triangle: spans.Payload[i], Start: start, Count: int(spans.Count[i]), Step: 1, Nearness: spans.E[i], Growth: spans.DE[i],
		Column: start - row*to.Stride, Row: row + f.Top*f.Grid, Most: most,
	}
	if !f.Lit.Has(row / tile.Height) {
		span.First, span.Step = (f.Grid-span.Column%f.Grid)%f.Grid, f.Grid
	}
	f.Light.Shader(worker).MergeSpan(&s.grids[worker], &span)
	r.Emitted++
	r.Tested += int64(span.Count)
}

// OneSided is the stage that leaves out the back faces of triangles with a one-sided material. It is used only for
// meshes in which other triangles have a two-sided material. If all materials are one-sided, the geometry loop leaves
// out back faces.
type OneSided struct {
	view  *geometry.View
	scene *surface.Scene
	sides *surface.Sides
}

// Begin prepares for a frame. The mesh of the scene must be in memory.
func (s *OneSided) Begin(v *geometry.View, scene *surface.Scene, sides *surface.Sides) {
	s.view, s.scene, s.sides = v, scene, sides
}

// End ends a frame.
func (s *OneSided) End(bool) { *s = OneSided{} }

// Take implements Taker. The payloads must be triangle numbers.
func (s *OneSided) Take(_ int, p *array.Polygons) {
	for n := range p.N {
		if t := p.Payload[n]; p.Rows[n] != 0 && s.sides.IsOneSided(t) && s.scene.IsBack(s.view, t) {
			p.Rows[n] = 0
		}
	}
}
