package recipe

import (
	"context"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
)

// Cameras returns the camera of every frame of an animation, and the direction that the text of each picture states. If
// the animation shows several meshes, in has the box of all of them.
func (d *Drawer) Cameras(ctx context.Context, a Animation, in *Input) (cams []render.Camera, views []View, err error) {
	a = a.full()
	p := a.Picture
	if a.Motion != "keyframes" {
		if in, err = d.Together(ctx, p, in); err != nil {
			return nil, nil, FitError(ctx, err)
		}
	}
	beside, err := p.BesideLegend(in)
	if err != nil {
		return nil, nil, FitError(ctx, err)
	}
	left := a
	left.Picture.Size, left.Picture.Lines.Legend = beside, false
	if cams, views, err = left.cameras(ctx, in); err != nil {
		return nil, nil, FitError(ctx, err)
	}
	for k := range cams {
		cams[k] = p.Widen(cams[k], beside)
	}
	return cams, views, nil
}

// cameras is like Cameras, but for the part of the pictures beside the legend.
func (a *Animation) cameras(ctx context.Context, in *Input) (cams []render.Camera, views []View, err error) {
	p := &a.Picture
	view := p.ViewOf(p.UpOf(in), in.Box)
	views = make([]View, a.Frames)
	turns := make([]float64, a.Frames)
	for k := range views {
		if a.Motion == "turntable" {
			turns[k] = 360 * float64(k) / float64(a.Frames)
		}
		views[k] = View{Azimuth: view.Azimuth + turns[k], Elevation: view.Elevation}
	}
	switch {
	case a.Motion == "flyby":
		cams, err = camera.Flyby(in.Box, p.CameraOptions(p.UpOf(in), in.Box), len(views))
	case a.Motion == "keyframes":
		cams, err = a.path(in)
	case a.Motion == "orbit":
		cams, err = a.circleCameras(ctx, in, views, camera.Circle)
	case a.Motion == "views":
		cams, err = a.circleCameras(ctx, in, views, camera.Sphere(len(views)))
	case p.hasEye() && a.Motion == "turntable":
		cams, err = a.turntableCameras(in)
	case p.hasEye():
		var cam render.Camera
		cam, err = p.Fit(ctx, in)
		cams = slices.Repeat([]render.Camera{cam}, a.Frames)
	default:
		cams, err = p.FitTurn(ctx, in, turns)
	}
	return cams, views, err
}

// path returns the cameras along the keyframes.
func (a *Animation) path(in *Input) ([]render.Camera, error) {
	origin := mgl64.Vec3(in.Source.Info().Origin)
	keys := make([]camera.Keyframe, len(a.Keyframes))
	for i, k := range a.Keyframes {
		keys[i] = camera.Keyframe{Frame: k.Frame, Eye: mgl64.Vec3(*k.Eye).Sub(origin), Target: mgl64.Vec3(k.Target).Sub(origin), FieldOfView: k.Fov, Zoom: k.Zoom}
	}
	cams, err := camera.Path(in.Box, keys, a.Picture.CameraOptions(a.Picture.UpOf(in), in.Box), a.Frames)
	if err != nil {
		return nil, &Error{Unfit, &KeyframesError{err}}
	}
	return cams, nil
}

// turntableCameras returns the cameras of a turntable that starts at Camera.Eye.
func (a *Animation) turntableCameras(in *Input) ([]render.Camera, error) {
	first, err := a.Picture.Placed(in)
	if err != nil {
		return nil, err
	}
	cams, err := camera.Orbit(in.Box, first.Eye, first.Target, a.Picture.CameraOptions(a.Picture.UpOf(in), in.Box), a.Frames)
	for i := range cams {
		cams[i].Magnification = first.Magnification
	}
	return cams, err
}

// SteepestOrbit is the highest elevation in degrees at which an orbit may start. On an orbit through the poles the
// picture would turn over at each pole.
const SteepestOrbit = 89

// circleCameras returns cameras that all see the middle of the mesh from the same distance, and stores their directions
// in views. place computes a direction from the direction of the first camera and the covered part of the way, from 0
// to 1.
func (a *Animation) circleCameras(ctx context.Context, in *Input, views []View, place func(azimuth, elevation, part float64) (az, el float64)) ([]render.Camera, error) {
	p := a.Picture.full()
	o := p.CameraOptions(p.UpOf(in), in.Box)
	options := make([]camera.Options, len(views))
	for k := range options {
		options[k] = o
		options[k].Azimuth, options[k].Elevation = place(o.Azimuth, o.Elevation, float64(k)/float64(len(views)))
		views[k].Azimuth, views[k].Elevation = options[k].Azimuth, options[k].Elevation
	}
	source := in.Source
	if p.Camera.Fit == "box" || in.Parted {
		source = nil
	}
	return camera.FitAround(ctx, source, in.Box, p.Size.Width, p.Size.Height, options)
}
