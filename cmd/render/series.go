package main

import (
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/budget"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A series holds the meshes of an animation that shows one mesh after the other. All meshes are read before the first
// frame. So the camera can be placed where all meshes fit, and a colour of a field stands for the same number in every
// frame. A nil series means a single mesh.
type series struct {
	flags    *pictureflags.Draw
	app      *app
	options  render.Options
	reader   recipe.Drawer // reads meshes and reports their warnings
	memory   budget.Account
	meshes   []*input // a nil mesh is read again for each of its frames
	names    []string
	times    []float64  // times[i] is the clip time of mesh i; nil if the meshes are several files
	origin   mgl64.Vec3 // origin of the coordinates of cameras
	box      scenes.Box // box of all meshes, relative to origin
	room     int64      // bytes of memory that are left for meshes between frames
	hasGlass bool       // the memory of the picture behind glass is already subtracted from room
	parted   bool       // box leaves out triangles far away from the others
}

// keptDivisor limits the memory that the meshes of a series use between frames. They may use 1/keptDivisor of the
// free memory. The rest suffices to read even the largest mesh.
const keptDivisor = 4

// maxKept is how many bytes the meshes of a series may use if the system does not state how much memory is free.
const maxKept = 1 << 30

// meshFootprint estimates how many bytes of memory an input uses, including its normals.
func meshFootprint(in *input) int64 {
	n := in.Held
	if s, ok := in.Source.(*render.Surface); ok {
		n += footprint.Surface(s.Len()) + footprint.Levels(s.Attributes)
	}
	return n
}

// setRoom sets the memory for meshes between frames. most is the user's limit in bytes, or 0. The first mesh is always
// kept.
func (s *series) setRoom(most int64) {
	s.room = maxKept
	if s.memory.Memory > 0 {
		s.room = s.memory.Memory / keptDivisor
	}
	if most > 0 {
		s.room = min(s.room, most)
	}
	s.room -= s.glassFootprint(s.meshes[0])
}

// mayKeep reports whether a mesh may stay in memory between frames. After the first mesh that does not fit, it returns
// false for all meshes.
func (s *series) mayKeep(in *input) bool {
	s.room -= meshFootprint(in) + s.glassFootprint(in)
	return s.room >= 0
}

// glassFootprint returns the bytes of memory that the picture behind the glass of a mesh needs in addition to the
// meshes before it. The renderer has one such picture, so only the first mesh with glass needs memory for it.
func (s *series) glassFootprint(in *input) int64 {
	if s.hasGlass {
		return 0
	}
	n := footprint.Behind(s.options, in.Source.Info().Attributes)
	s.hasGlass = n > 0
	return n
}

// readMesh reads the i-th mesh. If the meshes are moments of a clip, readMesh takes the materials and the hash of the
// contents from the first mesh.
func (s *series) readMesh(ctx context.Context, d *recipe.Drawer, i int) (*input, error) {
	p := s.flags.PictureOf(s.names[i])
	if s.times != nil {
		again := *d
		d, again.NoteContents, p.Time = &again, false, &s.times[i]
		if a := s.meshes[0].Source.Info().Attributes; a != nil {
			again.Read.Pose = &scenes.Pose{Materials: a.Materials}
		}
	}
	in, err := s.app.openInput(ctx, d, p, false, s.options)
	if err != nil {
		return nil, err
	}
	if s.times != nil {
		in.Contents = s.meshes[0].Contents
	}
	d.SayDamage(in)
	return in, nil
}

// extendBox enlarges the box so that it holds a mesh.
func (s *series) extendBox(ctx context.Context, in *input) error {
	if in.Box.Empty() {
		return nil
	}
	in, err := s.app.inputForFitting(ctx, s.flags, in)
	if err != nil {
		return err
	}
	s.parted = s.parted || in.Parted
	shift := mgl64.Vec3(in.Source.Info().Origin).Sub(s.origin)
	s.box = s.box.Union(scenes.Box{Min: mgl64.Vec3(in.Box.Min).Add(shift), Max: mgl64.Vec3(in.Box.Max).Add(shift)})
	return nil
}

// withBox returns the input for fitting cameras: a copy of in with the box of all meshes.
func (s *series) withBox(in *input) *input {
	if s == nil {
		return in
	}
	all := *in
	all.Box, all.Parted = s.box, s.parted
	return &all
}

// selectMesh makes the pipeline w draw the mesh of frame k, and returns the camera in the coordinates of that mesh. The
// caller must call the returned function after the frame.
func (s *series) selectMesh(ctx context.Context, w *pipeline, cam render.Camera, k, frames int) (render.Camera, func(), error) {
	if s == nil {
		return cam, func() {}, nil
	}
	i := k * len(s.names) / frames
	in, done := s.meshes[i], func() {}
	silent := s.reader // gives no warnings, because the first reading has reported them
	silent.Warn = nil
	if in == nil {
		r := s.memory.Share(budget.WantedWorkers(s.options))
		silent.Memory = &r
		var err error
		if in, err = s.readMesh(ctx, &silent, i); err != nil {
			return cam, nil, err
		}
		done = in.Close
	}
	if w.Input = in; s.times != nil {
		w.Picture.Time = &s.times[i]
	}
	shift := s.origin.Sub(in.Source.Info().Origin)
	options := recipe.RestoreLook(w.Renderer.Options(), s.options)
	in.GroundUnder(scenes.Box{Min: mgl64.Vec3(s.box.Min).Add(shift), Max: mgl64.Vec3(s.box.Max).Add(shift)})
	cam.Eye, cam.Target = cam.Eye.Add(shift), cam.Target.Add(shift)
	cam.Box.Min, cam.Box.Max = mgl64.Vec3(cam.Box.Min).Add(shift), mgl64.Vec3(cam.Box.Max).Add(shift)
	return cam, done, w.Renderer.SetOptions(silent.Look(w.Picture, in, options))
}

// A fieldRange is the range of the numbers of a field in several meshes.
type fieldRange struct {
	low, high float64
	hasValues bool
}

// add extends the range by the numbers of a mesh.
func (r *fieldRange) add(in *input, field render.Field) {
	mesh := in.Mesh()
	if field.Name == "" || mesh == nil {
		return
	}
	found := mesh.Field(field.Name)
	if found == nil {
		return
	}
	low, high := found.Range()
	if !r.hasValues {
		*r = fieldRange{low, high, true}
		return
	}
	r.low, r.high = min(r.low, low), max(r.high, high)
}

// close closes the meshes of the series.
func (s *series) close() {
	if s == nil {
		return
	}
	for _, in := range s.meshes[1:] { // the pipeline closes the first mesh
		if in != nil {
			in.Close()
		}
	}
}
