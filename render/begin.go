package render

import (
	"lockstep/render/internal/frame"
	"lockstep/render/internal/surface"
	"lockstep/vp/hugepages"
)

// A stage is one of package frame.
type stage interface{ End(calledOff bool) }

// A lastStage makes what is wanted of a frame from the keys of rows of tiles.
type lastStage interface {
	stage
	Run(worker int)
	Written(worker int) frame.Written
}

// beginScene sets what the pixels of a frame may show.
func (e *engine) beginScene(s *Surface, cam *Camera) {
	scene, o := &e.scene, &e.options
	*scene = surface.Scene{
		Block: s.Block, Lens: cam.internal().Lens(o.Height), Lights: e.job.lights,
		Base: e.colors.Linear(uint32(e.base)), Tables: e.colors,
	}
	if o.Shading == ShadingSmooth && s.records != nil {
		scene.Records = s.records
	}
	if o.Color == nil {
		scene.Colors = s.Block.Colors
		scene.Paint = s.coat(e.colors)
	}
	if o.Field.Name != "" {
		scene.Field = o.Field.of(s)
	}
	if o.Facing {
		scene.Facing = &[2][3]float32{e.colors.Linear(0x7fa8d8), e.colors.Linear(0xe0523c)}
	}
}

// beginStages prepares the stages that take part in the frame. Nobody asks later which do.
func (e *engine) beginStages(cam *Camera) {
	j := &e.job
	e.begun = append(e.begun[:0], &e.large, &e.merging, &e.backs)
	e.beginLarge()
	e.beginMerge()
	e.beginBacks()
	if j.storeChunks > 0 {
		e.begun = append(e.begun, &e.spans)
		e.beginStore()
	}
	if j.deferred {
		e.begun = append(e.begun, &e.light)
		e.beginLight(cam)
	}
	switch {
	case j.toLayer:
		e.begun, e.last = append(e.begun, &e.layer), &e.layer
		e.beginLayer()
	case j.deferred:
		e.last = &e.light
	default:
		e.begun, e.last = append(e.begun, &e.flat), &e.flat
		e.beginFlat()
	}
}

// beginLarge prepares for large polygons.
func (e *engine) beginLarge() {
	j := &e.job
	f := frame.LargeFrame{
		Workers: len(e.workers), Layout: j.layout, Width: j.view.Width, BlockSize: j.blockSize,
		Policy: j.sharing, Cost: e.estimate.Sharing, Cached: j.cached, AtOnce: j.rangesAtOnce,
		Rows: e.flatRowsFn, ZBuffer: e.kernels.ZBuffer, Sync: e.syncFn, Stop: e.cancelledFn,
	}
	if j.mergeFirst {
		f.Rows = nil
	}
	e.large.Begin(f)
}

// beginMerge prepares the merge.
func (e *engine) beginMerge() {
	e.merging.Begin(frame.MergeFrame{Layout: e.job.layout, Private: e.private, Loop: e.kernels.Merge, Stop: e.cancelledFn})
}

// beginBacks prepares for deferred back faces.
func (e *engine) beginBacks() {
	f := frame.BackFacesFrame{
		Workers: len(e.workers), View: &e.job.view, Bands: e.job.backRanges, Layout: e.job.layout, BlockSize: e.job.blockSize,
		Merge: &e.merging, Keep: e.kernels.Keep, Hidden: e.kernels.Hidden, Geometry: e.kernels.Geometry, Stop: e.cancelledFn,
	}
	if f.Bands > 0 {
		f.Mesh = &e.scene.Block
	}
	e.backs.Begin(f)
}

// beginStore prepares the span store, to which the spans of blocks go.
func (e *engine) beginStore() {
	e.spans.Begin(frame.SpanStoreFrame{
		Layout: e.job.layout, Chunks: e.job.storeChunks, Private: e.private, Keep: e.kernels.Keep, ZBuffer: e.kernels.ZBuffer, Stop: e.cancelledFn,
	})
	for i := range e.workers {
		e.workers[i].target = e.spans.Target(i)
	}
}

// beginPicture makes room for the pixels.
func (e *engine) beginPicture(pic *Picture) {
	o := &e.options
	e.job.picture = pic
	pic.Width, pic.Height = o.Width, e.job.window.pictureHeight
	n := pic.Width * pic.Height
	if n := 4 * n; cap(pic.Pix) < n {
		pic.Pix = hugepages.Make[byte](n)
	} else {
		pic.Pix = pic.Pix[:n]
	}
	if o.Depth {
		pic.Depth = resize(pic.Depth, n)
	} else {
		pic.Depth = nil
	}
	pic.Triangles = wanted(pic.Triangles, o.Triangles, n)
	pic.Normals = wanted(pic.Normals, o.Normals, n)
	pic.Coverage = wanted(pic.Coverage, o.Coverage, n)
}

// pixels returns where the pixels of the frame go.
func (e *engine) pixels() frame.Pixels {
	j := &e.job
	p := frame.Pixels{
		Width: j.width, Rows: j.window.height, First: j.window.pictureTop, Grid: j.grid,
		Depths: j.depth, Background: e.background, Loops: &e.kernels.Loops, Down: e.down,
	}
	if pic := j.picture; pic != nil {
		p.Pix, p.Depth, p.Triangles, p.Normals, p.Coverage = pic.Pix, pic.Depth, pic.Triangles, pic.Normals, pic.Coverage
	}
	return p
}

// beginFlat prepares for the pixels of a frame whose keys carry colours.
func (e *engine) beginFlat() {
	e.flat.Begin(frame.FlatFrame{
		Workers: len(e.workers), Pixels: e.pixels(), Rows: e.job.needed, Merge: &e.merging, Empty: e.private[0], Stop: e.cancelledFn,
	})
}

// beginLight prepares for the pixels of a frame that is lit later.
func (e *engine) beginLight(cam *Camera) {
	j := &e.job
	f := frame.LightFrame{
		Workers: len(e.workers), Layout: j.layout, Pixels: e.pixels(), Lit: j.lit, Near: j.near, Needed: j.needed,
		CentreX: float32(j.width) / 2, CentreY: float32(j.height)/2 - float32(j.window.top),
		Scene: &e.scene, Scale: cam.internal().Scale(), Backs: &e.backs, Merge: &e.merging, Rasters: e.rasters,
		Light: e.kernels.Light, Occlude: e.kernels.Occlude, Show: e.kernels.Show, Sync: e.syncFn, Stop: e.cancelledFn,
	}
	if j.occluded {
		e.sky, f.Middle = cam.internal().Occlusion(j.width, j.height)
		e.sky.CenterY -= float32(j.window.top) / 2
		f.Occlusion = &e.sky
	}
	if j.storeChunks > 0 {
		f.Spans = &e.spans
	}
	e.light.Begin(f)
}

// beginLayer prepares for a frame that goes into a layer.
func (e *engine) beginLayer() {
	e.layer.Begin(frame.LayerFrame{
		Workers: len(e.workers), Layer: e.job.parts.Layer, Rows: e.job.needed.Len(), Merge: &e.merging, Stop: e.cancelledFn,
	})
}
