package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/motion"
	"lockstep/render/recipe"
)

// A keyframe is one of a file of keyframes, in coordinates of the mesh's file.
type keyframe struct {
	Frame  float64    `json:"frame"`
	Eye    *jsonPoint `json:"eye"`
	Target jsonPoint  `json:"target"`
	FOV    float64    `json:"fov"`
	Zoom   float64    `json:"zoom"`
}

// readKeyframes reads keyframes as cameras move by them.
func readKeyframes(name string) ([]motion.Keyframe, error) {
	list, err := readKeys(name)
	if err != nil {
		return nil, err
	}
	keys := make([]motion.Keyframe, len(list))
	for i, k := range list {
		keys[i] = motion.Keyframe{Frame: k.Frame, Eye: mgl64.Vec3(*k.Eye), Target: mgl64.Vec3(k.Target), FieldOfView: k.Fov, Zoom: k.Zoom}
	}
	return keys, nil
}

// readKeys reads a JSON array of keyframes: of a file, or the value of the flag itself, as recipes have it.
func readKeys(name string) ([]recipe.Keyframe, error) {
	text := []byte(name)
	if !inlineKeys(name) {
		var err error
		if text, err = readSmall(name, mostKeyframes); err != nil {
			return nil, inputf("%s: %w", name, fileCause(err))
		}
	} else {
		name = "--keyframes"
	}
	var list []keyframe
	if err := readJSON(text, &list); err != nil {
		return nil, inputf("%s: %w", name, err)
	}
	keys := make([]recipe.Keyframe, len(list))
	for i, k := range list {
		if k.Eye == nil {
			return nil, inputf("%s: keyframe %d: expected an eye", name, i+1)
		}
		if k.FOV != 0 && !(recipe.MinFov <= k.FOV && k.FOV <= recipe.MaxFov) {
			return nil, inputf("%s: keyframe %d: fov %g: expected %v to %v degrees", name, i+1, k.FOV, recipe.MinFov, recipe.MaxFov)
		}
		keys[i] = recipe.Keyframe{Frame: k.Frame, Eye: (*recipe.Point)(k.Eye), Target: recipe.Point(k.Target), Fov: k.FOV, Zoom: k.Zoom}
	}
	return keys, nil
}

// inlineKeys reports whether the value of --keyframes is no file but what one would say.
func inlineKeys(name string) bool { return strings.HasPrefix(name, "[") && !exists(name) }

// mostKeyframes bounds the size of a file of keyframes.
const mostKeyframes = 16 << 20

// keyframed returns the cameras of --keyframes.
func (c *animateCommand) keyframed(in *input) ([]render.Camera, error) {
	keys, err := readKeyframes(string(c.Keyframes))
	if err != nil {
		return nil, err
	}
	origin := mgl64.Vec3(in.Source.Info().Origin)
	for i := range keys {
		keys[i].Eye, keys[i].Target = keys[i].Eye.Sub(origin), keys[i].Target.Sub(origin)
	}
	cams, err := motion.Path(in.Box, keys, c.camera(in), int(c.Frames))
	if err != nil {
		return nil, inputf("%s: %w", c.Keyframes, err)
	}
	return cams, nil
}

// defaultFrames is how many pictures an animation has: five degrees each of a turntable, three seconds of a
// film.
const defaultFrames = 72

// setDefaults chooses the motion and the number of pictures where none was given: a turntable, and all frames
// of a file of keyframes.
func (c *animateCommand) setDefaults() error {
	if !c.Still && !c.Orbit && !c.Flyby && c.Keyframes == "" && len(c.More) == 0 {
		c.Turntable = true
	}
	if c.Frames > 0 {
		return nil
	}
	c.Frames = defaultFrames
	if c.Keyframes == "" {
		return nil
	}
	keys, err := readKeyframes(string(c.Keyframes))
	if err != nil || len(keys) == 0 {
		return err // keyframed says what is wrong with no keyframes
	}
	last := keys[len(keys)-1].Frame
	if !(last >= 0 && last < mostFrames) {
		return inputf("%s: keyframe %d: frame %.7g: expected 0 to %d", c.Keyframes, len(keys), last, mostFrames-1)
	}
	c.Frames = framesFlag(last) + 1
	return nil
}

// around returns the cameras of a turntable from --eye or --camera on.
func (c *animateCommand) around(ctx context.Context, in *input) ([]render.Camera, error) {
	first, err := c.placedCamera(ctx, in)
	if err != nil {
		return nil, err
	}
	o := c.camera(in)
	cams, err := motion.Orbit(in.Box, first.Eye, first.Target, o, int(c.Frames))
	for i := range cams {
		cams[i].Magnification = first.Magnification
	}
	return cams, err
}

// still returns one camera for all frames.
func (c *animateCommand) still(ctx context.Context, in *input) ([]render.Camera, error) {
	cam, err := c.fit(ctx, in)
	return slices.Repeat([]render.Camera{cam}, int(c.Frames)), err
}

// steepestOrbit is the highest elevation in degrees from which an orbit begins: those
// through the poles would turn their picture over there.
const steepestOrbit = 89

// circle returns the cameras of --orbit and sets their directions.
func (c *animateCommand) circle(ctx context.Context, in *input, views []recipe.View) ([]render.Camera, error) {
	o := c.camera(in)
	options := make([]render.CameraOptions, len(views))
	for k := range options {
		options[k] = o
		options[k].Azimuth, options[k].Elevation = motion.Circle(o.Azimuth, o.Elevation, float64(k)/float64(len(views)))
		views[k].Azimuth, views[k].Elevation = options[k].Azimuth, options[k].Elevation
	}
	source := in.Source
	if c.full().Camera.Fit == "box" || in.Parted {
		source = nil
	}
	return render.FitAround(ctx, source, in.Box, c.Size.Width, c.Size.Height, options)
}

// fileCause returns the cause of an error about a file, without the name that the message
// has anyway.
func fileCause(err error) error {
	if path, ok := err.(interface{ Unwrap() error }); ok {
		return path.Unwrap()
	}
	return fmt.Errorf("%w", err)
}
