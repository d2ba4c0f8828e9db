package render

import (
	"slices"
	"time"

	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/visible"
	"lockstep/vp/machine"
)

// deferred is a frame whose pixels are lit after the z-buffer: keys carry the numbers of
// triangles. It goes through stages, each of which all workers finish before the next
// begins.
type deferred struct {
	scene     surface.Scene
	occlusion surface.Occlusion
	scale     float64
	middle    float64        // what distances are relative to, see relative
	rows      []visible.Rows // by row of tiles
	pages     visible.Pool   // that have their memory
	stages    [stageCount]machine.Ranges
}

// The stages, in rows of tiles.
const (
	stageCompact = iota
	stageLook    // of the occlusion
	stageAcross  // and these
	stageDown
	stageAcross2
	stageDown2
	stageLight
	stageCount
)

// isDeferred reports whether the options want pixels to be lit one by one.
func (o *Options) isDeferred() bool {
	return o.Light == LightStudio && (o.Shading == ShadingSmooth || o.Occlusion || o.Field.Name != "" || o.Facing || o.Triangles || o.Normals)
}

// beginScene sets what the pixels of a frame may show.
func (e *engine) beginScene(s *Surface, cam *Camera) {
	d, o := &e.deferred, &e.options
	d.scene = surface.Scene{
		Block: s.Block, Lens: cam.internal().Lens(o.Height), Lights: e.job.lights,
		Base: e.colors.Linear(uint32(e.base)), Tables: e.colors,
	}
	if o.Shading == ShadingSmooth && s.records != nil {
		d.scene.Records = s.records
	}
	if o.Color == nil {
		d.scene.Colors = s.Block.Colors
		d.scene.Paint = s.coat(e.colors)
	}
	if o.Field.Name != "" {
		d.scene.Field = o.Field.of(s)
	}
	if o.Facing {
		d.scene.Facing = &[2][3]float32{e.colors.Linear(0x7fa8d8), e.colors.Linear(0xe0523c)}
	}
}

// beginDeferred prepares the stages of a frame.
func (e *engine) beginDeferred(cam *Camera) {
	d, j := &e.deferred, &e.job
	d.scale = cam.internal().Scale()
	if j.occluded {
		v, middle := cam.internal().Occlusion(j.width, j.height)
		d.middle = middle
		v.CenterY -= float32(j.window.top) / 2
		d.occlusion.Begin(j.width, j.window.height, v, e.kernels.Occlude)
	}
	rows := d.rows[:cap(d.rows)] // which have memory
	d.rows = slices.Grow(rows, max(j.layout.TilesY-len(rows), 0))[:j.layout.TilesY]
	d.pages.Begin(notePage(j.layout), len(e.workers))
	for i := range d.stages {
		d.stages[i].Reset(len(e.workers), e.stageRows(i).Len())
	}
}

// beginLight prepares a worker for the stages.
func (w *worker) beginLight(e *engine) {
	width := e.job.width
	w.shader.Begin(&e.deferred.scene, e.kernels.Light)
	w.page = nil
	w.distances = resize(w.distances, width+occlude.Pixels)
	w.cells.Begin((width + 1) / 2)
	if w.open = resize(w.open, width+occlude.Pixels); !e.job.occluded {
		for p := range w.open {
			w.open[p] = 1
		}
	}
}

// forget lets the mesh and the picture's pixels, in which nearness was noted, be collected.
func (d *deferred) forget() {
	d.scene = surface.Scene{}
	for i := range d.rows {
		d.rows[i].Nearness = nil
	}
}

// stageRows returns the rows of tiles of a stage.
func (e *engine) stageRows(stage int) tile.Rows {
	switch stage {
	case stageCompact:
		return e.job.needed
	case stageLight:
		return e.job.lit
	}
	return e.job.near
}

// resolveDeferred is a worker's part of the stages.
func (e *engine) resolveDeferred(worker int) {
	w, d := &e.workers[worker], &e.deferred
	start := time.Now()
	e.stage(worker, stageCompact, func(ty int) bool {
		var buffer *frame.Buffer
		if e.job.storeChunks > 0 {
			drawing := time.Now()
			buffer = e.spans.Run(worker, ty)
			spent := time.Since(drawing)
			w.raster.Merge += spent
			start = start.Add(spent)
		}
		if !e.merging.Run(ty, buffer) {
			return false
		}
		start = start.Add(e.backs.Run(worker, ty, buffer, &w.raster))
		e.compact(w, ty)
		return true
	})
	w.times.Merge += time.Since(start)
	start = time.Now()
	e.machine.Sync()
	if e.job.occluded {
		e.stage(worker, stageLook, func(ty int) bool { return e.cellRows(ty, d.occlusion.Look) })
		e.machine.Sync()
		for pass := range 2 {
			second := pass == 1
			e.stage(worker, stageAcross+2*pass, func(ty int) bool {
				return e.cellRows(ty, func(y int) { d.occlusion.Across(y, second) })
			})
			e.machine.Sync()
			e.stage(worker, stageDown+2*pass, func(ty int) bool {
				return e.cellRows(ty, func(y int) { d.occlusion.Down(y, second) })
			})
			e.machine.Sync()
		}
	}
	e.stage(worker, stageLight, func(ty int) bool { e.lightRow(w, ty); return true })
	w.times.Resolve += time.Since(start)
}

// stage takes rows of tiles until none is left or the frame is called off.
func (e *engine) stage(worker, stage int, do func(ty int) bool) {
	for {
		i, ok := e.deferred.stages[stage].Next(worker)
		if !ok || e.cancelled() || !do(e.stageRows(stage).Lo+i) {
			return
		}
	}
}

// tileRows returns the rows of pixels of a row of tiles.
func (e *engine) tileRows(ty int) (lo, hi int) {
	rows := tile.Height / e.job.grid
	return ty * rows, min((ty+1)*rows, e.job.window.height)
}

// cellRows calls do for every row of cells that begins in a row of tiles.
func (e *engine) cellRows(ty int, do func(y int)) bool {
	lo, hi := e.tileRows(ty)
	for y := (lo + 1) / 2; y < (hi+1)/2; y++ {
		do(y)
	}
	return true
}

// fromCentre returns where the centre of a pixel of the window lies from the picture's, y
// up.
func (e *engine) fromCentre(px, py int) (x, y float32) {
	return float32(px) + 0.5 - float32(e.job.width)/2, float32(e.job.height)/2 - float32(py+e.job.window.top) - 0.5
}

// compact finds what the pixels and the cells of a merged row of tiles show, writes what
// needs no light, and clears its keys.
func (e *engine) compact(w *worker, ty int) {
	if e.job.occluded {
		e.cells(w, ty)
	}
	if e.job.lit.Has(ty) {
		e.compactRow(w, ty)
	}
	e.merging.Clear(ty)
}

// compactRow finds what the pixels of a row of tiles show.
func (e *engine) compactRow(w *worker, ty int) {
	grid, pic, rows := e.job.grid, e.job.picture, &e.deferred.rows[ty]
	perTile := tile.Width / grid
	if w.page == nil || !w.page.Room(rowPoints(e.job.layout)) {
		w.page = e.deferred.pages.Take()
	}
	lo, hi := e.tileRows(ty)
	w.page.Begin(rows, pic.Width, pic.nearness(lo-e.job.window.pictureTop, hi-e.job.window.pictureTop), e.kernels.Show)
	for y := lo; y < hi; y++ {
		for tile, hi, f := e.merging.From(ty, 0); tile < hi; tile, hi, f = e.merging.From(ty, hi) {
			x0, x1 := tile*perTile, min(hi*perTile, pic.Width)
			from := (y-e.job.window.pictureTop)*pic.Width + x0
			to := from + x1 - x0
			if f == nil {
				e.resolveData(from, to, nil, 0, false)
				e.resolveSurface(w, x0, y, x1-x0, nil, 0)
				rows.Skip(x0, x1-x0)
				continue
			}
			keys := f.Keys[f.Tile(tile, y*grid):]
			e.resolveData(from, to, keys, f.Stride, true)
			e.resolveSurface(w, x0, y, x1-x0, keys, f.Stride)
			rows.Add(keys, f.Stride, grid, x0, x1-x0)
		}
		rows.EndRow()
	}
	w.page.End(rows)
}

// rowPoints returns how many points a row of tiles shows at most: one a sample.
func rowPoints(l tile.Layout) int { return l.TilesX * tile.Width * tile.Height }

// pagePoints is the most points of a page, 4 MiB, unless a row of tiles has more.
const pagePoints = 1 << 19

// notePage returns the number of points of a page: of an eighth of the picture, as far as rows
// of tiles allow it, so that what workers leave of their last pages is little.
func notePage(l tile.Layout) int {
	const behind = tile.Width // a row of pixels more, and a vector
	return max(rowPoints(l)+behind*l.TilesX, min(rowPoints(l)*l.TilesY/8, pagePoints))
}

// lightRow writes the pixels of a row of tiles.
func (e *engine) lightRow(w *worker, ty int) {
	pic := e.job.picture
	lo, hi := e.tileRows(ty)
	w.covered += int64(e.deferred.rows[ty].Shown)
	for y := lo; y < hi; y++ {
		row := 4 * (y - e.job.window.pictureTop) * pic.Width
		pix := pic.Pix[row : row+4*pic.Width]
		triangles, places, nearness := e.deferred.rows[ty].Row(y - lo)
		if len(places) > 0 && e.job.occluded {
			e.openRow(w, places, nearness, y)
		}
		e.kernels.Fill(pix, e.background) // where nearness was
		if len(places) == 0 {
			continue
		}
		x, fy := e.fromCentre(0, y)
		w.shader.Row(pix, triangles, places, w.open, e.job.grid, x, fy, e.background)
	}
}

// openRow finds how open the sky is above the pixels of a row.
func (e *engine) openRow(w *worker, places []visible.Place, nearness []float32, y int) {
	from, to := int(places[0].Pixel())&^(occlude.Pixels-1), int(places[len(places)-1].Pixel())+1
	o := &e.deferred.occlusion
	for x := from; x < to; x += occlude.Pixels {
		n := min(occlude.Pixels, to-x)
		open, distances := w.open[x:][:occlude.Pixels], w.distances[x:][:occlude.Pixels]
		if o.IsOpen(n, x, y) {
			for i := range open {
				open[i] = 1
			}
			continue
		}
		e.relative(nearness[x:x+n], distances[:n])
		o.Around((*[occlude.Pixels]float32)(distances), (*[occlude.Pixels]float32)(open), n, x, y)
	}
}

// resolveSurface writes the numbers of triangles and the normals of n pixels from (x0, y)
// on, where they are wanted. Without keys there is nothing.
func (e *engine) resolveSurface(w *worker, x0, y, n int, keys []uint64, stride int) {
	pic, grid := e.job.picture, e.job.grid
	if pic.Triangles == nil && pic.Normals == nil {
		return
	}
	from := (y-e.job.window.pictureTop)*pic.Width + x0
	for i := range n {
		number, normal := uint32(NoTriangle), [3]float32{}
		if keys != nil {
			if key := pixel.Nearest(keys, stride, grid, i); key != 0 {
				number = array.Payload(key)
				if pic.Normals != nil {
					x, y := e.fromCentre(x0+i, y)
					normal = w.shader.Normal(number, x, y)
				}
			}
		}
		if pic.Triangles != nil {
			pic.Triangles[from+i] = number
		}
		if pic.Normals != nil {
			pic.Normals[from+i] = normal
		}
	}
}

// relative turns the nearness of samples into distances along the view, in the units of the
// occlusion. Distances count from the middle of the mesh. The occlusion needs only their
// differences, and for a mesh far from the eye float32 would lose these otherwise.
func (e *engine) relative(nearness, distances []float32) {
	d, done := &e.job.depth, 0
	if show := e.kernels.Show; show != nil && !d.Orthographic && d.Slope == 1 {
		show.Distances(nearness, distances, d.Near, e.deferred.middle, e.deferred.scale)
		done = len(nearness) &^ (array.Lanes - 1)
	}
	d.Relative(nearness[done:], distances[done:], e.deferred.middle, e.deferred.scale)
}
