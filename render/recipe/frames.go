package recipe

import (
	"bytes"
	"context"

	"lockstep/render"
	"lockstep/render/png"
)

// Frames draws an animation of one mesh. For each frame k, in order, it calls the function each with the bytes of the
// file that the command writes into a folder. The file is valid until each returns. If each returns an error, drawing
// ends.
func (d *Drawer) Frames(ctx context.Context, a Animation, o Output, each func(k int, file []byte) error) error {
	if err := a.Validate(); err != nil {
		return &Error{Unfit, err}
	}
	if len(a.More) > 0 {
		return unfit(Name(a.More[0].File), "more", "", "frames are drawn of one mesh")
	}
	if a.Clip != "" {
		return unfit(Name(a.Picture.Meshes[0].File), "clip", "", "frames are drawn of a mesh that does not move")
	}
	a = a.Normal()
	noting := *d
	noting.NoteContents = true
	g, err := noting.Start(ctx, a.Picture, false, nil)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Input.CheckNotEmpty(); err != nil {
		return err
	}
	cams, views, err := d.Cameras(ctx, a, g.Input)
	if err != nil {
		return err
	}
	var pic render.Picture
	var file bytes.Buffer
	var encoder png.Encoder
	for k, cam := range cams {
		stats, err := g.Frame(ctx, g.Input.Source, cam, &pic)
		if err == nil && stats.Covered == 0 {
			err = g.Input.Blank("nothing of it would be visible")
		}
		if err != nil {
			return err
		}
		options := PNGOptions(g.Picture, o)
		options.Text, options.Run = g.Picture.Text(g.Input, cam, views[k]), g.RunTasks(ctx)
		file.Reset()
		if err := encoder.EncodeRGBA(&file, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options); err != nil {
			return err
		}
		if err := each(k, file.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
