package render

import (
	"lockstep/render/internal/blocktime"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/surface"
	"lockstep/vp/hugepages"
	"lockstep/vp/machine"
)

// stages holds every stage of package frame. A stage is a step in drawing a frame, such as lighting. The fields
// `first`, `last` and `activeStages` refer to the stages that the current frame uses.
type stages struct {
	private     framebuffer.Private
	blocks      frame.Blocks
	points      frame.Points
	gather      frame.Gather
	translucent frame.Translucent
	sides       frame.OneSided
	spans       frame.SpanStore
	large       frame.LargePolygons
	merge       framebuffer.Merge
	hidden      frame.Hidden
	light       frame.Light
	flat        frame.Flat
	layer       frame.Layer
	leaves      frame.Leaves
	dome        frame.EyeDome

	first        firstStage
	last         lastStage
	activeStages []stage // all stages that take part in the current frame

	// The fields below are parameters of the stages `blocks` and `points`. One of `headlight`, `studio` and `numbers`
	// sets the payloads of polygons: the first two set colours, and `numbers` sets triangle numbers. Each stage in
	// `takers` removes some polygons from a block and draws them itself. `targets` receive the spans, one target for
	// each worker.
	headlight   frame.Headlight
	studio      surface.Flat
	numbers     frame.Numbers
	takers      []frame.Taker
	watchers    []frame.Watcher
	targets     []framebuffer.Target
	timer       blocktime.Timer
	units       machine.Ranges
	pointColors frame.PointColors // sets the payloads of points
}

// A stage is one of the stages of package frame. The argument of End says whether the frame was cancelled.
type stage interface{ End(calledOff bool) }

// A firstStage draws polygons or points. It writes keys, each the depth and payload of a sample in 64 bits, or stores
// spans to be drawn later.
type firstStage interface {
	stage
	Run(worker int)
	Drawn(worker int) (frame.Drawn, error)
}

// A lastStage turns the finished keys into the result: pixels, or a layer (the keys of one process, to be merged with
// those of others).
type lastStage interface {
	stage
	Run(worker int)
	Written(worker int) frame.Written
}

// request returns all facts, besides the options, on which the frame's schedule depends. If pixels are lit one by one,
// beginScene must be called first.
func (e *engine) request(cam *Camera, part *framePart) (q request) {
	q = request{margin: e.occlusionMargin(cam), traced: e.trace.write != nil, drawsBacksAtOnce: e.drawBacksAtOnce, minDeferred: e.minDeferred}
	switch {
	case part.Strip != nil:
		q.part, q.litRows = partGather, part.Strip.Own
	case part.Layer != nil:
		q.part, q.blocks = partLayer, len(part.Blocks)
	case part.Rows != nil:
		q.part, q.rows = partRows, *part.Rows
	}
	e.job.subject.copyFacts(&q)
	if points := e.job.subject.points; points != nil && e.options.EyeDome {
		e.job.dome = cam.internal().Dome(e.options.Height, points.Size)
		q.domeRows = e.job.dome.Reach
	}
	q.groups = e.mayUseGroups()
	q.predicts = e.hidden.Predicts(e.options.Leaves)
	e.job.stored = e.storedGroups(part)
	q.stored = e.job.stored != nil
	if e.options.deferredShading() {
		q.translucent = e.scene.IsTranslucent()
		q.oneSided = e.job.subject.lit != nil && e.cullBacks()
	}
	q.culls = e.job.view.CullBack || e.job.view.CullFront
	return q
}

// occlusionMargin returns by how many rows the ambient occlusion of a picture row reaches up and down. The rows are
// rows of cells; a cell is two by two pixels.
func (e *engine) occlusionMargin(cam *Camera) int {
	if !e.options.deferredShading() || !e.options.Occlusion {
		return 0
	}
	v, _ := cam.internal().Occlusion(e.options.Width, e.options.Height)
	return v.Margin()
}

// beginScene sets up the scene, from which the colours of pixels are computed.
func (e *engine) beginScene(s *Surface, cam *Camera) {
	scene, o := &e.scene, &e.options
	*scene = surface.Scene{
		Block: s.Block, Lens: cam.internal().Lens(o.Height), Lights: e.job.lights,
		Base: e.colors.Linear(uint32(e.shaderBase)), Tables: e.colors,
	}
	if o.Shading == ShadingSmooth && s.records != nil {
		scene.Records = s.records
	}
	if s.stored != nil {
		e.storedRecords = *s.stored
		e.storedRecords.Smooth = s.storedSmooth && o.Shading == ShadingSmooth
		scene.Stored = &e.storedRecords
	}
	if s.points != nil {
		scene.Cloud = cloudOf(s.points, cam)
	}
	if o.Color == nil {
		scene.Colors = s.Block.Colors
		if s.points != nil {
			scene.Colors = s.points.Colors
		}
		scene.Paint = s.cachedPaint(e.colors)
	}
	if o.Finish != nil {
		scene.Finish = surface.NewFinish(o.Finish)
	}
	if o.Field.Name != "" {
		scene.Field = o.Field.prepare(s)
	}
	if o.Facing {
		scene.Facing = &[2][3]float32{e.colors.Linear(0x7fa8d8), e.colors.Linear(0xe0523c)}
	}
}

// cullBacks makes the view leave out back faces if the options ask for it and all materials are one-sided. mixed reports
// whether some materials are one-sided and others are not.
func (e *engine) cullBacks() (mixed bool) {
	if !e.options.OneSided || e.options.Facing {
		return false
	}
	sides := e.job.subject.lit.cachedSides()
	if sides.All {
		e.job.view.CullBack = true
	}
	return sides.Some && !sides.All
}

// beginStages prepares the stages that the schedule selects. A stage is prepared before the stages that refer to it.
// Later code uses first, last and activeStages instead of the schedule.
func (e *engine) beginStages(cam *Camera, p *framePart) {
	j := &e.job
	e.activeStages, e.takers = e.activeStages[:0], e.takers[:0]
	e.beginPrivate()
	e.beginMerge()
	if j.storeChunks > 0 {
		e.beginStore()
	}
	if j.domed {
		e.beginEyeDome()
	}
	if j.carry == carryNumbers {
		e.beginLight(cam)
	}
	if j.oneSided {
		e.activeStages, e.takers = append(e.activeStages, &e.sides), append(e.takers, &e.sides)
		e.sides.Begin(&j.view, &e.scene, j.subject.lit.cachedSides())
	}
	if j.translucent {
		e.beginTranslucent()
	}
	e.beginLarge()
	switch j.from {
	case fromBlocks:
		e.beginBlocks(p)
	case fromPoints:
		e.deferNone()
		e.beginPoints(cam, p)
	case fromLayers:
		e.deferNone()
		e.beginGather(p)
	}
	switch j.to {
	case toColors:
		e.beginFlat()
	case toLight:
		e.last = &e.light
	case toLayer:
		e.beginLayer(p)
	}
}

// beginPrivate prepares each worker's private frame (its own buffer of keys) and its rasterizer.
func (e *engine) beginPrivate() {
	j := &e.job
	e.activeStages = append(e.activeStages, &e.private)
	e.private.Begin(framebuffer.PrivateFrame{Layout: j.layout, MinKeys: j.window.maxKeys, ZBuffer: e.kernels.ZBuffer, Stop: e.cancelledFn})
	for i, r := range e.rasters {
		r.Begin(e.kernels.ScanConvert, j.view.Width, e.cancelledFn)
		e.targets[i] = e.private.Buffers()[i]
	}
}

// beginMerge prepares the stage that merges the workers' private frames.
func (e *engine) beginMerge() {
	e.activeStages = append(e.activeStages, &e.merge)
	e.merge.Begin(framebuffer.MergeFrame{Layout: e.job.layout, Private: e.private.Buffers(), Loop: e.kernels.Merge, Stop: e.cancelledFn})
}

// beginStore prepares the span store, which keeps spans until their rows are drawn. It becomes the target of the
// workers' spans.
func (e *engine) beginStore() {
	e.activeStages = append(e.activeStages, &e.spans)
	e.spans.Begin(frame.SpanStoreFrame{
		Layout: e.job.layout, Chunks: e.job.storeChunks, Private: e.private.Buffers(), Keep: e.kernels.Keep, ZBuffer: e.kernels.ZBuffer,
		Stop: e.cancelledFn,
	})
	for i := range e.targets {
		e.targets[i] = e.spans.Target(i)
	}
}

// beginLight prepares the stage that lights pixels one by one after the z-buffer, and its shaders.
func (e *engine) beginLight(cam *Camera) {
	j := &e.job
	f := frame.LightFrame{
		Workers: len(e.rasters), Layout: j.layout, Pixels: e.pixels(), Lit: j.lit, Near: j.near, Needed: j.needed,
		CentreX: float32(j.width) / 2, CentreY: float32(j.height)/2 - float32(j.window.top),
		Scene: &e.scene, Scale: cam.internal().Scale(), Hidden: &e.hidden, Leaves: &e.leaves, Merge: &e.merge, Rasters: e.rasters,
		Light: e.kernels.Light, Texel: e.kernels.Texel, Occlude: e.kernels.Occlude, Show: e.kernels.Show, Sync: e.syncFn, Stop: e.cancelledFn,
	}
	if j.occluded {
		e.occlusionView, f.Middle = cam.internal().Occlusion(j.width, j.height)
		e.occlusionView.CenterY -= float32(j.window.top) / 2
		f.Occlusion = &e.occlusionView
	}
	if j.storeChunks > 0 {
		f.Spans = &e.spans
	}
	if j.domed {
		f.Dome = &e.dome
	}
	e.activeStages = append(e.activeStages, &e.light)
	e.light.Begin(f)
}

// beginTranslucent prepares the stage for polygons of translucent materials, which cover only some of the samples.
func (e *engine) beginTranslucent() {
	j := &e.job
	e.activeStages, e.takers = append(e.activeStages, &e.translucent), append(e.takers, &e.translucent)
	e.translucent.Begin(frame.TranslucentFrame{
		Width: j.width, Height: j.height, Top: j.window.top, Grid: j.grid, Lit: j.lit, Scene: &e.scene, Light: &e.light,
		Private: e.private.Buffers(), Rasters: e.rasters, Stop: e.cancelledFn,
	})
}

// beginLarge prepares the stage for large polygons.
func (e *engine) beginLarge() {
	j := &e.job
	f := frame.LargeFrame{
		Workers: len(e.rasters), Layout: j.layout, Width: j.view.Width, BlockSize: j.blockSize,
		Policy: j.sharing, Cost: e.estimate.Sharing, FitsCache: j.fitsCache, DrawAtOnce: j.traced,
		Targets: e.targets, Rasters: e.rasters, ZBuffer: e.kernels.ZBuffer, Sync: e.syncFn, Stop: e.cancelledFn,
	}
	if j.to == toColors && j.storeChunks == 0 {
		f.Rows = e.flatRowsFn
	}
	if j.traced {
		f.Watcher = &e.trace
	}
	e.activeStages, e.takers = append(e.activeStages, &e.large), append(e.takers, &e.large)
	e.large.Begin(f)
}

// beginBlocks prepares the stage that draws the blocks of a source.
func (e *engine) beginBlocks(p *framePart) {
	j := &e.job
	f := frame.BlocksFrame{
		Workers: len(e.rasters), Source: j.subject.source, Numbers: p.Blocks, UnitSize: j.unitSize, BlockSize: j.blockSize,
		Groups: e.job.stored, View: &j.view, Geometry: e.kernels.Geometry, Hidden: &e.hidden, Takers: e.takers,
		Targets: e.targets, Rasters: e.rasters, IdleWorkers: &e.large.IdleWorkers, Stop: e.cancelledFn,
	}
	if f.Groups == nil {
		f.Groups = e.groupsOf()
	}
	if j.timed {
		f.Timer = &e.timer
	}
	f.Payloads = e.payloads(f.Groups)
	e.beginHidden(f.Payloads)
	e.beginLeaves(&f)
	f.Units, f.Watchers = e.beginUnits()
	e.activeStages, e.first = append(e.activeStages, &e.blocks), &e.blocks
	e.blocks.Begin(f)
}

// payloads returns the object that sets the payloads of keys, as selected by the schedule. g holds the mesh's groups of
// triangles, or is nil.
func (e *engine) payloads(g *groups.Groups) frame.Payloads {
	j := &e.job
	switch j.carry {
	case carryNumbers:
		e.numbers = frame.Numbers{}
		if g != nil {
			e.numbers.Original = g.Numbers
		}
		return &e.numbers
	case carryStudio:
		e.studio = surface.Flat{Lights: &j.lights, Tables: e.colors, View: &j.view, Base: uint32(e.shaderBase), OneColor: j.oneColor}
		return &e.studio
	default:
		e.headlight = frame.Headlight{Loop: e.kernels.Shade, Shader: e.shader, OneColor: j.oneColor}
		return &e.headlight
	}
}

// beginGather prepares the stage that reads layers, the keys that other processes have drawn.
func (e *engine) beginGather(p *framePart) {
	e.activeStages, e.first = append(e.activeStages, &e.gather), &e.gather
	e.gather.Begin(frame.GatherFrame{
		Rows: e.job.needed, Layers: p.Strip.Layers, PayloadLimit: e.job.payloadLimit, Private: e.private.Buffers(), Stop: e.cancelledFn,
	})
}

// beginPicture gives pic the size of the window (the rows to be drawn), and allocates the arrays that the options ask
// for.
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
		pic.Depth = scratch.Resize(pic.Depth, n)
	} else {
		pic.Depth = nil
	}
	pic.Triangles = resizeIf(pic.Triangles, o.Triangles, n)
	pic.Normals = resizeIf(pic.Normals, o.Normals, n)
	pic.Coverage = resizeIf(pic.Coverage, o.Coverage, n)
}

// pixels describes where the frame's pixels are written, and how samples become pixels.
func (e *engine) pixels() frame.Pixels {
	j := &e.job
	p := frame.Pixels{
		Width: j.width, Rows: j.window.height, First: j.window.pictureTop, Grid: j.grid,
		Depths: j.depth, Background: e.background, Loops: &e.kernels.Loops, Downsampler: e.downsampler,
	}
	if pic := j.picture; pic != nil {
		p.Pix, p.Depth, p.Triangles, p.Normals, p.Coverage = pic.Pix, pic.Depth, pic.Triangles, pic.Normals, pic.Coverage
	}
	return p
}

// beginFlat prepares the stage that makes pixels from keys whose payloads are colours.
func (e *engine) beginFlat() {
	e.activeStages, e.last = append(e.activeStages, &e.flat), &e.flat
	f := frame.FlatFrame{
		Workers: len(e.rasters), Pixels: e.pixels(), Rows: e.job.needed, Lit: e.job.lit, Merge: &e.merge, Empty: e.private.Buffers()[0], Rasters: e.rasters,
		Hidden: &e.hidden, Leaves: &e.leaves, Stop: e.cancelledFn,
	}
	if e.job.storeChunks > 0 {
		f.Spans = &e.spans
	}
	if e.job.domed {
		f.Dome = &e.dome
	}
	e.flat.Begin(f)
}

// beginLayer prepares the stage that writes the frame's keys into a layer, for another process.
func (e *engine) beginLayer(p *framePart) {
	e.activeStages, e.last = append(e.activeStages, &e.layer), &e.layer
	e.layer.Begin(frame.LayerFrame{
		Workers: len(e.rasters), Layer: p.Layer, Rows: e.job.needed.Len(), Merge: &e.merge, Stop: e.cancelledFn,
	})
}
