package cameras

import (
	"context"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
)

// A Motion is a recipe.Animation without its picture. Its defaults are filled in.
type Motion struct {
	Name      string
	Frames    int
	Keyframes []camera.Keyframe // keyframes in coordinates of the file
}

// A Direction is the direction from the target to the eye, in degrees.
type Direction struct{ Azimuth, Elevation float64 }

// Cameras returns the camera of every frame of an animation, and the direction that is written into the text chunks of
// every frame.
func (s *Scene) Cameras(ctx context.Context, m Motion) (cams []render.Camera, views []Direction, err error) {
	views = make([]Direction, m.Frames)
	turns := make([]float64, m.Frames)
	for k := range views {
		if m.Name == "turntable" {
			turns[k] = 360 * float64(k) / float64(m.Frames)
		}
		views[k] = Direction{s.Options.Azimuth + turns[k], s.Options.Elevation}
	}
	switch {
	case m.Name == "flyby":
		cams, err = camera.Flyby(s.Box, s.Options, m.Frames)
	case m.Name == "keyframes":
		cams, err = s.keyframeCameras(m)
	case m.Name == "orbit":
		cams, err = s.camerasAround(ctx, views, camera.Circle)
	case m.Name == "views":
		cams, err = s.camerasAround(ctx, views, camera.Sphere(m.Frames))
	case s.Eye != nil && m.Name == "turntable":
		cams, err = s.turntableCameras(m.Frames)
	case s.Eye != nil:
		var cam render.Camera
		cam, err = s.Place()
		cams = slices.Repeat([]render.Camera{cam}, m.Frames)
	default:
		cams, err = s.Turn(ctx, turns)
	}
	return cams, views, err
}

// keyframeCameras returns the cameras along the keyframes.
func (s *Scene) keyframeCameras(m Motion) ([]render.Camera, error) {
	origin := mgl64.Vec3(s.Origin)
	keys := slices.Clone(m.Keyframes)
	for i := range keys {
		keys[i].Eye, keys[i].Target = keys[i].Eye.Sub(origin), keys[i].Target.Sub(origin)
	}
	return camera.Path(s.Box, keys, s.Options, m.Frames)
}

// turntableCameras returns the cameras of a turntable that starts at the position Eye.
func (s *Scene) turntableCameras(frames int) ([]render.Camera, error) {
	first, err := s.Place()
	if err != nil {
		return nil, err
	}
	cams, err := camera.Orbit(s.Box, first.Eye, first.Target, s.Options, frames)
	for i := range cams {
		cams[i].Magnification, cams[i].ShiftX, cams[i].ShiftY = first.Magnification, first.ShiftX, first.ShiftY
	}
	return cams, err
}

// camerasAround returns cameras that all see the centre of the mesh from the same distance. It stores the directions of
// the cameras in views. The function place computes a direction from two values: the direction of the first camera, and
// the fraction, 0 to 1, of the motion so far.
func (s *Scene) camerasAround(ctx context.Context, views []Direction, place func(azimuth, elevation, part float64) (az, el float64)) ([]render.Camera, error) {
	options := make([]camera.Options, len(views))
	for k := range options {
		o := s.Options
		o.Azimuth, o.Elevation = place(o.Azimuth, o.Elevation, float64(k)/float64(len(views)))
		options[k], views[k] = o, Direction{o.Azimuth, o.Elevation}
	}
	source := s.Source
	if !s.Tight {
		source = nil
	}
	return camera.FitAround(ctx, source, s.Box, s.Width, s.Height, options)
}
