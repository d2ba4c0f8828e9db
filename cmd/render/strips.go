package main

import (
	"context"
	"errors"
	"image"
	"math"
	"runtime/debug"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/footprint"
	"lockstep/render/part"
	"lockstep/render/png"
	"lockstep/render/recipe"
)

// A stripPlan is the plan for a picture that is too large for memory or for one renderer. Such a picture is drawn in
// strips. Package part calls them bands.
type stripPlan struct {
	kind   string // format of the file
	memory int64  // bytes that the user allows; 0 means no limit
	gather bool   // collect the strips in one picture, which is then written
	beside int64  // bytes of memory besides the strips and the mesh: baseBytes and a collected picture
	part.BandOptions
}

// checkSize returns an error if the picture cannot be drawn, and decides whether it is drawn in strips.
func (c *imageCommand) checkSize(a *app) error {
	size, samples := c.Size, c.Full().Look.Samples
	most := pictureflags.MaxSide(samples)
	if c.Size.Width > part.MostPixels || c.Size.Height > part.MostPixels {
		return cli.Usagef("--size %dx%d: expected at most %dx%d", c.Size.Width, c.Size.Height, part.MostPixels, part.MostPixels)
	}
	o := c.Options()
	c.setOptions(&o)
	tooLarge := size.Width > most || size.Height > most
	allowed := int64(c.MaxMemory)
	if !tooLarge && a.memory.DrawShortage(o, 1) == nil && (allowed == 0 || budget.Sum(budget.DrawingBytes(o, 1)) <= allowed) {
		return nil
	}
	b := &stripPlan{kind: pictureKind(string(c.Output), c.Format.Picture), memory: allowed, beside: baseBytes, BandOptions: part.BandOptions{Options: o, Overlap: o.Depth, Part: c.Part.Crop.Rectangle()}}
	what := c.reasonAgainstStrips(b.kind)
	if gathered := c.gatheredBytes(o); what != "" && c.mayGatherStrips() && a.memory.ShortageOf(budget.CommonBytes, gathered) == nil && (allowed == 0 || gathered <= allowed/4*3) {
		b.gather, what = true, ""
		b.beside += gathered
		b.memory = max(allowed-gathered, 0) // the rest of the memory is for the strips
	}
	if what != "" {
		if c.mayGatherStrips() && allowed > 0 && !tooLarge {
			return cli.Usagef("--size %dx%d: the written part takes %.1f MiB, and --max-memory leaves %.1f MiB for it: %s", size.Width, size.Height, mib(c.gatheredBytes(o)), mib(allowed/4*3), what)
		}
		if tooLarge {
			return cli.Usagef("--size %dx%d: with --samples %d, pictures above %dx%d are drawn in bands, and %s", size.Width, size.Height, samples, most, most, what)
		}
		err := checkMemory(&a.memory, o) // nil if the picture exceeds only --max-memory, which is a limit for meshes
		if err != nil && what == stripFormatsOnly {
			err = cli.Usagef("%w; .png and .tif are drawn in bands", err)
		}
		return err
	}
	if err := b.chooseWorkers(a); err != nil {
		return err
	}
	c.strips = b
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// mayGatherStrips reports whether strips may be collected in one picture in memory. This is allowed if only a part of
// the picture is written.
func (c *imageCommand) mayGatherStrips() bool {
	return (c.Crop != (recipe.Rect{}) || c.Trim) && c.Trace == "" && c.ContactSheet == 0
}

// gatheredBytes returns the size in bytes of the picture in which strips are collected. The size includes copies for
// writing the data of the picture.
func (c *imageCommand) gatheredBytes(o render.Options) int64 {
	perPixel := int64(4)
	if c.Trim {
		perPixel += 4
	}
	for bytes, set := range map[int64]bool{4 + 2: o.Depth, 12: o.Normals, 4: o.Triangles, 1: o.Coverage} {
		if set {
			perPixel += bytes
		}
	}
	size := c.drawnSize()
	return perPixel * int64(size.Width) * int64(size.Height)
}

// stripFormatsOnly is the part of a message about a format in which pictures cannot be written strip by strip.
const stripFormatsOnly = "only .png and .tif are written so"

// reasonAgainstStrips returns the reason why the whole picture has to be in memory. It is empty if strips are possible.
func (c *imageCommand) reasonAgainstStrips(kind string) string {
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"--trim", c.Trim}, {"--contact-sheet", c.ContactSheet > 0}, {"--trace", c.Trace != ""},
		{"--depth", c.Depth != ""}, {"--normals", c.Normals != ""}, {"--ids", c.Ids != ""}, {"--parts", c.Parts != ""}, {"--coverage", c.Coverage != ""},
	} {
		if flag.set {
			return flag.name + " wants all of it in memory"
		}
	}
	if kind != "png" && kind != "tiff" {
		return stripFormatsOnly
	}
	return ""
}

// chooseWorkers sets the number of workers so that the picture fits into memory. It is called before the camera is
// known. It returns an error if the picture does not fit even with one worker.
func (b *stripPlan) chooseWorkers(a *app) error {
	b.Workers = budget.WantedWorkers(b.BandOptions.Options)
	for b.Workers > 1 && a.memory.DrawShortage(b.lowestStripOptions(b.BandOptions.Options), b.Workers) != nil {
		b.Workers--
	}
	o := b.lowestStripOptions(b.BandOptions.Options)
	return checkMemory(&a.memory, o)
}

// lowestStripOptions returns the options of a renderer for strips of the least possible height. With these options,
// memory is checked before the mesh and the camera are known.
func (b *stripPlan) lowestStripOptions(o render.Options) render.Options {
	page, err := b.Page()
	if err != nil { // the size was checked before
		return o
	}
	o.Width, o.Height, o.Workers = page.Width, min(3*part.RowStep, page.Height), b.Workers
	return o
}

// stripsGCPercent is the garbage collector's target percentage while strips are drawn. With a larger percentage, the
// garbage of earlier strips would stay in memory.
const stripsGCPercent = 25

// prepare creates the pipeline's renderer for strips, and determines how much memory strips may use.
func (b *stripPlan) prepare(w *pipeline, cam *render.Camera) error {
	o := w.Renderer.Options() // options with the shading and colours that the input allows
	o.Width, o.Height = b.Width, b.Height
	b.BandOptions.Options, b.Camera = o, cam
	b.ShowsBehind = footprint.ShowsBehind(o, w.Input.Source.Info().Attributes)
	b.Workers = w.Renderer.Machine().Workers()
	debug.SetGCPercent(stripsGCPercent)
	if w.Picture.Crop == (recipe.Rect{}) { // until here, w.Width and w.Height were the size of a strip of the least height
		w.Width, w.Height = b.Width, b.Height
	}
	least, err := b.setMemory(w)
	if err != nil {
		return err
	}
	for least > b.Memory && b.Workers > 1 {
		b.Workers--
		if least, err = b.Bytes(part.RowStep); err != nil {
			return err
		}
	}
	if b.memory == 0 { // without a user's limit, strips of the least height may use 3/4 of the free memory
		b.Memory = max(b.Memory, min(least, b.freeBytes(&w.app.memory)/4*3))
	}
	page, err := b.Page()
	if err != nil {
		return err
	}
	if page.Workers = b.Workers; page.Workers == w.Renderer.Machine().Workers() {
		page.Workers = w.Renderer.Options().Workers
		return w.Renderer.SetOptions(page)
	}
	fewer, err := render.New(page)
	if err != nil {
		return err
	}
	w.Renderer.Close()
	w.Renderer, w.wantedWorkers = fewer, budget.WantedWorkers(render.Options{})
	return nil
}

// baseBytes is how many bytes a command needs for everything except strips, a collected picture and the mesh. It holds
// the program itself, tables, an encoder and lists of the contents of pixels. With less, commands were killed in a
// control group of 128 MiB.
const baseBytes = 24 << 20

// setMemory determines how much memory strips may use. It returns how many bytes strips of the least height need.
func (b *stripPlan) setMemory(w *pipeline) (least int64, err error) {
	b.Memory = b.memory
	if b.Memory == 0 {
		b.Memory = min(part.DefaultMemory, b.freeBytes(&w.app.memory)/2)
	}
	return b.Bytes(part.RowStep)
}

// freeBytes returns the number of bytes for strips. The result is at least 2, because half of it becomes
// BandOptions.Memory. In BandOptions.Memory, 0 would mean the default.
func (b *stripPlan) freeBytes(r *budget.Account) int64 {
	free := int64(math.MaxInt64)
	if r.Memory > 0 {
		free = r.Memory - b.beside
	}
	if r.Limited {
		free = min(free, r.Space-2*budget.ArenaBytes)
	}
	return max(free, 2)
}

// A rowsWriter writes a picture whose rows arrive in groups.
type rowsWriter interface {
	Rows(pix []byte, n int) error
	Close() error
}

// pngRows is a rowsWriter of a PNG file.
type pngRows struct {
	*png.Stream
	stride int
}

// Rows writes n rows without gaps between them.
func (p pngRows) Rows(pix []byte, n int) error { return p.Stream.Rows(pix, p.stride, n) }

// begin creates the writer of the file and writes the part before the first row.
func (b *stripPlan) begin(ctx context.Context, w *pipeline, out outFile, text []png.Text) (rowsWriter, error) {
	if b.kind == "tiff" {
		channels := 4
		if w.channels == png.ChannelsRGB {
			channels = 3
		}
		return encode.NewTIFFRows(out, w.Width, w.Height, channels, w.dpi)
	}
	s, err := w.encoder.Stream(out, w.Width, w.Height, w.pngOptions(ctx, text))
	return pngRows{s, 4 * w.Width}, err
}

// drawStrips draws the picture strip by strip, and writes each strip at once. But if strips are collected, it writes
// the whole picture and its data at the end.
func (c *imageCommand) drawStrips(ctx context.Context, w *pipeline, out outFile, data []*dataFile) error {
	b := c.strips
	whole, err := w.app.inputForFitting(ctx, &c.Draw, w.Input)
	if err != nil {
		return err
	}
	cam, err := c.FitCamera(ctx, whole)
	if err != nil {
		return err
	}
	if err := b.prepare(w, &cam); err != nil {
		return err
	}
	if b.gather {
		var pic render.Picture
		if err := c.eachStrip(ctx, w, cam, func(strip *render.Picture) error {
			appendStrip(&pic, strip)
			return nil
		}); err != nil {
			return err
		}
		return c.write(ctx, w, &pic, cam, out, data)
	}
	file, err := b.begin(ctx, w, out, w.Picture.Text(w.Input, cam, w.Picture.OwnView(w.Input)))
	if err != nil {
		return atomicfile.Failure(err)
	}
	if err := c.eachStrip(ctx, w, cam, func(strip *render.Picture) error {
		defer w.timeEncoding()()
		return atomicfile.Failure(file.Rows(strip.Pix, strip.Height))
	}); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return atomicfile.Failure(err)
	}
	if err := c.writeCamera(ctx, w, &cam); err != nil {
		return err
	}
	return out.Commit()
}

// eachStrip draws the picture strip by strip. It calls the function each with every strip.
func (c *imageCommand) eachStrip(ctx context.Context, w *pipeline, cam render.Camera, each func(strip *render.Picture) error) error {
	b, shown := c.strips, int64(0)
	w.app.Progress.Begin("drawing", int64(w.Height))
	defer w.app.Progress.End()
	stats, err := part.Bands(ctx, w.Renderer, w.Input.Source, cam, b.BandOptions, func(strip part.Band) error {
		if err := w.Annotate(ctx, &cam, strip.Picture, b.Height, strip.Top); err != nil {
			return cli.DrawingError(err)
		}
		own := image.Rect(0, strip.Lo, b.Width, strip.Hi)
		if c.Crop != (recipe.Rect{}) {
			own = own.Intersect(c.Crop.Rectangle())
			shown += recipe.CoveredIn(strip.Picture, own, strip.Top)
		}
		recipe.CutTo(strip.Picture, own.Sub(image.Pt(0, strip.Top)))
		w.app.Progress.Add(int64(own.Dy()))
		return each(strip.Picture)
	})
	if err != nil {
		return c.stripError(ctx, w, err)
	}
	if c.Crop != (recipe.Rect{}) {
		stats.Covered = shown
	}
	if w.addStatistics(&stats); stats.Covered == 0 {
		return c.blankError(w)
	}
	return nil
}

// appendStrip appends the rows of a strip to a picture.
func appendStrip(pic, strip *render.Picture) {
	pic.Width, pic.Height = strip.Width, pic.Height+strip.Height
	pic.Pix = append(pic.Pix, strip.Pix...)
	pic.Depth = append(pic.Depth, strip.Depth...)
	pic.Triangles = append(pic.Triangles, strip.Triangles...)
	pic.Normals = append(pic.Normals, strip.Normals...)
	pic.Coverage = append(pic.Coverage, strip.Coverage...)
}

// stripError adds the exit code to an error of drawing strips.
func (c *imageCommand) stripError(ctx context.Context, w *pipeline, err error) error {
	var coded *cli.Error
	var output *atomicfile.Error
	var memory *part.MemoryError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &coded) || errors.As(err, &output):
		return err
	case errors.As(err, &memory):
		return cli.Usagef("--size %dx%d: %w%s", c.strips.Width, c.strips.Height, err, c.strips.remedyText())
	}
	return cli.Inputf("%s: %w", w.Input.Name, err)
}

// remedyText returns the part of a message that suggests values of flags with which strips fit into memory.
func (b *stripPlan) remedyText() string {
	return remedyText(b.BandOptions.Options, func(o render.Options) bool {
		other := b.BandOptions
		other.Options = o
		need, err := other.Bytes(part.RowStep)
		return err == nil && need <= b.Memory
	})
}
