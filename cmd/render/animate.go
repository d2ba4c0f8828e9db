package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/render"
	"lockstep/render/recipe"
)

// An animateCommand draws a sequence of pictures with one renderer.
type animateCommand struct {
	Output    pathFlag    `short:"o" placeholder:"DIR" help:"Folder, name with #### or %04d, or .png, .gif, .mp4."`
	Frames    framesFlag  `placeholder:"N" help:"Number of pictures (72)."`
	Still     bool        `xor:"motion" help:"Keep the eye where it is."`
	Turntable bool        `xor:"motion" help:"Turn the eye once around the up axis (the default)."`
	Keyframes pathFlag    `xor:"motion" placeholder:"FILE" help:"Move the eye along the keyframes of a file."`
	Orbit     bool        `xor:"motion" help:"Turn it on a circle whose highest point is --view."`
	Flyby     bool        `xor:"motion" help:"Fly past the mesh, close to it, at --view's level."`
	FPS       fpsFlag     `name:"fps" placeholder:"N" help:"Frames per second of a film (25)."`
	Resume    bool        `help:"Keep pictures that an earlier run has finished."`
	Crop      recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of pictures of --size."`

	drawFlags
	More   []pathFlag     `arg:"" optional:"" name:"meshes" help:"Meshes that follow the first: each is shown for as many frames."`
	Format meshFormatFlag `placeholder:"KIND" help:"Read MESH as stl, ply, obj, ... (by its contents)."`

	RecordLoads pathFlag `group:"balancing" placeholder:"FILE" help:"Also write how long every block of 4096 triangles took in every frame, and where it was in the picture, for --loads of lockstep-bench criteria, circuit and partition. Without -o no pictures are written."`
}

// check refuses flags that make no animation.
func (c *animateCommand) check(a *app) error {
	c.meshFormat, c.part.Crop = string(c.Format), c.Crop
	if err := c.checkSeries(); err != nil {
		return err
	}
	if err := c.setDefaults(); err != nil {
		return err
	}
	switch err := c.drawFlags.check(a); {
	case err != nil:
		return err
	case c.Orbit && math.Abs(c.View.Elevation) > recipe.SteepestOrbit:
		return cli.Usagef("--orbit: expected a --view of at most %v degrees up or down", recipe.SteepestOrbit)
	case c.Orbit && c.placed():
		return cli.Usagef("--orbit has its own camera: --eye and --camera do not go with it")
	case (c.Flyby || c.Keyframes != "") && c.placed():
		return cli.Usagef("--flyby and --keyframes have their own cameras: --eye and --camera do not go with them")
	case c.Flyby && c.Projection == "orthographic":
		return cli.Usagef("--flyby needs --projection perspective")
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
		return cli.Usagef("--resume keeps pictures, and a film is one file: expected a folder")
	}
	return nil
}

// run draws the frames.
func (c *animateCommand) run(ctx context.Context, a *app, stdout io.Writer) error {
	if listScenes(c.Mesh, stdout) {
		return nil
	}
	if err := c.check(a); err != nil {
		return err
	}
	if c.DumpRecipe {
		animation, err := c.animation()
		if err == nil {
			_, err = fmt.Fprintln(stdout, animation.Normal())
		}
		return err
	}
	a.warnUnheeded(allFlags{drawFlags: &c.drawFlags, animate: c})
	names, err := c.pictures(a)
	if err != nil {
		return err
	}
	record, err := c.recorder(a)
	if err != nil {
		return err
	}
	defer record.abort()
	trace, err := c.traceFile(a)
	if err != nil {
		return err
	}
	defer trace.abort()
	film, err := c.newFilm(a)
	if err != nil {
		return err
	}
	defer film.abort()
	a.noteContents = names != nil
	w, err := c.newPipeline(ctx, a, false, func(o *render.Options) {
		o.TimeBlocks = record != nil
	})
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.Input.CheckNotEmpty(); err != nil && len(c.More) == 0 {
		return errors.Join(err, w.report(&c.drawFlags, &w.frames))
	}
	c.drawer(a).SayDamage(w.Input)
	series, err := c.newSeries(ctx, w)
	if err != nil {
		return err
	}
	defer series.close()
	w.Picture = c.picture()
	cams, views, err := c.cameras(ctx, a, series.whole(w.Input))
	if err != nil {
		return c.fitError(ctx, err)
	}
	if err := record.begin(ctx, w.Input); err != nil {
		return err
	}
	if err := trace.begin(w, &c.drawFlags); err != nil {
		return err
	}
	if err := film.begin(ctx, w, len(cams), w.Picture.Text(w.Input, cams[0], views[0])); err != nil {
		return err
	}
	seq := sequence{pipeline: w, flags: c, names: names, film: film, record: record, cams: cams, views: views, series: series}
	err = seq.run(ctx)
	switch code := cli.CodeOf(err); {
	case code == cli.Done || code == cli.Partial:
		failed := errors.Join(film.commit(), record.commit(), trace.commit(), w.report(&c.drawFlags, &w.frames))
		if err == nil && failed == nil {
			c.announce(a, w)
		}
		return errors.Join(err, failed)
	case cli.IsBlank(err):
		return errors.Join(err, w.report(&c.drawFlags, &w.frames))
	}
	return err
}

// pictures makes the names of the pictures, nil for a film or loads alone, and
// refuses outputs that would replace the mesh or each other.
func (c *animateCommand) pictures(a *app) (*framename.Names, error) {
	frames, film := int(c.Frames), ""
	if framename.IsAnimation(string(c.Output)) {
		film = string(c.Output)
	}
	reserved, err := a.CheckTargets(string(c.Mesh), film, string(c.RecordLoads), string(c.Trace))
	for _, more := range c.More {
		if err == nil {
			var others []cli.Target
			others, err = a.CheckTargets(string(more), film, string(c.Trace))
			reserved = append(reserved, others...)
		}
	}
	if err != nil || film != "" || c.Output == "" && c.RecordLoads != "" {
		return nil, err
	}
	names, err := frameNames(string(c.Output), string(c.Mesh), frames)
	if err != nil {
		return nil, err
	}
	if err := cli.CheckFrames(names, frames, reserved); err != nil {
		return nil, err
	}
	return names, names.Prepare(&a.Files)
}

// frameNames is framename.New, whose errors are those of -o.
func frameNames(output, mesh string, frames int) (*framename.Names, error) {
	names, err := framename.New(output, mesh, frames)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return names, nil
}

// cameras returns the camera of every frame, and the direction that it says of itself.
func (c *animateCommand) cameras(ctx context.Context, a *app, in *input) ([]render.Camera, []recipe.View, error) {
	animation, err := c.animation()
	if err != nil {
		return nil, nil, err
	}
	cams, views, err := c.drawer(a).Cameras(ctx, animation, in)
	var keys *recipe.KeyframesError
	if errors.As(err, &keys) {
		err = cli.Inputf("%s: %w", c.Keyframes, keys.Err)
	}
	return cams, views, err
}

// A sequence is an animation that is being drawn.
type sequence struct {
	*pipeline
	flags  *animateCommand
	names  *framename.Names // nil: no pictures
	film   *film            // nil: none
	record *recorder        // nil: no loads
	cams   []render.Camera
	views  []recipe.View
	series *series // nil: one mesh

	written []chan struct{} // [k] is closed when the frames before k are written
}

// run draws every frame. Blank ones are no pictures of their own, and named at the
// end; all other failures end the run at once, for they would meet the next frame too.
func (s *sequence) run(ctx context.Context) error {
	s.app.Progress.BeginRate("drawing", "frames", int64(len(s.cams)))
	defer s.app.Progress.End()
	blank, err := s.drawAll(ctx)
	if err != nil {
		return err
	}
	switch len(blank) {
	case 0:
		return nil
	case len(s.cams):
		return s.Input.Blank("nothing of it would be visible on any frame")
	}
	return cli.Partialf("%s: nothing of it would be visible on %s of %d: %s",
		s.Input.Name, cli.Plural(int64(len(blank)), "frame"), len(s.cams), joinRanges(blank))
}

// announce prints how many pictures were drawn.
func (c *animateCommand) announce(a *app, w *pipeline) {
	switch {
	case c.Output == "":
		a.announce(w, string(c.RecordLoads), cli.Plural(int64(w.frames), "frame"))
	case w.frames < int(c.Frames):
		a.announce(w, string(c.Output), fmt.Sprintf("%d of %s drawn, the others kept", w.frames, cli.Plural(int64(c.Frames), "picture")))
	default:
		a.announce(w, string(c.Output), cli.Plural(int64(w.frames), "picture"))
	}
}

// joinRanges returns numbers as text, runs of them as a-b.
func joinRanges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", numbers[i], numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
