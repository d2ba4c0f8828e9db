package main

import (
	"context"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/scenes"
)

// A series is the meshes of an animation that shows one after the other. They are all
// looked at before the first frame: the camera stands where all of them fit, and the colours
// of a field mean the same numbers in every frame. A nil series is one mesh.
type series struct {
	flags   *animateCommand
	app     *app
	options render.Options
	room    room
	meshes  []*input // nil: read again for its frames
	names   []string
	origin  mgl64.Vec3 // of the coordinates of cameras
	box     scenes.Box // of all meshes, relative to origin
	parted  bool       // whether it leaves out triangles far away from the others
}

// keptPart is the part of the memory there is that meshes of a series may keep, so that
// the largest of them can still be read beside.
const keptPart = 4

// keptMost bounds it where the system does not say how much memory there is.
const keptMost = 1 << 30

// meshNames returns all meshes in the order of their frames.
func (c *animateCommand) meshNames() []string {
	names := []string{string(c.Mesh)}
	for _, more := range c.More {
		names = append(names, string(more))
	}
	return names
}

// newSeries looks at all meshes; w has read the first.
func (c *animateCommand) newSeries(ctx context.Context, w *pipeline) (*series, error) {
	if len(c.More) == 0 {
		return nil, nil
	}
	a := w.app
	s := &series{
		flags: c, app: a, options: w.renderer.Options(), room: a.room,
		names: c.meshNames(), meshes: []*input{w.in}, origin: w.in.src.Info().Origin, box: scenes.EmptyBox(),
	}
	if err := s.extend(ctx, w.in); err != nil {
		return nil, err
	}
	up := c.Up.of(w.in)
	a.standing = &up
	field := s.options.Field
	var numbers fieldRange
	numbers.add(w.in, field)
	budget := int64(keptMost)
	if s.room.memory > 0 {
		budget = s.room.memory / keptPart
	}
	if most := c.readFlags.options("").MaxMemory; most > 0 {
		budget = min(budget, most)
	}
	a.progress.BeginRate("reading", "files", int64(len(s.names)))
	defer a.progress.End()
	for _, name := range s.names[1:] {
		a.progress.Add(1)
		in, err := s.read(ctx, a, name, &s.room)
		if err != nil {
			return nil, err
		}
		a.lookOf(in, s.options)
		if err := s.extend(ctx, in); err != nil {
			in.close()
			return nil, err
		}
		numbers.add(in, field)
		if budget -= in.footprint(); budget < 0 {
			in.close()
			in = nil
		}
		s.meshes = append(s.meshes, in)
	}
	if field.Name != "" && field.Low == field.High {
		c.Range = rangeFlag{numbers.low, numbers.high} // of legends and of what --resume compares, too
		s.options.Field.Low, s.options.Field.High = numbers.low, numbers.high
	}
	return s, nil
}

// footprint returns about how much memory the input holds, normals included.
func (in *input) footprint() int64 {
	n := in.held
	if _, ok := in.src.(*render.Surface); ok {
		n += render.SurfaceBytes(in.src.Len())
	}
	return n
}

// read reads one of the meshes.
func (s *series) read(ctx context.Context, a *app, name string, r *room) (*input, error) {
	c := s.flags
	in, err := a.readInto(ctx, r, name, false, s.options, c.readFlags.options(c.meshFormat))
	if err == nil {
		a.sayDamage(in)
	}
	return in, err
}

// extend makes the box hold a mesh.
func (s *series) extend(ctx context.Context, in *input) error {
	if in.box.Empty() {
		return nil
	}
	in, err := s.flags.together(ctx, s.app, in)
	if err != nil {
		return err
	}
	s.parted = s.parted || in.parted
	shift := mgl64.Vec3(in.src.Info().Origin).Sub(s.origin)
	s.box = s.box.Union(scenes.Box{Min: mgl64.Vec3(in.box.Min).Add(shift), Max: mgl64.Vec3(in.box.Max).Add(shift)})
	return nil
}

// whole returns what cameras are fitted to: the input with the box of all meshes.
func (s *series) whole(in *input) *input {
	if s == nil {
		return in
	}
	all := *in
	all.box, all.parted = s.box, s.parted
	return &all
}

// show makes an artist draw the mesh of frame k of frames, and returns the camera for it
// and what ends it.
func (s *series) show(ctx context.Context, w *pipeline, cam render.Camera, k, frames int) (render.Camera, func(), error) {
	if s == nil {
		return cam, func() {}, nil
	}
	i := k * len(s.names) / frames
	in, done := s.meshes[i], func() {}
	// What it warns of was said when it was read first.
	silent := app{began: s.app.began, streams: streams{stdin: s.app.stdin, stderr: s.app.stderr}, quiet: true, progress: s.app.progress, editor: s.app.editor, noteContents: s.app.noteContents, ups: s.app.ups, standing: s.app.standing, unit: s.app.unit}
	if in == nil {
		r := s.room
		r.memory /= int64(wantedWorkers(s.options))
		var err error
		if in, err = s.read(ctx, &silent, s.names[i], &r); err != nil {
			return cam, nil, err
		}
		done = in.close
	}
	w.in = in
	shift := s.origin.Sub(in.src.Info().Origin)
	options := w.renderer.Options()
	options.Shading, options.Occlusion, options.Facing, options.Field = s.options.Shading, s.options.Occlusion, s.options.Facing, s.options.Field
	cam.Eye, cam.Target = cam.Eye.Add(shift), cam.Target.Add(shift)
	cam.Box.Min, cam.Box.Max = mgl64.Vec3(cam.Box.Min).Add(shift), mgl64.Vec3(cam.Box.Max).Add(shift)
	return cam, done, w.renderer.SetOptions(silent.lookOf(in, options))
}

// A fieldRange is the least and the greatest number of a field in several meshes.
type fieldRange struct {
	low, high float64
	some      bool
}

// add takes the numbers of a mesh.
func (r *fieldRange) add(in *input, field render.Field) {
	mesh := in.mesh()
	if field.Name == "" || mesh == nil {
		return
	}
	found := render.FieldOf(mesh, field.Name)
	if found == nil {
		return
	}
	low, high := render.FieldRange(found)
	if !r.some {
		*r = fieldRange{low, high, true}
		return
	}
	r.low, r.high = min(r.low, low), max(r.high, high)
}

// close lets go of the meshes.
func (s *series) close() {
	if s == nil {
		return
	}
	for _, in := range s.meshes[1:] { // the first is the pipeline's
		if in != nil {
			in.close()
		}
	}
}

// checkSeries refuses what animations of several meshes do not have, and sets what they
// have by default: a frame a mesh, and the box that holds all of them to fit.
func (c *animateCommand) checkSeries() error {
	switch {
	case len(c.More) == 0:
		return nil
	case slices.Contains(c.meshNames(), "-"):
		return usagef("several meshes: none can come from standard input")
	case c.Fit == "tight" || c.Fit == "vertices":
		return usagef("--fit %s is for one mesh: several are fitted by their boxes", c.Fit)
	case c.RecordLoads != "" || c.Trace != "":
		return usagef("--record-loads and --trace are for one mesh")
	}
	c.Fit = "box"
	if c.Frames == 0 {
		c.Frames = framesFlag(len(c.meshNames()))
	}
	return nil
}
