package main

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/atomicfile"
	"lockstep/render/ground"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A pipeline is a mesh, the renderer that draws it and what came of it so far.
type pipeline struct {
	app      *app
	in       *input
	renderer *render.Renderer
	encoder  png.Encoder
	width    int
	height   int
	policy   string
	wanted   int          // workers, where there is memory for fewer; else 0
	channels png.Channels // of pictures: the same for all of them, whatever they show
	dpi      int          // that files state; 0: none
	small    bool         // files, in more time
	quick    bool         // larger files of small pictures, in less time
	kind     string       // of the picture's file; "" is png
	crop     cropping     // the part of what is drawn that pictures are
	warned   *sync.Once   // of dropped triangles, where several draw; else nil

	annotations annotate.Options // drawn over pictures
	label       string           // in place of theirs, of a view on a sheet
	legend      bool             // of the field, too
	annotator   *annotate.Annotator
	annotated   *input // that annotator is for
	grounded    bool   // with a shadow on the ground
	up          upFlag
	ground      *ground.Ground
	shadowed    *input // that ground is for
	tally
}

// newPipeline reads the mesh, which is drawn once or more often, and starts a renderer
// for it; extra, unless nil, sets options for which there are no flags of all
// drawing commands.
func (f *drawFlags) newPipeline(ctx context.Context, a *app, once bool, extra func(*render.Options)) (*pipeline, error) {
	options := f.options()
	if extra != nil {
		extra(&options)
	}
	if err := a.room.check(options); err != nil { // depths and all
		return nil, err
	}
	f.setEditor(a)
	setCosts := a.startCosts(ctx, options)
	in, err := a.read(ctx, string(f.Mesh), f.readFlags.options(f.meshFormat), once && f.picture().Streams(), options)
	if err != nil {
		return nil, err
	}
	if once && in.held <= maxSmallMesh {
		debug.SetGCPercent(gcPercentDrawing)
	}
	options = a.lookOf(in, options)
	setCosts(&options)
	a.room.read(in)
	wanted := 0
	if n := a.room.workers(options); n < wantedWorkers(options) {
		wanted, options.Workers = wantedWorkers(options), n
	}
	w, err := f.openPipeline(a, options)
	if err != nil {
		in.close()
		return nil, err
	}
	w.in, w.wanted, w.tally = in, wanted, newTally(int64(in.bad))
	return w, nil
}

// openPipeline starts a renderer for meshes to come.
func (f *drawFlags) openPipeline(a *app, options render.Options) (*pipeline, error) {
	renderer, err := render.New(options)
	if err != nil {
		return nil, err
	}
	if err := renderer.Machine().PinError(); err != nil {
		a.warn("workers are not pinned: %v", err)
	}
	channels := png.ChannelsRGBA
	if options.Background != nil {
		channels = png.ChannelsRGB
	}
	width, height := options.Width, options.Height
	if f.part.Crop != (recipe.Rect{}) {
		width, height = f.part.Crop.Width, f.part.Crop.Height
	}
	return &pipeline{
		app: a, renderer: renderer,
		width: width, height: height, policy: f.Balance.String(), channels: channels,
		dpi: int(f.DPI), small: f.Small, crop: cropping{f.part.Crop},
		annotations: *f.annotations(), legend: f.Legend, grounded: f.Ground, up: f.Up,
	}, nil
}

// checkNotEmpty returns why there is nothing to look at, if so.
func (w *pipeline) checkNotEmpty() error {
	switch {
	case !w.in.box.Empty():
		return nil
	case w.in.src.Len() == 0:
		return w.in.blank("there are no triangles in it")
	}
	return w.in.blank("no vertex of it has finite coordinates")
}

func (w *pipeline) close() {
	w.raiseCosts()
	w.renderer.Close()
	w.in.close()
}

// draw draws one frame of src, the input with or without a progress bar, and counts it.
func (w *pipeline) draw(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (render.Stats, error) {
	stats, top, err := w.drawFrame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return stats, ctx.Err()
	}
	var output *atomicfile.Error // of one that is written meanwhile
	if errors.As(err, &output) {
		return stats, output
	}
	if err != nil {
		return stats, inputf("%s: %w", w.in.name, err)
	}
	w.count(&stats)
	if stats.Covered > 0 {
		err = w.annotateRows(ctx, &cam, pic, w.renderer.Options().Height, top)
	}
	if w.crop.set() {
		w.crop.cut(pic, top)
	}
	return stats, err
}

// drawFrame draws a frame, or the rows of it that the part needs, of which top is the first. The pixels
// are those of the whole frame. (A camera of the part alone would round corners elsewhere, and see no
// surface beyond the borders that takes light away.) A blank frame is no error.
func (w *pipeline) drawFrame(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (stats render.Stats, top int, err error) {
	if !w.crop.set() {
		if stats, err = w.renderer.Frame(ctx, src, cam, pic); errors.Is(err, render.ErrBlank) {
			err = nil
		}
		return stats, 0, err
	}
	top, bottom := w.crop.rows(w.renderer.Options().Height, w.annotations.NeedsDepth())
	stats, err = w.renderer.FrameRows(ctx, src, cam, top, bottom, pic)
	if err == nil {
		stats.Covered = coveredIn(pic, w.crop.Rectangle(), top)
	}
	return stats, top, err
}

// count adds the statistics of a frame, and warns of what was dropped in the first one.
func (w *pipeline) count(stats *render.Stats) {
	if extra := stats.Triangles.Dropped - int64(w.in.bad); w.frames == 0 && extra > 0 {
		warn := func() {
			w.app.warn("%s: dropped %s whose coordinates are out of range", w.in.name, plural(extra, "triangle"))
		}
		if w.warned == nil {
			warn()
		} else {
			w.warned.Do(warn)
		}
	}
	w.add(stats)
}

// withProgress returns the source with a progress bar that counts its blocks, for
// frames that last.
func (w *pipeline) withProgress(label string) scenes.Source {
	p := w.app.progress
	if !p.visible() {
		return w.in.src
	}
	p.Begin(label, int64(w.in.src.Len()))
	switch mesh := w.in.src.(type) {
	case *scenes.Mesh:
		return &progressMesh{Mesh: mesh, progress: p}
	case *render.Surface:
		return &progressSurface{Surface: mesh, progress: p}
	}
	return &progressSource{Source: w.in.src, progress: p}
}

// A progressSource reports the triangles that it hands out.
type progressSource struct {
	scenes.Source
	progress *progress
}

// ReadBlock implements scenes.Source.
func (s *progressSource) ReadBlock(i int, dst *scenes.Block) error {
	err := s.Source.ReadBlock(i, dst)
	s.progress.Add(int64(dst.Len()))
	return err
}

// A progressMesh is a progressSource that can be sliced anywhere, as a renderer
// likes it.
type progressMesh struct {
	*scenes.Mesh
	progress *progress
}

// Slice returns triangles lo to hi (exclusive).
func (m *progressMesh) Slice(lo, hi int) scenes.Block {
	m.progress.Add(int64(hi - lo))
	return m.Mesh.Slice(lo, hi)
}

// runTasks returns what runs tasks on the renderer's workers, which are idle between
// frames, until ctx ends: the encoder then fails for want of the rest.
func (w *pipeline) runTasks(ctx context.Context) func(n int, do func(task int)) {
	return func(n int, do func(task int)) {
		var next atomic.Int64
		w.renderer.Machine().Run(func(int) {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
}

// encode writes pic to out.
func (w *pipeline) encode(ctx context.Context, out outFile, pic *render.Picture, text []png.Text) error {
	defer w.timeEncoding()()
	if w.kind != "" && w.kind != "png" {
		return w.encodeAs(out, pic)
	}
	options := w.pngOptions(ctx, text)
	if w.small {
		options.Channels = png.ChannelsLeast
	}
	return atomicfile.Failure(w.encoder.EncodeRGBA(out, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options))
}

// pngOptions returns how files are written.
func (w *pipeline) pngOptions(ctx context.Context, text []png.Text) *png.Options {
	options := &png.Options{Text: text, Channels: w.channels, Run: w.runTasks(ctx), PixelsPerMetre: w.pixelsPerMetre()}
	switch {
	case w.small:
		options.Level = png.Small
	case w.quick:
		options.Level = png.Quick
	}
	return options
}

// pixelsPerMetre returns the resolution that files state; 0: none.
func (w *pipeline) pixelsPerMetre() uint32 {
	const inch = 0.0254 // metres
	return uint32(math.Round(float64(w.dpi) / inch))
}

// timeEncoding starts a clock; the function that it returns adds the time to the
// tally.
func (w *pipeline) timeEncoding() (stop func()) {
	began := time.Now()
	return func() { w.encoded += time.Since(began) }
}
