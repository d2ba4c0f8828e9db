package main

import (
	"context"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render"
)

// cameraFile opens the file of --camera-json, nil without one.
func (c *imageCommand) cameraFile(a *app) (outFile, error) {
	if c.CameraJSON == "" {
		return nil, nil
	}
	if c.ContactSheet > 0 {
		return nil, cli.Usagef("--camera-json is of one view, and --contact-sheet has several")
	}
	return a.create(string(c.CameraJSON))
}

// writeCamera writes the camera, if it is wanted.
func (c *imageCommand) writeCamera(_ context.Context, w *pipeline, cam *render.Camera) error {
	if c.camera == nil {
		return nil
	}
	if err := pictureflags.WriteCamera(c.camera, w.Picture, w.Input, cam); err != nil {
		return err
	}
	return c.camera.Commit()
}
