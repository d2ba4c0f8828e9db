package frame

import (
	"slices"
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/kernel/show"
	"lockstep/render/internal/kernel/texel"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/visible"
	"lockstep/vp/machine"
)

// Light is the last stage of frames whose pixels are lit one by one. In these frames, keys carry the numbers of
// triangles. The stage processes the tile rows in several passes; all workers finish a pass before the next pass
// starts. The first pass finds the triangles that pixels show, and the last pass lights the pixels. The passes
// between them compute the occlusion, which is the share of the sky that is open above the surface. Frames without
// occlusion have only the first and the last pass.
type Light struct {
	frame     LightFrame
	occlusion surface.Occlusion
	rows      []visible.Rows // for each tile row, the triangles that its pixels show
	pages     visible.Pool   // holds the memory of rows
	passes    []pass
	passCount int // number of passes of this frame
	workers   []lightWorker
}

// A pass calls the function `do` for every tile row in `rows`. If `do` returns false, the worker leaves the pass.
type pass struct {
	rows      tile.Rows
	do        func(l *Light, worker, ty int) bool
	remaining machine.Ranges
}

// lightWorker is the memory of one worker.
type lightWorker struct {
	Written
	drawTime time.Duration // drawing time of the first pass; the rasters' times contain it
	shader   surface.Shader
	page     *visible.Page // page to which points are added; nil before the first page

	// distances and open hold values for each pixel of the current row: the distance of its surface (see toRelative),
	// and the share of the sky that is open above the surface. Both slices are one vector longer than the row.
	distances, open []float32
	edges           []surface.Edge // positions in the current row where adjacent cells show different surfaces
	knownEdges      []knownEdge    // one element for every occlude.Pixels pixels of a row: the edges that were found there last
	cells           surface.Cells

	_ [64]byte // padding, so that two workers do not share a cache line
}

// knownEdge holds edges between two rows of cells. cells is 1 + the number of the lower row, or 0 if edge is not set.
type knownEdge struct {
	cells int32
	edge  surface.Edge
}

// A LightFrame holds the parameters of the stage for a frame.
type LightFrame struct {
	Workers int
	Layout  tile.Layout
	Pixels  Pixels
	// The next fields are ranges of tile rows: the rows that are lit, the rows for which occlusion is computed, and
	// the rows whose keys are needed for light or occlusion.
	Lit, Near, Needed tile.Rows
	// CentreX and CentreY are the position of the picture's middle, in pixels from the top left of the frame.
	CentreX, CentreY float32
	Scene            *surface.Scene
	Occlusion        *surface.OcclusionView // nil if the sky is open everywhere
	Middle, Scale    float64                // see toRelative

	Spans   *SpanStore // span store with keys that are not in private frames; nil if all keys are in private frames
	Hidden  *Hidden    // stage that defers polygons; Hidden.Begin must be called before Blocks.Begin
	Leaves  *Leaves    // stage that defers groups; Leaves.Begin must be called before Blocks.Begin
	Dome    *EyeDome   // records the nearness of pixels; nil if the frame has no eye-dome light
	Merge   *framebuffer.Merge
	Rasters []*framebuffer.Raster // one for each worker

	Light   *light.Loops
	Texel   *texel.Loops
	Occlude *occlude.Loops
	Show    *show.Loops
	Sync    func()      // waits for all workers
	Stop    func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (l *Light) Begin(f LightFrame) {
	l.frame = f
	rows := l.rows[:cap(l.rows)] // including elements of earlier frames, to reuse their memory
	l.rows = slices.Grow(rows, max(f.Layout.TilesY-len(rows), 0))[:f.Layout.TilesY]
	l.pages.Begin(pagePointsFor(f.Layout), f.Workers)
	if l.passCount = 0; f.Occlusion != nil {
		l.occlusion.Begin(f.Pixels.Width, f.Pixels.Rows, *f.Occlusion, f.Occlude)
		l.addPass(f.Needed, (*Light).resolveCells)
		for _, do := range [...]func(*Light, int, int) bool{(*Light).measureCells, (*Light).averageAcross, (*Light).averageDown, (*Light).averageAcross2, (*Light).averageDown2} {
			l.addPass(f.Near, do)
		}
		l.addPass(f.Lit, (*Light).lightOccluded)
	} else {
		l.addPass(f.Needed, (*Light).resolveVisible)
		l.addPass(f.Lit, (*Light).lightTileRow)
	}
	if l.workers == nil {
		l.workers = make([]lightWorker, f.Workers)
	}
	for i := range l.workers {
		l.workers[i].begin(&f)
	}
}

// addPass adds a pass that calls the function `do` for the given tile rows.
func (l *Light) addPass(rows tile.Rows, do func(*Light, int, int) bool) {
	if l.passCount == len(l.passes) {
		l.passes = append(l.passes, pass{})
	}
	p := &l.passes[l.passCount]
	l.passCount++
	p.rows, p.do = rows, do
	p.remaining.Reset(l.frame.Workers, rows.Len())
}

// begin prepares a worker for a frame.
func (w *lightWorker) begin(f *LightFrame) {
	width := f.Pixels.Width
	w.Written, w.drawTime, w.page = Written{}, 0, nil
	w.shader.Begin(f.Scene, f.Light, f.Texel)
	w.distances = scratch.Resize(w.distances, width+occlude.Pixels)
	w.cells.Begin((width + 1) / 2)
	w.knownEdges = scratch.Resize(w.knownEdges, width/occlude.Pixels+1)
	clear(w.knownEdges)
	if w.open = scratch.Resize(w.open, width+occlude.Pixels); f.Occlusion == nil {
		for p := range w.open {
			w.open[p] = 1
		}
	}
}

// End ends a frame. It drops the mesh and the picture, so that both can be garbage collected. (The picture's pixels
// hold nearness values during a frame.)
func (l *Light) End(bool) {
	l.frame = LightFrame{}
	for i := range l.rows {
		l.rows[i].Nearness = nil
	}
}

// Written returns the counts and times of a worker.
func (l *Light) Written(worker int) Written { return l.workers[worker].Written }

// Shader returns a worker's shader, which is ready for the frame's scene.
func (l *Light) Shader(worker int) *surface.Shader { return &l.workers[worker].shader }

// Run does a worker's part of all passes.
func (l *Light) Run(worker int) {
	w := &l.workers[worker]
	start := time.Now()
	l.runPass(worker, &l.passes[0])
	resolved := time.Now()
	w.Merge += resolved.Sub(start) - w.drawTime
	for i := range l.passes[1:l.passCount] {
		l.frame.Sync()
		l.runPass(worker, &l.passes[1+i])
	}
	w.Resolve += time.Since(resolved)
}

// runPass processes tile rows of pass p until no row is left or the frame is called off.
func (l *Light) runPass(worker int, p *pass) {
	for {
		i, ok := p.remaining.Next(worker)
		if !ok || l.frame.Stop() || !p.do(l, worker, p.rows.Lo+i) {
			return
		}
	}
}

// The passes between the first and the last compute the open share of the sky above cells. One pass measures the
// share. The other passes average it twice, each time along rows and then across rows.

func (l *Light) measureCells(_, ty int) bool { return l.eachCellRow(ty, l.occlusion.MeasureSky) }

func (l *Light) averageAcross(_, ty int) bool {
	return l.eachCellRow(ty, func(y int) { l.occlusion.AverageAcross(y, false) })
}

func (l *Light) averageDown(_, ty int) bool {
	return l.eachCellRow(ty, func(y int) { l.occlusion.AverageDown(y, false) })
}

func (l *Light) averageAcross2(_, ty int) bool {
	return l.eachCellRow(ty, func(y int) { l.occlusion.AverageAcross(y, true) })
}

func (l *Light) averageDown2(_, ty int) bool {
	return l.eachCellRow(ty, func(y int) { l.occlusion.AverageDown(y, true) })
}

// eachCellRow calls the function `do` for every row of cells that starts in tile row ty. It returns true, as passes
// must.
func (l *Light) eachCellRow(ty int, do func(y int)) bool {
	lo, hi := l.frame.Pixels.rows(ty)
	for y := (lo + 1) / 2; y < (hi+1)/2; y++ {
		do(y)
	}
	return true
}

// fromCentre returns the position of the centre of pixel (px, py) of the frame, in pixels from the middle of the
// picture, with y pointing up.
func (l *Light) fromCentre(px, py int) (x, y float32) {
	return float32(px) + 0.5 - l.frame.CentreX, l.frame.CentreY - float32(py) - 0.5
}

// lightTileRow writes the pixels of tile row ty without occlusion. It returns true, as passes must.
func (l *Light) lightTileRow(worker, ty int) bool {
	w, p := &l.workers[worker], &l.frame.Pixels
	lo, hi := p.rows(ty)
	w.Covered += int64(l.rows[ty].Shown)
	for y := lo; y < hi; y++ {
		triangles, places, _ := l.rows[ty].Row(y - lo)
		l.lightRow(w, y, triangles, places)
	}
	return true
}

// lightOccluded writes the pixels of tile row ty with occlusion: the smaller the open share of the sky above a pixel,
// the darker the pixel. It returns true, as passes must.
func (l *Light) lightOccluded(worker, ty int) bool {
	w, p := &l.workers[worker], &l.frame.Pixels
	lo, hi := p.rows(ty)
	w.Covered += int64(l.rows[ty].Shown)
	for y := lo; y < hi; y++ {
		triangles, places, nearness := l.rows[ty].Row(y - lo)
		if len(places) > 0 {
			l.setOpenness(w, places, nearness, y)
		}
		l.lightRow(w, y, triangles, places)
	}
	return true
}

// lightRow writes row y of the pixels. w.open holds the open share of the sky above each pixel.
func (l *Light) lightRow(w *lightWorker, y int, triangles []uint32, places []visible.Place) {
	p := &l.frame.Pixels
	at := 4 * p.pixelIndex(0, y)
	pix := p.Pix[at : at+4*p.Width]
	p.Loops.Fill(pix, p.Background) // overwrites the nearness values that were stored there
	if len(places) == 0 {
		return
	}
	x, fy := l.fromCentre(0, y)
	row := surface.Row{
		Pix: pix, Triangles: triangles, Places: places, Open: w.open, Grid: p.Grid, Background: p.Background, X: x, Y: fy,
		Edges: w.edges, Occlusion: &l.occlusion, Line: y,
	}
	w.shader.LightRow(&row)
	w.edges = w.edges[:0]
}

// setOpenness sets w.open for the pixels of row y. It records the edges of the row in w.edges.
func (l *Light) setOpenness(w *lightWorker, places []visible.Place, nearness []float32, y int) {
	x, to := int(places[0].Pixel())&^(occlude.Pixels-1), int(places[len(places)-1].Pixel())+1
	isOpen := func(x int) bool { return l.occlusion.IsOpen(min(occlude.Pixels, to-x), x, y) }
	for x < to {
		from := x
		for x < to && !isOpen(x) {
			x += occlude.Pixels
		}
		if from < x {
			l.setHiddenSky(w, nearness, from, min(x, to), y)
		}
		if x < to {
			for i := range w.open[x:][:occlude.Pixels] {
				w.open[x+i] = 1
			}
			x += occlude.Pixels
		}
	}
}

// setHiddenSky does the work of setOpenness for pixels `from` to `to`-1 of row y, above which the sky may be hidden.
func (l *Light) setHiddenSky(w *lightWorker, nearness []float32, from, to, y int) {
	o := &l.occlusion
	l.toRelative(nearness[from:to], w.distances[from:to])
	o.InterpolateSky(w.distances[from:to+occlude.Pixels], w.open[from:to+occlude.Pixels], to-from, from, y)
	for x := from; x < to; x += occlude.Pixels {
		e := l.edges(w, x, y)
		if e.N = min(occlude.Pixels, to-x); e.Any() {
			w.edges = append(w.edges, e)
		}
	}
}

// edges returns the edges around occlude.Pixels pixels of row y, beginning with pixel x. Two rows of pixels lie
// between the same two rows of cells, so each worker keeps what it has found for the next row.
func (l *Light) edges(w *lightWorker, x, y int) surface.Edge {
	known, cells := &w.knownEdges[x/occlude.Pixels], int32(y+1)/2
	if known.cells != cells+1 {
		known.cells, known.edge = cells+1, l.occlusion.Edges(occlude.Pixels, x, y)
	}
	return known.edge
}

// toRelative converts the nearness of samples to distances behind the middle of the mesh, along Forward, in the units
// of the occlusion. The occlusion needs only differences of distances. If the mesh is far away, distances from the
// eye are so large that float32 would lose these differences.
func (l *Light) toRelative(nearness, distances []float32) {
	d, done := &l.frame.Pixels.Depths, 0
	if show := l.frame.Show; show != nil && !d.Orthographic && d.Slope == 1 {
		show.Distances(nearness, distances, d.Near, l.frame.Middle, l.frame.Scale)
		done = len(nearness) &^ (array.Lanes - 1)
	}
	d.Relative(nearness[done:], distances[done:], l.frame.Middle, l.frame.Scale)
}
