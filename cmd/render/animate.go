package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// An animateCommand draws the frames of an animation, as numbered pictures or as one file.
type animateCommand struct {
	pictureflags.Motion
	FPS    fpsFlag     `name:"fps" placeholder:"N" help:"Frames per second of an animation in one file (25)."`
	Resume bool        `help:"Keep pictures that an earlier run has finished."`
	Crop   recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of pictures of --size."`

	pictureflags.Draw
	More   []pictureflags.Path     `arg:"" optional:"" name:"meshes" help:"Meshes shown after the first, each for as many frames."`
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read MESH as stl, ply, obj, ... (by its contents)."`

	RecordLoads pictureflags.Path `group:"balancing" placeholder:"FILE" help:"Also write how long every block of 4096 triangles took in every frame, and where it was in the picture, for --loads of lockstep-bench criteria, circuit and partition. Without -o no pictures are written."`
}

// check returns an error for flags that cannot make an animation.
func (c *animateCommand) check(a *app) error {
	c.MeshFormat, c.Part.Crop = string(c.Format), c.Crop
	if err := c.expandSteps(a); err != nil {
		return err
	}
	if err := c.checkSeries(); err != nil {
		return err
	}
	if err := c.SetDefaults(len(c.More) > 0 || c.playsClip()); err != nil {
		return err
	}
	if err := a.checkDrawing(&c.Draw); err != nil {
		return err
	}
	if err := c.Motion.Check(&c.Draw); err != nil {
		return err
	}
	switch {
	case c.Resume && c.RecordLoads != "":
		return cli.Usagef("--resume leaves frames out, and --record-loads needs them all")
	case c.Crop != (recipe.Rect{}) && c.RecordLoads != "":
		return cli.Usagef("--record-loads wants whole pictures, and --crop leaves parts out")
	case c.Trace != "" && c.RecordLoads != "":
		return cli.Usagef("--trace and --record-loads: traced frames take longer, which would be recorded")
	case c.Trace != "" && c.Resume:
		return cli.Usagef("--resume leaves frames out, and --trace needs them all")
	case c.FPS != fpsFlag{} && !framename.IsAnimation(string(c.Output)):
		return cli.Usagef("--fps is for films, such as -o turn.png")
	case c.Resume && framename.IsAnimation(string(c.Output)):
		return cli.Usagef("--resume keeps pictures, and an animation in one file keeps none: expected a folder")
	}
	return nil
}

// run draws the animation and writes its files.
func (c *animateCommand) run(ctx context.Context, a *app, stdout io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, stdout) {
		return nil
	}
	if err := c.check(a); err != nil {
		return err
	}
	if c.DumpRecipe {
		return c.printRecipe(stdout)
	}
	if err := c.checkViews(); err != nil {
		return err
	}
	a.warnIgnored(&c.Draw, c.ruleContext())
	names, err := c.checkedPictureNames(a)
	if err != nil {
		return err
	}
	record, err := c.newRecorder(a)
	if err != nil {
		return err
	}
	defer record.abort()
	trace, err := a.createTraceFile(&c.Draw)
	if err != nil {
		return err
	}
	defer trace.abort()
	clip, err := c.newClip(a)
	if err != nil {
		return err
	}
	defer clip.abort()
	a.noteContents = names != nil
	c.Resident = c.Views > 0
	w, err := a.newPipeline(ctx, &c.Draw, false, func(o *render.Options) {
		o.TimeBlocks = record != nil
		o.Coverage = o.Coverage || c.Views > 0
	})
	if err != nil {
		return err
	}
	defer w.close()
	return c.draw(ctx, a, w, animationFiles{names, clip, record, trace})
}

// printRecipe prints the recipe in its normal form.
func (c *animateCommand) printRecipe(stdout io.Writer) error {
	animation, err := c.Animation(&c.Draw, c.More)
	if err == nil {
		_, err = fmt.Fprintln(stdout, animation.Normal())
	}
	return err
}

// animationFiles holds the outputs of an animation. Each field may be nil.
type animationFiles struct {
	names  *framename.Names // names of the numbered pictures
	clip   *clip
	record *recorder
	trace  *traceFile
}

// draw draws the frames and writes them into the given files.
func (c *animateCommand) draw(ctx context.Context, a *app, w *pipeline, to animationFiles) error {
	if err := w.Input.CheckNotEmpty(); err != nil && len(c.More) == 0 {
		return errors.Join(err, w.printStatistics(&c.Draw, &w.frames))
	}
	a.newDrawer(&c.Draw).SayDamage(w.Input)
	series, err := c.newSeries(ctx, w)
	if err != nil {
		return err
	}
	defer series.close()
	w.Picture = c.Picture()
	cams, views, err := c.cameras(ctx, a, series.withBox(w.Input))
	if err != nil {
		return c.FitError(ctx, err)
	}
	if err := to.record.begin(ctx, w.Input, w.Renderer.Options().Leaves); err != nil {
		return err
	}
	if err := to.trace.begin(w, &c.Draw); err != nil {
		return err
	}
	if err := to.clip.begin(ctx, w, len(cams), w.Picture.FrameText(w.Input, cams[0], views[0])); err != nil {
		return err
	}
	data, err := c.newViewSet(a, w, cams)
	if err != nil {
		return err
	}
	seq := sequence{pipeline: w, flags: c, names: to.names, clip: to.clip, record: to.record, cams: cams, views: views, series: series, data: data}
	err = seq.run(ctx)
	switch code := cli.CodeOf(err); {
	case code == cli.Done || code == cli.Partial:
		failed := errors.Join(data.writeDescriptions(a), to.clip.commit(), to.record.commit(), to.trace.commit(), w.printStatistics(&c.Draw, &w.frames))
		if err == nil && failed == nil {
			c.announce(a, w)
		}
		return errors.Join(err, failed)
	case cli.IsBlank(err):
		return errors.Join(err, w.printStatistics(&c.Draw, &w.frames))
	}
	return err
}

// checkedPictureNames returns the names of the pictures. It returns nil if the output is a clip. It also returns nil if
// there is no output and --record-loads is set, because then no pictures are written. It returns an error if an output
// would replace a mesh or another output.
func (c *animateCommand) checkedPictureNames(a *app) (*framename.Names, error) {
	frames, file := int(c.Frames), ""
	if framename.IsAnimation(string(c.Output)) {
		file = string(c.Output)
	}
	reserved, err := a.CheckTargets(string(c.Mesh), file, string(c.RecordLoads), string(c.Trace))
	for _, more := range c.More {
		if err == nil {
			var others []cli.Target
			others, err = a.CheckTargets(string(more), file, string(c.Trace))
			reserved = append(reserved, others...)
		}
	}
	if err != nil || file != "" || c.Output == "" && c.RecordLoads != "" {
		return nil, err
	}
	names, err := c.pictureNames()
	if err != nil {
		return nil, err
	}
	if err := cli.CheckFrames(names, frames, reserved); err != nil {
		return nil, err
	}
	return names, names.Prepare(&a.Files)
}

// pictureNames returns the names of the pictures. In a data set, the pictures are in subfolders.
func (c *animateCommand) pictureNames() (*framename.Names, error) {
	if c.Views > 0 {
		return c.viewNames()
	}
	return frameNames(string(c.Output), string(c.Mesh), int(c.Frames))
}

// frameNames calls framename.New and turns its errors into usage errors.
func frameNames(output, mesh string, frames int) (*framename.Names, error) {
	names, err := framename.New(output, mesh, frames)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return names, nil
}

// cameras returns the camera of every frame, and the view of every frame for the metadata of its picture.
func (c *animateCommand) cameras(ctx context.Context, a *app, in *input) ([]render.Camera, []recipe.View, error) {
	animation, err := c.Animation(&c.Draw, c.More)
	if err != nil {
		return nil, nil, err
	}
	cams, views, err := a.newDrawer(&c.Draw).Cameras(ctx, animation, in)
	var keys *recipe.KeyframesError
	if errors.As(err, &keys) {
		err = cli.Inputf("%s: %w", c.Keyframes, keys.Err)
	}
	return cams, views, err
}

// announce prints how many pictures were drawn, for people at a terminal.
func (c *animateCommand) announce(a *app, w *pipeline) {
	switch {
	case c.Output == "":
		a.announce(w, string(c.RecordLoads), phrase.Plural(int64(w.frames), "frame"))
	case w.frames < int(c.Frames):
		a.announce(w, string(c.Output), fmt.Sprintf("%d of %s drawn, the others kept", w.frames, phrase.Plural(int64(c.Frames), "picture")))
	default:
		a.announce(w, string(c.Output), phrase.Plural(int64(w.frames), "picture"))
	}
}

// ruleContext returns the properties of this command that determine which flags of pictures are ignored.
func (c *animateCommand) ruleContext() pictureflags.RuleContext {
	b := pictureflags.RuleContext{Keyframes: c.Keyframes != "", Flyby: c.Flyby, Kind: "png", Read: true}
	if name := strings.ToLower(string(c.Output)); framename.IsAnimation(name) && !strings.HasSuffix(name, ".apng") {
		b.Kind = name[strings.LastIndexByte(name, '.')+1:]
	}
	return b
}

// SeparateAxesFromNames separates the up axes from the names of meshes. The parser calls it after reading all flags,
// possibly several times.
func (c *animateCommand) SeparateAxesFromNames() error { return c.SplitMeshes(&c.More, c.More) }

// newClip creates the file of the clip. It returns nil if the output is not a single file.
func (c *animateCommand) newClip(a *app) (*clip, error) {
	if !framename.IsAnimation(string(c.Output)) {
		return nil, nil
	}
	f := &clip{kind: strings.ToLower(filepath.Ext(string(c.Output))), fps: cmp.Or(c.FPS, fpsDefault)}
	if f.isVideo() {
		if err := findFFmpeg(string(c.Output)); err != nil {
			return nil, err
		}
	}
	if f.kind == ".gif" && f.fps.perSecond() > maxGIFRate {
		a.Warn("%s: GIF shows at most %d frames a second: the animation takes longer", c.Output, maxGIFRate)
	}
	if f.kind != ".png" && f.kind != ".apng" {
		a.warnDPI(string(c.Output), int(c.DPI))
	}
	if f.kind == ".webp" {
		if err := checkWebP(string(c.Output), c.Size); err != nil {
			return nil, err
		}
	}
	var err error
	f.out, err = a.create(string(c.Output))
	return f, err
}

// newRecorder creates the file of --record-loads for the drawing times of blocks. It returns nil if the flag is not
// set.
func (c *animateCommand) newRecorder(a *app) (*recorder, error) {
	if c.RecordLoads == "" {
		return nil, nil
	}
	out, err := a.create(string(c.RecordLoads))
	if err != nil {
		return nil, err
	}
	return &recorder{out: out, buffer: bufio.NewWriter(out)}, nil
}

// newSeries reads all meshes of an animation, to find their common box and their common range of values for colours.
// The input of w is the first mesh. newSeries returns nil if there is only one mesh and it does not move.
func (c *animateCommand) newSeries(ctx context.Context, w *pipeline) (*series, error) {
	if len(c.More) == 0 && !c.playsClip() {
		return nil, nil
	}
	a := w.app
	s := &series{
		flags: &c.Draw, app: a, options: w.Renderer.Options(), memory: a.memory,
		names: c.meshNames(), meshes: []*input{w.Input}, origin: w.Input.Source.Info().Origin, box: scenes.EmptyBox(),
	}
	if err := c.setClipTimes(s); err != nil {
		return nil, err
	}
	if err := s.extendBox(ctx, w.Input); err != nil {
		return nil, err
	}
	up := w.Picture.UpOf(w.Input)
	s.reader = *a.newDrawer(&c.Draw)
	s.reader.Memory, s.reader.Standing = &s.memory, &up
	field := s.options.Field
	var numbers fieldRange
	numbers.add(w.Input, field)
	s.setRoom(c.ReadFlags.Options().MaxMemory)
	a.Progress.BeginRate("reading", "files", int64(len(s.names)))
	defer a.Progress.End()
	for i := 1; i < len(s.names); i++ {
		a.Progress.Add(1)
		in, err := s.readMesh(ctx, &s.reader, i)
		if err != nil {
			return nil, err
		}
		s.reader.Look(c.Picture(), in, s.options)
		if err := s.extendBox(ctx, in); err != nil {
			in.Close()
			return nil, err
		}
		numbers.add(in, field)
		if !s.mayKeep(in) {
			in.Close()
			in = nil
		}
		s.meshes = append(s.meshes, in)
	}
	if field.Name != "" && field.Low == field.High {
		c.Range = pictureflags.Range{numbers.low, numbers.high} // the legend shows this range, and --resume compares it
		s.options.Field.Low, s.options.Field.High = numbers.low, numbers.high
	}
	return s, nil
}

// meshNames returns the names of all meshes in the order of their frames.
func (c *animateCommand) meshNames() []string {
	names := []string{string(c.Mesh)}
	for _, more := range c.More {
		names = append(names, string(more))
	}
	return names
}

// checkSeries returns an error for flags that cannot be used with several meshes or a clip. It fits the cameras to the
// box that holds all meshes. Without --frames, several meshes get one frame each.
func (c *animateCommand) checkSeries() error {
	switch {
	case len(c.More) == 0 && !c.playsClip():
		return nil
	case c.playsClip() && len(c.More) > 0:
		return cli.Usagef("--clip plays one mesh, and there are several: --time shows all of them at a time")
	case c.playsClip() && c.Views > 0:
		return cli.Usagef("--views is of a mesh that does not move: expected --time beside --clip")
	case slices.Contains(c.meshNames(), "-"):
		return cli.Usagef("several meshes, and clips: none can come from standard input")
	case c.Fit == "tight" || c.Fit == "vertices":
		return cli.Usagef("--fit %s is for one mesh: several, and those that a clip moves, are fitted by their boxes", c.Fit)
	case c.RecordLoads != "" || c.Trace != "":
		return cli.Usagef("--record-loads and --trace are for one mesh that does not move")
	}
	c.Fit = "box"
	if !c.playsClip() && c.Frames == 0 && c.Views == 0 {
		c.Frames = pictureflags.Frames(len(c.meshNames()))
	}
	return nil
}
