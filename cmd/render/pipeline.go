package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/calibration"
	"lockstep/render/encode"
	"lockstep/render/jpeg"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// A pipeline is a drawing, the settings for writing its pictures, and the statistics so far.
type pipeline struct {
	*recipe.Drawing
	app           *app
	encoder       png.Encoder
	jpegs         jpeg.Encoder
	policy        string
	wantedWorkers int          // workers that the user asked for, if memory allows only fewer; otherwise 0
	channels      png.Channels // channels of picture files; they do not depend on what the picture shows
	dpi           int          // resolution that files state; 0 means none
	small         bool         // take more time to compress, for smaller files
	quick         bool         // take less time to compress, which gives larger files; set if pictures are small
	kind          string       // format of the picture's file; "" is png
	warned        *sync.Once   // shared by several pipelines, to warn of dropped triangles only once; otherwise nil
	tally
}

// newPipeline reads the mesh and starts a renderer for it. If `once` is true, a single picture is drawn. The function
// `extra` sets options for flags that only one command has. It may be nil.
func (a *app) newPipeline(ctx context.Context, f *pictureflags.Draw, once bool, extra func(*render.Options)) (*pipeline, error) {
	options := f.Options()
	if extra != nil {
		extra(&options)
	}
	if err := checkMemory(&a.memory, options); err != nil { // the function extra may have requested data such as depths
		return nil, err
	}
	d := a.newDrawer(f)
	setCosts := a.startReadingCosts(ctx, options)
	in, err := a.readInput(ctx, d, f.Picture(), once && f.Picture().Streams(), options)
	if err != nil {
		return nil, err
	}
	if once && in.Held <= maxSmallMesh {
		debug.SetGCPercent(budget.GCDrawing)
	}
	options = d.Look(f.Picture(), in, options)
	if f.ChecksSize {
		options = d.Single(f.Picture(), in, options, once)
	}
	setCosts(&options)
	a.memory.Took(in.Held, in.Source.Len())
	wanted := 0
	if n := a.memory.Workers(options); n < budget.WantedWorkers(options) {
		wanted, options.Workers = budget.WantedWorkers(options), n
	}
	w, err := a.openPipeline(f, options)
	if err != nil {
		in.Close()
		return nil, err
	}
	w.Input, w.wantedWorkers, w.tally = in, wanted, newTally(int64(in.Bad))
	return w, nil
}

// openPipeline starts a renderer. The caller sets the input later.
func (a *app) openPipeline(f *pictureflags.Draw, options render.Options) (*pipeline, error) {
	drawing, err := a.newDrawer(f).Begin(f.Picture(), options)
	if err != nil {
		return nil, err
	}
	if err := drawing.Renderer.Machine().PinError(); err != nil {
		a.Warn("workers are not pinned: %v", err)
	}
	return &pipeline{
		Drawing: drawing, app: a, policy: f.Balance.String(), channels: recipe.Channels(drawing.Picture), dpi: int(f.DPI), small: f.Small,
	}, nil
}

func (w *pipeline) close() {
	w.raiseCosts()
	w.Drawing.Close()
}

// draw draws one frame of src and adds it to the statistics. src is the input's source, possibly wrapped to show a
// progress bar.
func (w *pipeline) draw(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (render.Stats, error) {
	stats, err := w.Frame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return stats, ctx.Err()
	}
	var output *atomicfile.Error // error of an output that the renderer writes while it draws
	if errors.As(err, &output) {
		return stats, output
	}
	if err == nil {
		w.addStatistics(&stats)
	}
	return stats, cli.DrawingError(err)
}

// drawFitted draws a picture whose camera is fitted to the mesh, see recipe.Drawing.Fitted. If the picture is drawn
// twice, the statistics contain only the drawing that is written.
func (w *pipeline) drawFitted(ctx context.Context, f *pictureflags.Draw, src scenes.Source, pic *render.Picture) (render.Camera, render.Stats, error) {
	again := false
	cam, stats, err := w.Fitted(ctx, func(cam render.Camera) (render.Stats, error) {
		blank := w.sum
		if again {
			w.sum = newTally(0).sum
		}
		stats, err := w.draw(ctx, src, cam, pic)
		if again && (err != nil || stats.Covered == 0) {
			w.sum = blank
		}
		again = true
		return stats, err
	})
	return cam, stats, f.CameraError(err)
}

// addStatistics adds the statistics of a frame. In the first frame it warns of triangles that were dropped.
func (w *pipeline) addStatistics(stats *render.Stats) {
	if extra := stats.Triangles.Dropped - int64(w.Input.Bad); w.frames == 0 && extra > 0 {
		warn := func() {
			w.app.Warn("%s: dropped %s whose coordinates are out of range", w.Input.Name, phrase.Plural(extra, "triangle"))
		}
		if w.warned == nil {
			warn()
		} else {
			w.warned.Do(warn)
		}
	}
	w.add(stats)
}

// encode writes pic to out in the format of the pipeline.
func (w *pipeline) encode(ctx context.Context, out outFile, pic *render.Picture, text []png.Text) error {
	defer w.timeEncoding()()
	if w.kind != "" && w.kind != "png" {
		return w.encodeAs(ctx, out, pic)
	}
	options := w.pngOptions(ctx, text)
	if w.small {
		options.Channels = png.ChannelsLeast
	}
	return atomicfile.Failure(w.encoder.EncodeRGBA(out, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options))
}

// pngOptions returns the options for writing PNG files.
func (w *pipeline) pngOptions(ctx context.Context, text []png.Text) *png.Options {
	options := &png.Options{Text: text, Channels: w.channels, Run: w.RunTasks(ctx), PixelsPerMetre: recipe.PixelsPerMetre(w.dpi)}
	switch {
	case w.small:
		options.Level = png.Small
	case w.quick:
		options.Level = png.Quick
	}
	return options
}

// timeEncoding starts a clock. The function stop adds the time since then to the time of encoding.
func (w *pipeline) timeEncoding() (stop func()) {
	began := time.Now()
	return func() { w.encoded += time.Since(began) }
}

// costStore returns the store with the measured costs of moving work between vector lanes. It returns nil if there is
// none.
func (a *app) costStore() *calibration.Store {
	store, err := calibration.UserStore()
	if err != nil {
		return nil
	}
	store.Files = &a.Files
	return store
}

// setCosts sets the costs of moving work between vector lanes, if the balancing policy needs them. The first three runs
// on a machine measure these costs, which takes about 50 milliseconds. Errors are ignored: the renderer has default
// costs, and the picture does not depend on costs.
func (a *app) setCosts(ctx context.Context, o *render.Options) {
	level, err := isa.Select(o.ISA)
	if o.Balance != render.BalanceCost || err != nil {
		return
	}
	if store := a.costStore(); store != nil {
		o.Costs, _, _ = store.Costs(ctx, level)
	}
}

// startReadingCosts reads the stored costs of moving work between vector lanes, while the caller reads the mesh. The
// returned function waits for the costs and sets them. If no costs are stored, the returned function measures them,
// because by then no other work disturbs the measurement.
func (a *app) startReadingCosts(ctx context.Context, o render.Options) func(*render.Options) {
	read := make(chan *calibration.Costs, 1)
	go func() {
		defer close(read)
		level, err := isa.Select(o.ISA)
		if o.Balance != render.BalanceCost || err != nil {
			return
		}
		if store := a.costStore(); store != nil {
			read <- store.Stored(level)
		}
	}()
	return func(o *render.Options) {
		if o.Costs = <-read; o.Costs == nil {
			a.setCosts(ctx, o)
		}
	}
}

// raiseCosts raises the stored costs if moving work between lanes took longer than the stored costs predict.
func (w *pipeline) raiseCosts() {
	if w.sum.Balance.TooLow == 0 {
		return
	}
	if store := w.app.costStore(); store != nil {
		_ = store.Observe(w.Renderer.ISA(), w.sum.Balance.TooLow) // errors are ignored, see setCosts
	}
}

// encodeAs writes pic in a format other than PNG.
func (w *pipeline) encodeAs(ctx context.Context, out outFile, pic *render.Picture) (err error) {
	switch w.kind {
	case "jpeg":
		err = w.jpegs.EncodeRGBA(out, pic.Pix, 4*pic.Width, pic.Width, pic.Height, &jpeg.Options{Quality: jpegQuality, DotsPerInch: w.dpi, Run: w.RunTasks(ctx)})
	case "bmp":
		err = encode.BMP(out, pic.Pix, pic.Width, pic.Height, w.dpi)
	case "webp":
		err = encode.WebP(out, pic.Pix, pic.Width, pic.Height, w.small)
	case "tiff":
		channels := 4
		if w.channels == png.ChannelsRGB {
			channels = 3
		}
		err = encode.TIFF(out, pic.Pix, pic.Width, pic.Height, channels, w.dpi)
	}
	return atomicfile.Failure(err)
}

// announce prints a line about the written file, for people at a terminal.
func (a *app) announce(w *pipeline, name string, counts ...string) {
	if name == "-" {
		name = "standard output"
	}
	counts = append(counts, fmt.Sprintf("%dx%d", w.Width, w.Height), phrase.Plural(int64(w.Input.Source.Len()), "triangle"),
		fmt.Sprintf("%d ms", time.Since(a.Began).Milliseconds()))
	a.Say("%s: %s", phrase.OneLine(name), strings.Join(counts, ", "))
}
