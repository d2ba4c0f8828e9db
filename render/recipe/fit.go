package recipe

import (
	"context"
	"errors"
	"fmt"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// Fit returns the camera for a picture of an input.
func (p Picture) Fit(ctx context.Context, in *Input) (cam render.Camera, err error) {
	beside, err := p.BesideLegend(in)
	if err != nil {
		return cam, FitError(ctx, err)
	}
	o := p.CameraOptions(p.UpOf(in), in.Box)
	switch {
	case p.hasEye():
		cam, err = p.Placed(in)
	case p.full().Camera.Fit == "tight" && !in.Parted:
		var cams []render.Camera
		cams, err = p.fitWithShadow(ctx, in, o, func(o camera.Options) ([]render.Camera, error) {
			cam, err := camera.FitTight(ctx, in.Source, in.Box, beside.Width, beside.Height, o)
			return []render.Camera{cam}, err
		})
		if err == nil {
			cam = cams[0]
		}
	default:
		cam, err = camera.Fit(in.Box, beside.Width, beside.Height, o)
	}
	return p.Widen(cam, beside), FitError(ctx, err)
}

// fitWithShadow calls fit so that the cameras also see the shadow beside the mesh, if they look at it from above. All
// cameras have the same elevation, so the first camera decides for all.
func (p *Picture) fitWithShadow(ctx context.Context, in *Input, o camera.Options, fit func(o camera.Options) ([]render.Camera, error)) ([]render.Camera, error) {
	if !p.shadows(in) {
		return fit(o)
	}
	g, err := in.shadow(ctx, p)
	if err != nil {
		return nil, err
	}
	shadowed := o
	shadowed.Beside = g.Outline(minShade)
	if cams, err := fit(shadowed); err != nil || len(cams) == 0 || g.Below(&cams[0]) {
		return cams, err
	}
	return fit(o) // the shadow is not visible from below, so it needs no space
}

// Placed returns the camera whose eye is at Camera.Eye.
func (p Picture) Placed(in *Input) (render.Camera, error) {
	return p.Place(in.Box, in.Source.Info().Origin, p.UpOf(in))
}

// FitTurn returns the cameras of a turntable. turns are the angles in degrees by which the eye is turned.
func (p Picture) FitTurn(ctx context.Context, in *Input, turns []float64) ([]render.Camera, error) {
	f := p.full()
	o := p.CameraOptions(p.UpOf(in), in.Box)
	if f.Camera.Fit == "tight" && !in.Parted {
		return p.fitWithShadow(ctx, in, o, func(o camera.Options) ([]render.Camera, error) {
			return camera.FitTightTurn(ctx, in.Source, in.Box, f.Size.Width, f.Size.Height, o, turns)
		})
	}
	return camera.FitTurn(in.Box, f.Size.Width, f.Size.Height, o, turns)
}

// FitError turns an error of fitting a camera into an error with a Kind.
func FitError(ctx context.Context, err error) error {
	var known *Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, render.ErrBlank):
		return &Error{Blank, err}
	}
	return &Error{Unfit, err}
}

// Fitted calls draw with a camera that is fitted to the mesh, and returns the camera and the statistics of draw. If the
// picture is blank because some triangles are far away from the others, as damaged numbers cause, Fitted warns and
// calls draw again with a camera that is fitted to the other triangles.
func (g *Drawing) Fitted(ctx context.Context, draw func(cam render.Camera) (render.Stats, error)) (render.Camera, render.Stats, error) {
	p, in := &g.Picture, g.Input
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return cam, render.Stats{}, err
	}
	stats, err := draw(cam)
	if err != nil || stats.Covered > 0 || p.hasEye() {
		return cam, stats, err
	}
	core, far, err := scenes.Core(ctx, in.Source, in.Box, g.Renderer.Options().Workers)
	if err != nil || far == 0 || core.Empty() {
		return cam, stats, err
	}
	if p.Crop != (Rect{}) { // the whole picture decides, not this part of it
		var whole render.Picture
		if all, err := g.Renderer.Frame(ctx, in.Source, cam, &whole); err == nil && all.Covered > 0 || ctx.Err() != nil {
			return cam, stats, ctx.Err()
		}
	}
	near, err := p.Fit(ctx, in.withCore(core))
	if err != nil {
		return cam, stats, err
	}
	again, err := draw(near)
	if err != nil || again.Covered == 0 {
		return cam, stats, err
	}
	g.drawer.warnFar(in, "the picture is", far)
	return near, again, nil
}

// warnFar warns that `far` triangles are far away from the others, and that pictures are fitted to the others. what
// names the pictures in the message, such as "the picture is".
func (d *Drawer) warnFar(in *Input, what string, far int) {
	d.warn(fmt.Sprintf("%s: %s of %d far away from the others: %s fitted to those", in.Name, phrase.Plural(int64(far), "triangle"), in.Source.Len(), what))
}

// Together returns the input to which cameras are fitted if a blank picture cannot be drawn again with another camera.
// Usually this is `in` itself. If some triangles are so far away that the others would be smaller than a pixel, it is a
// copy with the box of the others.
func (d *Drawer) Together(ctx context.Context, p Picture, in *Input) (*Input, error) {
	if p.hasEye() || in.Box.Empty() {
		return in, nil
	}
	core, far, err := scenes.Core(ctx, in.Source, in.Box, d.Workers)
	if err != nil || far == 0 || core.Empty() {
		return in, err
	}
	f := p.full()
	pixels := float64(max(f.Size.Width, f.Size.Height)) * f.Camera.Zoom
	if extent(core)*pixels >= extent(in.Box) {
		return in, nil
	}
	d.warnFar(in, "the pictures are", far)
	return in.withCore(core), nil
}

// extent returns the longest side of a box.
func extent(b scenes.Box) float64 {
	size := b.Size()
	return max(size[0], size[1], size[2])
}
