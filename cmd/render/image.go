package main

import (
	"context"
	"errors"
	"io"

	"lockstep/render"
)

// An imageCommand draws one picture.
type imageCommand struct {
	Output pathFlag `short:"o" placeholder:"FILE" help:".png, .jpg, .tif, .bmp; - is output (MESH's .png)."`

	drawFlags
	Format formatFlag `placeholder:"KIND" help:"png, jpeg, ... (of the picture), stl, ... (of MESH)."`
	Depth  pathFlag   `placeholder:"FILE" help:"Also write distances: 16-bit .png or float .tif."`

	More   []pathFlag `arg:"" optional:"" name:"meshes" help:"More meshes, drawn into the folder that -o names."`
	Resume bool       `help:"With several meshes: keep finished pictures."`
}

// run draws the picture. Outputs are opened first: a wrong name shows before the work.
func (c *imageCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if listScenes(c.Mesh, out) {
		return nil
	}
	c.meshFormat = c.Format.mesh
	if c.several() {
		return c.runBatch(ctx, a)
	}
	if c.Resume {
		return usagef("--resume is for several meshes: want -o FOLDER/")
	}
	picture, depth, err := c.open(a)
	if err != nil {
		return err
	}
	defer picture.Abort()
	if depth != nil {
		defer depth.Abort()
	}
	trace, err := c.traceFile(a)
	if err != nil {
		return err
	}
	defer trace.abort()

	w, err := c.newPipeline(ctx, a, true, func(o *render.Options) { o.Depth = c.Depth != "" })
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.checkNotEmpty(); err != nil {
		w.addDropped()
		return errors.Join(err, w.report(&c.drawFlags, nil))
	}
	cam, err := c.fit(ctx, w.in)
	if err != nil {
		return err
	}
	if err := trace.begin(w, &c.drawFlags); err != nil {
		return err
	}
	var pic render.Picture
	src := w.withProgress("drawing")
	stats, err := w.draw(ctx, src, cam, &pic)
	a.progress.End()
	if err != nil {
		return err
	}
	if stats.Covered == 0 {
		return errors.Join(blankf("%s: nothing of it would be visible", w.in.name), w.report(&c.drawFlags, nil))
	}
	if err := trace.flush(); err != nil {
		return err
	}
	if err := c.write(ctx, w, &pic, cam, picture, depth); err != nil {
		return err
	}
	if err := trace.commit(); err != nil {
		return err
	}
	if err := w.report(&c.drawFlags, nil); err != nil {
		return err
	}
	a.announce(w, string(c.Output))
	return nil
}

// write encodes the picture and, unless depth is nil, its depths.
func (c *imageCommand) write(ctx context.Context, w *pipeline, pic *render.Picture, cam render.Camera, picture, depth outFile) error {
	text := c.describe(w.in, cam, c.View.Azimuth)
	w.kind = pictureKind(string(c.Output), c.Format.picture)
	w.depthKind = pictureKind(string(c.Depth), "")
	if err := w.encode(ctx, picture, pic, text); err != nil {
		return err
	}
	if err := w.encodeDepth(ctx, depth, pic, text); err != nil {
		return err
	}
	return commitAll(depth, picture)
}

// open opens the picture and, when asked for, the depth, else nil. Without a name
// the picture gets one of the mesh.
func (c *imageCommand) open(a *app) (picture, depth outFile, err error) {
	if err := c.check(a); err != nil {
		return nil, nil, err
	}
	if c.Output == "" {
		name, err := defaultOutput(string(c.Mesh))
		if err != nil {
			return nil, nil, err
		}
		c.Output = pathFlag(name)
	}
	name := string(c.Output)
	if _, err := a.checkTargets(string(c.Mesh), name, string(c.Depth), string(c.Trace)); err != nil {
		return nil, nil, err
	}
	if err := checkFormat(name, c.Format.picture); err != nil {
		return nil, nil, err
	}
	if err := c.checkDepth(); err != nil {
		return nil, nil, err
	}
	if picture, err = a.create(name); err != nil {
		return nil, nil, err
	}
	if c.Depth == "" {
		return picture, nil, nil
	}
	if depth, err = a.create(string(c.Depth)); err != nil {
		picture.Abort()
		return nil, nil, err
	}
	return picture, depth, nil
}

// checkDepth refuses distances in formats that do not hold them.
func (c *imageCommand) checkDepth() error {
	file := string(c.Depth)
	if err := checkFormat(file, ""); err != nil {
		if c.Format.picture == "png" && !isFolder(file) {
			return nil
		}
		return err
	}
	if kind := pictureKind(file, ""); file != "" && kind != "png" && kind != "tiff" {
		return usagef("%s: distances want .png or .tif", file)
	}
	return nil
}

// commitAll gives the files their names; nil ones are skipped.
func commitAll(files ...outFile) error {
	for _, f := range files {
		if f == nil {
			continue
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}
