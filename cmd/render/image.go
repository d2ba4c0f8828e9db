package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/recipe"
)

// An imageCommand draws one picture, or a picture of each of several meshes.
type imageCommand struct {
	Output pictureflags.Path `short:"o" placeholder:"FILE" help:".png, .jpg, .svg, .pdf; - is output (MESH's .png)."`

	pictureflags.Draw
	Format pictureflags.Format `placeholder:"KIND" help:"png, jpeg, ... (of the picture), stl, ... (of MESH)."`
	dataFlags
	cropFlags
	folderFlags

	CameraJSON   pictureflags.Path `name:"camera-json" group:"data" placeholder:"FILE" help:"Also write the camera: K, R and t of OpenCV, eye, target, up, and the pixels of the axes."`
	HiddenLines  string            `name:"hidden-lines" group:"lines" enum:"none,dashed" default:"none" placeholder:"HOW" help:"In .svg and .pdf: edges that the surface hides, none or dashed (${default})."`
	ContactSheet sheetFlag         `group:"view" placeholder:"N" help:"Draw 4 or 7 views with their names into one picture, as a drawing."`
	FirstAngle   bool              `name:"first-angle" group:"view" help:"Lay --contact-sheet out in first-angle projection (third-angle)."`

	strips *stripPlan // nil if the picture is drawn as a whole, not in strips
	meshes []meshArg  // all meshes, including those found in folders
	camera outFile    // file of --camera-json; nil if the flag is not given
	folder string     // first folder among the meshes; empty means that there is none

	Sheet gridFlag `group:"view" placeholder:"CxR" help:"Draw many meshes into one picture, of so many columns and rows, with their names."`

	More   []pictureflags.Path `arg:"" optional:"" name:"meshes" help:"More meshes, drawn into the folder that -o names."`
	Resume bool                `group:"data" help:"With several meshes: keep finished pictures."`
}

// run draws the pictures, or prints the recipe. The output files are created before the work, so that a wrong name is
// reported early.
func (c *imageCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	c.MeshFormat = c.Format.Mesh
	if err := c.listMeshes(ctx, a); err != nil {
		return err
	}
	if err := c.checkSheet(); err != nil {
		return err
	}
	if c.drawsSeveral() {
		if c.DumpRecipe {
			return cli.Usagef("--dump-recipe is for one mesh, and there are several")
		}
		return c.runBatch(ctx, a)
	}
	if c.Resume {
		return cli.Usagef("--resume is for several meshes: expected -o FOLDER/")
	}
	if c.DumpRecipe {
		return c.printRecipe(a, out)
	}
	return c.drawOne(ctx, a, nil)
}

// drawOne draws a single picture. The function `opened`, if not nil, is called after the mesh is read and before the
// picture is drawn.
func (c *imageCommand) drawOne(ctx context.Context, a *app, opened func(w *pipeline) error) error {
	picture, data, err := c.createOutputs(a)
	if err != nil {
		return err
	}
	defer picture.Abort()
	defer abortData(data)
	if c.camera, err = c.createCameraFile(a); err != nil {
		return err
	}
	if c.camera != nil {
		defer c.camera.Abort()
	}
	a.warnIgnored(&c.Draw, c.ruleContext(), c.vectorRules()...)
	if c.isVector() {
		return c.drawVector(ctx, a, picture)
	}
	trace, err := a.createTraceFile(&c.Draw)
	if err != nil {
		return err
	}
	defer trace.abort()

	w, err := a.newPipeline(ctx, &c.Draw, c.strips == nil, c.setOptions)
	if err != nil {
		return err
	}
	defer w.close()
	if opened != nil {
		if err := opened(w); err != nil {
			return err
		}
	}
	return c.draw(ctx, w, trace, picture, data)
}

// draw draws the picture, writes its files, and prints the statistics.
func (c *imageCommand) draw(ctx context.Context, w *pipeline, trace *traceFile, picture outFile, data []*dataFile) (err error) {
	if err := w.Input.CheckNotEmpty(); err != nil {
		w.countDroppedMesh()
		return errors.Join(err, w.printStatistics(&c.Draw, nil))
	}
	if err := trace.begin(w, &c.Draw); err != nil {
		return err
	}
	if c.strips != nil {
		err = c.drawStrips(ctx, w, picture, data)
	} else {
		err = c.drawWhole(ctx, w, trace, picture, data)
	}
	if err != nil {
		return err
	}
	if err := trace.commit(); err != nil {
		return err
	}
	if err := w.printStatistics(&c.Draw, nil); err != nil {
		return err
	}
	w.app.announce(w, string(c.Output))
	return nil
}

// printRecipe prints the recipe in its normal form.
func (c *imageCommand) printRecipe(a *app, out io.Writer) error {
	c.ChecksSize = true
	c.setPart()
	if err := a.checkDrawing(&c.Draw); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, c.Picture().Normal())
	return err
}

// setPart copies the flags for parts of pictures and contact sheets into the recipe.
func (c *imageCommand) setPart() {
	c.Part = recipe.Picture{Crop: c.Crop, Trim: c.Trim, Sheet: int(c.ContactSheet), FirstAngle: c.FirstAngle}
}

// setOptions sets the renderer options that depend only on flags of this command.
func (c *imageCommand) setOptions(o *render.Options) {
	c.dataFlags.setDataOptions(o)
	if c.strips != nil {
		*o = c.strips.lowestStripOptions(*o)
	}
}

// drawWhole draws the picture in one piece, and writes its files.
func (c *imageCommand) drawWhole(ctx context.Context, w *pipeline, trace *traceFile, picture outFile, data []*dataFile) error {
	var pic render.Picture
	cam, err := c.drawPicture(ctx, w, &pic)
	if err != nil {
		return err
	}
	if err := trace.flush(); err != nil {
		return err
	}
	return c.write(ctx, w, &pic, cam, picture, data)
}

// drawPicture draws the picture or the contact sheet, and returns its camera.
func (c *imageCommand) drawPicture(ctx context.Context, w *pipeline, pic *render.Picture) (render.Camera, error) {
	if c.ContactSheet > 0 {
		cam, err := w.Sheet(ctx, pic, func(cam render.Camera, view *render.Picture) (render.Stats, error) {
			return w.draw(ctx, w.Input.Source, cam, view)
		})
		return cam, cli.DrawingError(err)
	}
	cam, stats, err := w.drawFitted(ctx, &c.Draw, w.withProgress("drawing"), pic)
	w.app.Progress.End()
	if err == nil && stats.Covered == 0 {
		err = c.blankError(w)
	}
	return cam, err
}

// blankError returns the error for a picture that shows nothing, after printing the statistics.
func (c *imageCommand) blankError(w *pipeline) error {
	return errors.Join(w.Input.Blank("nothing of it would be visible"), w.printStatistics(&c.Draw, nil))
}

// write encodes the picture, the data and the camera, and renames the files to their final names.
func (c *imageCommand) write(ctx context.Context, w *pipeline, pic *render.Picture, cam render.Camera, picture outFile, data []*dataFile) error {
	text := w.Picture.Text(w.Input, cam, w.Picture.OwnView(w.Input))
	if c.Trim {
		w.Trim(pic)
	}
	w.kind = pictureKind(string(c.Output), c.Format.Picture)
	if w.kind == "webp" {
		w.app.warnDPI(string(c.Output), w.dpi)
	}
	if err := w.encode(ctx, picture, pic, text); err != nil {
		return err
	}
	if err := w.encodeData(ctx, data, pic, &cam, text); err != nil {
		return err
	}
	if err := c.writeCamera(ctx, w, &cam); err != nil {
		return err
	}
	for _, f := range data {
		if err := f.out.Commit(); err != nil {
			return err
		}
	}
	return picture.Commit()
}

// createOutputs checks the flags and creates the files of the picture and of the data. If the picture has no name, it
// is named after the mesh.
func (c *imageCommand) createOutputs(a *app) (picture outFile, data []*dataFile, err error) {
	c.ChecksSize = true
	c.setPart()
	if err := a.checkDrawing(&c.Draw); err != nil {
		return nil, nil, err
	}
	if c.Output == "" {
		name, err := defaultOutput(string(c.Mesh))
		if err != nil {
			return nil, nil, err
		}
		c.Output = pictureflags.Path(name)
	}
	name := string(c.Output)
	switch pictureKind(name, c.Format.Picture) {
	case "exr":
		return nil, nil, cli.Usagef("%s: EXR is for --depth, --normals, --ids, --parts and --coverage", name)
	case "webp":
		if err := checkWebP(name, c.drawnSize()); err != nil {
			return nil, nil, err
		}
	}
	if _, err := a.CheckTargets(string(c.Mesh), append([]string{name, string(c.Trace), string(c.CameraJSON)}, c.dataFlags.givenNames()...)...); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(checkFormat(name, c.Format.Picture), c.checkVector()); err != nil {
		return nil, nil, err
	}
	if err := c.checkData(c.Light, c.Format.Picture); err != nil {
		return nil, nil, err
	}
	if !c.isVector() {
		if err := c.checkSize(a); err != nil {
			return nil, nil, err
		}
	}
	if picture, err = a.create(name); err != nil {
		return nil, nil, err
	}
	if data, err = c.dataFlags.open(a); err != nil {
		picture.Abort()
		return nil, nil, err
	}
	return picture, data, nil
}

// createCameraFile creates the file of --camera-json, or returns nil if the flag is not given.
func (c *imageCommand) createCameraFile(a *app) (outFile, error) {
	if c.CameraJSON == "" {
		return nil, nil
	}
	if c.ContactSheet > 0 {
		return nil, cli.Usagef("--camera-json is of one view, and --contact-sheet has several")
	}
	return a.create(string(c.CameraJSON))
}

// writeCamera writes the camera to the file of --camera-json, if there is one.
func (c *imageCommand) writeCamera(_ context.Context, w *pipeline, cam *render.Camera) error {
	if c.camera == nil {
		return nil
	}
	if err := pictureflags.WriteCamera(c.camera, w.Picture, w.Input, cam); err != nil {
		return err
	}
	return c.camera.Commit()
}

// ruleContext returns the properties of this command that determine which flags of pictures are ignored.
func (c *imageCommand) ruleContext() pictureflags.RuleContext {
	b := pictureflags.RuleContext{Sheet: c.ContactSheet > 0, Cells: c.Sheet != (gridFlag{}), Kind: "png", Read: c.Format.Mesh != ""}
	if !c.drawsSeveral() || c.Sheet != (gridFlag{}) {
		b.Kind = pictureKind(string(c.Output), c.Format.Picture)
		b.Lines = isVector(b.Kind)
	}
	return b
}

// SeparateAxesFromNames separates the up axes and placements from the names of meshes. The parser calls it after
// reading all flags, possibly several times.
func (c *imageCommand) SeparateAxesFromNames() error { return c.SplitMeshes(nil, c.More) }

// listMeshes finds the meshes of the command line, including the meshes in folders.
func (c *imageCommand) listMeshes(ctx context.Context, a *app) (err error) {
	meshes := []string{string(c.Mesh)}
	for _, mesh := range c.More {
		meshes = append(meshes, string(mesh))
	}
	c.meshes, c.folder, err = c.expand(ctx, a, meshes, c.Ups)
	return err
}

// drawsSeveral reports whether the command draws several pictures into a folder, or several meshes into a sheet.
func (c *imageCommand) drawsSeveral() bool {
	return len(c.More) > 0 || c.folder != "" || isFolderName(string(c.Output)) || c.Sheet != (gridFlag{})
}

// folderReason returns the part of a message that states why the pictures need a folder.
func (c *imageCommand) folderReason() string {
	if len(c.More) == 0 {
		return c.folder + " is a folder of meshes"
	}
	return "there are several meshes, " + string(c.More[0]) + " among them"
}

// checkSheet returns an error for flags that cannot be combined with a contact sheet.
func (c *imageCommand) checkSheet() error {
	switch {
	case c.ContactSheet == 0:
		return nil
	case c.IsCameraPlaced():
		return cli.Usagef("--contact-sheet has views of its own: --eye and --camera do not go with it")
	case c.Crop != (recipe.Rect{}) || len(c.dataFlags.givenNames()) > 0 || c.Trace != "":
		return cli.Usagef("--contact-sheet is one picture: --crop, --trace and files of data do not go with it")
	case c.drawsSeveral():
		return cli.Usagef("--contact-sheet is of one mesh")
	case c.Size.Width < recipe.LeastSheet || c.Size.Height < recipe.LeastSheet:
		return cli.Usagef("--contact-sheet: expected a --size of at least %dx%d", recipe.LeastSheet, recipe.LeastSheet)
	}
	return nil
}

// drawnSize returns the size of the picture as it is drawn, before it is trimmed.
func (c *imageCommand) drawnSize() recipe.Size {
	if c.Crop != (recipe.Rect{}) {
		return recipe.Size{Width: c.Crop.Width, Height: c.Crop.Height}
	}
	return c.Size
}

// checkBatch returns an error for flags that cannot be combined with several meshes.
func (c *imageCommand) checkBatch(a *app) error {
	c.setPart()
	if err := a.checkDrawing(&c.Draw); err != nil {
		return err
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"--depth", c.Depth != ""}, {"--normals", c.Normals != ""}, {"--ids", c.Ids != ""}, {"--parts", c.Parts != ""}, {"--coverage", c.Coverage != ""},
		{"--camera-json", c.CameraJSON != ""}, {"--trace", c.Trace != ""}, {"--explain", c.Explain},
	} {
		if flag.set {
			return cli.Usagef("%s is for one mesh, and there are several", flag.name)
		}
	}
	if c.Stats == "text" {
		return cli.Usagef("--stats text is for one mesh, and there are several: --stats json prints one line for each")
	}
	if c.Trim && c.Resume {
		return cli.Usagef("--resume knows pictures by their size, and --trim changes it")
	}
	if c.Sheet != (gridFlag{}) {
		return c.checkMeshSheet()
	}
	if kind := c.Format.Picture; kind != "" && kind != "png" {
		return cli.Usagef("--format %s: the pictures of several meshes are PNG", kind)
	}
	folder := string(c.Output)
	switch info, err := os.Stat(folder); {
	case folder == "":
		return cli.Usagef("%s: -o FOLDER/ is missing, for the pictures", c.folderReason())
	case err == nil && info.IsDir():
	case err == nil:
		return cli.Outputf("%s: is not a folder, and there are several meshes", folder)
	case folder == "-" || pictureKinds[strings.ToLower(filepath.Ext(folder))] != "":
		return cli.Usagef("-o %s: %s: expected a folder, such as -o pictures/", folder, c.folderReason())
	}
	return nil
}
