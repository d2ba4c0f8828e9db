package view

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"sync"

	"lockstep/render"
	"lockstep/render/jpeg"
	"lockstep/render/recipe"
)

// ExportOptions are the options of an exported page. Zero values of fields mean the defaults.
type ExportOptions struct {
	Drawer recipe.Drawer
	// Picture is the picture that the page shows, with its mesh. Its camera has the direction of the first picture. A
	// zero Size means ExportSize.
	Picture recipe.Picture
	// Name is the title of the page.
	Name string
	// Columns is the number of pictures in each row around the mesh. 0 means 72.
	Columns int
	// Quality is the quality of the JPEG pictures. 0 means 82.
	Quality int
	// Progress, if not nil, is called after each picture.
	Progress func(done, total int)

	drawing sync.Locker // if not nil, held while a picture is drawn
}

// ExportSize is the default size of the pictures of an exported page. With 216 pictures of this size the page has 4 to
// 8 MB for most meshes.
var ExportSize = recipe.Size{Width: 800, Height: 600}

const (
	exportColumns = 72
	exportQuality = 82
	maxColumns    = 720
)

// exportTilts are angles in degrees, one for each row of pictures. They are added to the elevation of the recipe. By
// default the elevations of the rows are 5, 20 and 50 degrees.
var exportTilts = [...]float64{-15, 0, 30}

// maxElevation is the largest elevation of a row in degrees. If the camera were higher, the mesh would seem to turn
// over between two rows.
const maxElevation = 85

// Export writes a page on which the user can turn a mesh in the browser without a server. The page contains pictures
// from all directions at three elevations. A script shows the one that the user chooses by dragging or with the arrow
// keys. Texts from the mesh appear on the page only as escaped text.
func Export(ctx context.Context, w io.Writer, o ExportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	g, err := o.Drawer.Start(ctx, o.Picture, false, nil)
	if err != nil {
		return err
	}
	defer g.Close()
	return o.export(ctx, w, g)
}

// check fills in the defaults, and returns an error if an option is invalid.
func (o *ExportOptions) check() error {
	o.Columns, o.Quality = cmp.Or(o.Columns, exportColumns), cmp.Or(o.Quality, exportQuality)
	if o.Picture.Size == (recipe.Size{}) {
		o.Picture.Size = ExportSize
	}
	switch {
	case o.Columns < 1 || o.Columns > maxColumns:
		return fmt.Errorf("view: %d pictures around a mesh: expected 1 to %d", o.Columns, maxColumns)
	case o.Picture.Camera.Eye != nil:
		return errors.New("view: a page to turn looks from all sides: expected camera.view in place of camera.eye")
	case o.Picture.Sheet > 0 || o.Picture.Trim || o.Picture.Crop != (recipe.Rect{}):
		return errors.New("view: crop, trim and sheet are not for a page to turn")
	}
	return nil
}

// export writes the page of the mesh that g draws.
func (o *ExportOptions) export(ctx context.Context, w io.Writer, g *recipe.Drawing) error {
	if err := g.Input.CheckNotEmpty(); err != nil {
		return err
	}
	cams, elevations, err := o.cameras(ctx, g.Input)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := o.write(ctx, out, g, cams, elevations); err != nil {
		return err
	}
	return out.Flush()
}

// cameras returns the cameras of all rows, from the lowest row up, and the elevations of the rows. Each row has a zoom
// with which the mesh has the same size in all pictures.
func (o *ExportOptions) cameras(ctx context.Context, in *recipe.Input) (cams []render.Camera, elevations []float64, err error) {
	view := o.Picture.ViewOf(o.Picture.UpOf(in), in.Box)
	var rows [len(exportTilts)]recipe.Animation
	var scales [len(exportTilts)]float64
	for i, tilt := range exportTilts {
		elevation := max(-maxElevation, min(maxElevation, view.Elevation+tilt))
		elevations = append(elevations, math.Round(elevation*10)/10)
		rows[i] = recipe.Animation{Picture: o.Picture, Motion: "turntable", Frames: o.Columns}
		rows[i].Picture.Camera.View = &recipe.View{Azimuth: view.Azimuth, Elevation: elevation}
		row, _, err := o.Drawer.Cameras(ctx, rows[i], in)
		if err != nil {
			return nil, nil, err
		}
		scales[i] = unitLength(&row[0])
	}
	least := min(scales[0], scales[1], scales[2])
	for i := range rows {
		zoom := &rows[i].Picture.Camera.Zoom
		*zoom = cmp.Or(*zoom, 1) * least / scales[i]
		row, _, err := o.Drawer.Cameras(ctx, rows[i], in)
		if err != nil {
			return nil, nil, err
		}
		cams = append(cams, row...)
	}
	return cams, elevations, nil
}

// unitLength returns the length of one unit of the mesh at the camera's target, in heights of the picture.
func unitLength(cam *render.Camera) float64 {
	if cam.Orthographic {
		return cam.Magnification
	}
	return cam.Magnification / cam.Target.Sub(cam.Eye).Len()
}

// write writes the page. It contains the first picture twice. One copy is shown by browsers without scripts.
func (o *ExportOptions) write(ctx context.Context, w *bufio.Writer, g *recipe.Drawing, cams []render.Camera, elevations []float64) error {
	e := exporter{options: o, drawing: g}
	first, err := e.drawJPEG(ctx, &cams[len(exportTilts)/2*o.Columns])
	if err != nil {
		return err
	}
	script, style := asset("turn.js"), asset("turn.css")
	angles, err := json.Marshal(elevations)
	if err != nil {
		return err
	}
	name := html.EscapeString(o.Name)
	fmt.Fprintf(w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '%s'; script-src '%s'">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main>
<figure>
<div id="turn" tabindex="0" role="slider" aria-label="%s: drag it, or use the arrow keys, to turn it" aria-orientation="horizontal" aria-valuemin="0" aria-valuemax="360" aria-valuenow="0" data-elevations="%s">
<img alt="%s" width="%d" height="%d" decoding="sync" src="data:image/jpeg;base64,%s">
</div>
<figcaption><h1>%s</h1></figcaption>
</figure>
</main>
<script type="application/json" id="pictures">[`,
		policyHash(style), policyHash(script), name, style, name, angles, name, g.Width, g.Height, first, name)
	for k := range cams {
		picture, err := e.drawJPEG(ctx, &cams[k])
		if err != nil {
			return err
		}
		if k > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, "\n%q", picture)
		if o.Progress != nil {
			o.Progress(k+1, len(cams))
		}
	}
	_, err = fmt.Fprintf(w, "]</script>\n<script>%s</script>\n</body>\n</html>\n", script)
	return err
}

// An exporter draws and encodes the pictures of a page.
type exporter struct {
	options *ExportOptions
	drawing *recipe.Drawing
	pic     render.Picture
	encoder jpeg.Encoder
	file    bytes.Buffer
}

// drawJPEG draws a picture and returns it as JPEG in base64.
func (e *exporter) drawJPEG(ctx context.Context, cam *render.Camera) (string, error) {
	if lock := e.options.drawing; lock != nil {
		lock.Lock()
		defer lock.Unlock()
	}
	g := e.drawing
	stats, err := g.Frame(ctx, g.Input.Source, *cam, &e.pic)
	if err == nil && stats.Covered == 0 {
		err = g.Input.Blank("nothing of it would be visible")
	}
	if err != nil {
		return "", err
	}
	e.file.Reset()
	o := &jpeg.Options{Quality: e.options.Quality, Run: g.RunTasks(ctx)}
	if err := e.encoder.EncodeRGBA(&e.file, e.pic.Pix, 4*e.pic.Width, e.pic.Width, e.pic.Height, o); err != nil {
		return "", errors.Join(ctx.Err(), err)
	}
	return base64.StdEncoding.EncodeToString(e.file.Bytes()), nil
}

// asset returns the text of a file in assets.
func asset(name string) string {
	b, _ := assets.ReadFile("assets/" + name)
	return string(b)
}

// policyHash returns the hash of a text in the form of a Content-Security-Policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
