package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/motion"
)

// A keyframe is one of a file of keyframes, in coordinates of the mesh's file.
type keyframe struct {
	Frame  float64     `json:"frame"`
	Eye    *[3]float64 `json:"eye"`
	Target [3]float64  `json:"target"`
	FOV    float64     `json:"fov"`
	Zoom   float64     `json:"zoom"`
}

// readKeyframes reads a JSON array of keyframes.
func readKeyframes(name string) ([]motion.Keyframe, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, inputf("%s: %w", name, fileCause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostKeyframes))
	if err != nil {
		return nil, inputf("%s: %w", name, fileCause(err))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var list []keyframe
	if err := d.Decode(&list); err != nil {
		return nil, inputf("%s: %w", name, err)
	}
	keys := make([]motion.Keyframe, len(list))
	for i, k := range list {
		if k.Eye == nil {
			return nil, inputf("%s: keyframe %d: want an eye", name, i+1)
		}
		if k.FOV != 0 && !(minFov <= k.FOV && k.FOV <= maxFov) {
			return nil, inputf("%s: keyframe %d: fov %g: want %v to %v degrees", name, i+1, k.FOV, minFov, maxFov)
		}
		keys[i] = motion.Keyframe{Frame: k.Frame, Eye: *k.Eye, Target: k.Target, FieldOfView: k.FOV, Zoom: k.Zoom}
	}
	return keys, nil
}

// mostKeyframes bounds the size of a file of keyframes.
const mostKeyframes = 16 << 20

// keyframed returns the cameras of --keyframes.
func (c *animateCommand) keyframed(in *input) ([]render.Camera, error) {
	keys, err := readKeyframes(string(c.Keyframes))
	if err != nil {
		return nil, err
	}
	origin := mgl64.Vec3(in.src.Info().Origin)
	for i := range keys {
		keys[i].Eye, keys[i].Target = keys[i].Eye.Sub(origin), keys[i].Target.Sub(origin)
	}
	cams, err := motion.Path(in.box, keys, c.camera(in.up()), int(c.Frames))
	if err != nil {
		return nil, inputf("%s: %w", c.Keyframes, err)
	}
	return cams, nil
}

// orbit returns the cameras of a turntable from --eye or --camera on.
func (c *animateCommand) orbit(in *input) ([]render.Camera, error) {
	first, err := c.look(in)
	if err != nil {
		return nil, err
	}
	o := c.camera(in.up())
	cams, err := motion.Orbit(in.box, first.Eye, first.Target, o, int(c.Frames))
	for i := range cams {
		cams[i].Magnification = first.Magnification
	}
	return cams, err
}

// fileCause returns the cause of an error about a file, without the name that the message
// has anyway.
func fileCause(err error) error {
	if path, ok := err.(interface{ Unwrap() error }); ok {
		return path.Unwrap()
	}
	return fmt.Errorf("%w", err)
}
