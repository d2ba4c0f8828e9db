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

// A pipeline is a drawing, how its pictures are written, and what came of it so far.
type pipeline struct {
	*recipe.Drawing
	app      *app
	encoder  png.Encoder
	jpegs    jpeg.Encoder
	policy   string
	wanted   int          // workers, where there is memory for fewer; else 0
	channels png.Channels // of pictures: the same for all of them, whatever they show
	dpi      int          // that files state; 0: none
	small    bool         // files, in more time
	quick    bool         // larger files of small pictures, in less time
	kind     string       // of the picture's file; "" is png
	warned   *sync.Once   // of dropped triangles, where several draw; else nil
	tally
}

// newPipeline reads the mesh, which is drawn once or more often, and starts a renderer
// for it; extra, unless nil, sets options for which there are no flags of all
// drawing commands.
func (a *app) newPipeline(ctx context.Context, f *pictureflags.Draw, once bool, extra func(*render.Options)) (*pipeline, error) {
	options := f.Options()
	if extra != nil {
		extra(&options)
	}
	if err := checkMemory(&a.memory, options); err != nil { // depths and all
		return nil, err
	}
	d := a.drawing(f)
	setCosts := a.startCosts(ctx, options)
	in, err := a.read(ctx, d, f.Picture(), once && f.Picture().Streams(), options)
	if err != nil {
		return nil, err
	}
	if once && in.Held <= maxSmallMesh {
		debug.SetGCPercent(budget.GCDrawing)
	}
	options = d.Look(f.Picture(), in, options)
	if f.Drawn {
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
	w.Input, w.wanted, w.tally = in, wanted, newTally(int64(in.Bad))
	return w, nil
}

// openPipeline starts a renderer for meshes to come.
func (a *app) openPipeline(f *pictureflags.Draw, options render.Options) (*pipeline, error) {
	drawing, err := a.drawing(f).Begin(f.Picture(), options)
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

// draw draws one frame of src, the input with or without a progress bar, and counts it.
func (w *pipeline) draw(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (render.Stats, error) {
	stats, err := w.Frame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return stats, ctx.Err()
	}
	var output *atomicfile.Error // of one that is written meanwhile
	if errors.As(err, &output) {
		return stats, output
	}
	if err == nil {
		w.count(&stats)
	}
	return stats, cli.DrawingError(err)
}

// drawFitted draws a picture whose camera is fitted to the mesh, see recipe.Drawing.Fitted. The statistics are those
// of the picture that is written.
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

// count adds the statistics of a frame, and warns of what was dropped in the first one.
func (w *pipeline) count(stats *render.Stats) {
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

// encode writes pic to out.
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

// pngOptions returns how files are written.
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

// timeEncoding starts a clock; the function that it returns adds the time to the
// tally.
func (w *pipeline) timeEncoding() (stop func()) {
	began := time.Now()
	return func() { w.encoded += time.Since(began) }
}

// costStore returns where the costs of redistributions are kept, nil if nowhere.
func (a *app) costStore() *calibration.Store {
	store, err := calibration.UserStore()
	if err != nil {
		return nil
	}
	store.Files = &a.Files
	return store
}

// costs gives the options the costs of redistributions on this machine, for
// the policy that asks for them. The first three times they are measured, which takes
// some 50 milliseconds. Errors are dropped: the renderer has costs of its own, and the
// picture is the same.
func (a *app) costs(ctx context.Context, o *render.Options) {
	level, err := isa.Select(o.ISA)
	if o.Balance != render.BalanceCost || err != nil {
		return
	}
	if store := a.costStore(); store != nil {
		o.Costs, _, _ = store.Costs(ctx, level)
	}
}

// startCosts begins to read the costs of redistributions, and returns a function that waits for them
// and sets them: the mesh is read meanwhile. Costs that are not stored are measured by that function,
// when no other work disturbs them.
func (a *app) startCosts(ctx context.Context, o render.Options) func(*render.Options) {
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
			a.costs(ctx, o)
		}
	}
}

// raiseCosts raises the stored costs if frames measured higher ones.
func (w *pipeline) raiseCosts() {
	if w.sum.Balance.TooLow == 0 {
		return
	}
	if store := w.app.costStore(); store != nil {
		_ = store.Observe(w.Renderer.ISA(), w.sum.Balance.TooLow) // see costs
	}
}

// encodeAs writes pic in a format beside PNG.
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

// announce prints one line about what was written, for people at a terminal.
func (a *app) announce(w *pipeline, name string, counts ...string) {
	if name == "-" {
		name = "standard output"
	}
	counts = append(counts, fmt.Sprintf("%dx%d", w.Width, w.Height), phrase.Plural(int64(w.Input.Source.Len()), "triangle"),
		fmt.Sprintf("%d ms", time.Since(a.Began).Milliseconds()))
	a.Say("%s: %s", phrase.OneLine(name), strings.Join(counts, ", "))
}
