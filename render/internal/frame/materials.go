package frame

import (
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
)

// Translucent is the stage that draws polygons whose material lets some samples through. It removes these polygons
// from blocks and merges them sample by sample into the private frames. Only frames of meshes with such materials use
// it.
type Translucent struct{ frame TranslucentFrame }

// A TranslucentFrame holds the parameters of the stage for a frame.
type TranslucentFrame struct {
	Width, Height int // size of the whole picture, in pixels
	Top           int // row of the picture that is the frame's first row
	Grid          int // samples along the side of a pixel
	Scene         *surface.Scene
	Light         *Light                // stage whose shaders test samples; Light.Begin must be called before Blocks.Run
	Private       []*framebuffer.Buffer // private frames, one for each worker
	Rasters       []*framebuffer.Raster
	Stop          func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (s *Translucent) Begin(f TranslucentFrame) { s.frame = f }

// End ends a frame.
func (s *Translucent) End(bool) { s.frame = TranslucentFrame{} }

// Take implements Taker. The payloads must be triangle numbers.
func (s *Translucent) Take(worker int, p *array.Polygons) {
	f := &s.frame
	to, spans := f.Private[worker], f.Rasters[worker].Spans
	for n := range p.N {
		if p.Rows[n] == 0 || !f.Scene.IsTranslucentTriangle(p.Payload[n]) {
			continue
		}
		x0, x1 := to.Reach(p, n)
		last := int(p.First[n]+p.Rows[n]-1) / tile.Height
		to.TouchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height, last)
		for row := p.First[n]; row < p.First[n]+p.Rows[n] && !f.Stop(); row++ {
			spans.N = 0
			scanline.AppendRow(spans, p, n, row, int32(f.Width*f.Grid), int32(to.Stride))
			for i := range spans.N {
				s.mergeSpan(worker, i, int(row))
			}
		}
		p.Rows[n] = 0
	}
}

// mergeSpan does the work of the z-buffer for a span, but skips samples that the material lets through. i is the
// index of the span, and row its row of samples.
func (s *Translucent) mergeSpan(worker, i, row int) {
	f := &s.frame
	to, r, shader := f.Private[worker], f.Rasters[worker], f.Light.Shader(worker)
	spans, per := r.Spans, 1/float32(f.Grid)
	start, t := int(spans.Start[i]), spans.Payload[i]
	column := start - row*to.Stride
	line := row + f.Top*f.Grid
	y := float32(f.Height)/2 - float32((float32(line)+0.5)*per)
	keys, low := to.Keys[start:start+int(spans.Count[i])], uint64(^t)
	for k := range keys {
		x := float32((float32(column+k)+0.5)*per) - float32(f.Width)/2
		key := array.Key(spans.E[i]+float32(float32(k)*spans.DE[i]), low)
		if key > keys[k] && shader.HasSample(t, x, y, per, column+k, line) {
			keys[k] = key
		}
	}
	r.Emitted++
	r.Tested += int64(len(keys))
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
