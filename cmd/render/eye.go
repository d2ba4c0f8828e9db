package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
)

// eyeFlags place the camera by points, in the coordinates of the file.
type eyeFlags struct {
	Eye    *pointFlag `group:"look" placeholder:"X,Y,Z" help:"Where the eye is, in coordinates of the file; --view and --fit do not count."`
	Target *pointFlag `group:"look" placeholder:"X,Y,Z" help:"The point in the middle of the picture, with --eye (the middle of the mesh)."`
}

func (f *eyeFlags) check() error {
	if f.Target != nil && f.Eye == nil {
		return usagef("--target wants --eye")
	}
	return nil
}

// A pointFlag is a point in space.
type pointFlag mgl64.Vec3

// Decode implements kong.MapperValue.
func (f *pointFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	parts := strings.Split(s, ",")
	if len(parts) != len(f) {
		return fmt.Errorf("%q: want X,Y,Z", s)
	}
	for i, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || !finite(v) {
			return fmt.Errorf("%q: want X,Y,Z", s)
		}
		f[i] = v
	}
	return nil
}

// look returns the camera at --eye.
func (f *drawFlags) look(in *input) (render.Camera, error) {
	origin := mgl64.Vec3(in.src.Info().Origin)
	target := mgl64.Vec3(in.box.Center())
	if f.Target != nil {
		target = mgl64.Vec3(*f.Target).Sub(origin)
	}
	return render.Look(in.box, mgl64.Vec3(*f.Eye).Sub(origin), target, f.camera(in.up()))
}
