package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"lockstep/render"
	"lockstep/render/encode"
	"lockstep/render/recipe"
)

// maxTurnWidth and maxTurnHeight limit the pictures of a film, and those of a page on which the user can turn the
// mesh. Such a page has 216 pictures.
const maxTurnWidth, maxTurnHeight = 1600, 1200

// serveFile returns a handler that responds with a file of many pictures. The function write makes the file. Only one
// such file is made at a time. Its pictures are drawn between the pictures for pages. So movements on pages may take
// longer, and their quality may fall by a level.
func (s *Server) serveFile(kind string, write func(context.Context, io.Writer, recipe.Picture, *recipe.Drawing) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, of := s.parseBody(w, r)
		if q == nil {
			return
		}
		if q.Size.Width > maxTurnWidth || q.Size.Height > maxTurnHeight {
			http.Error(w, fmt.Sprintf("films and pages to turn have pictures of at most %dx%d", maxTurnWidth, maxTurnHeight), http.StatusBadRequest)
			return
		}
		if !s.exporting.TryLock() {
			http.Error(w, "another page or film is being drawn: try again", http.StatusServiceUnavailable)
			return
		}
		defer s.exporting.Unlock()
		base, err := s.firstMesh(r.Context(), q.File, of)
		var file buffer
		if err == nil {
			err = s.withDrawing(r.Context(), base, q.Picture, func(g *recipe.Drawing) error { return write(r.Context(), &file, q.Picture, g) })
		}
		if err != nil {
			http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", "attachment")
		w.Write(file)
	}
}

// withDrawing calls draw with a drawing of a recipe whose mesh is `base`.
func (s *Server) withDrawing(ctx context.Context, base *recipe.Base, p recipe.Picture, draw func(*recipe.Drawing) error) error {
	d := &s.options.Drawer
	options := renderOptions(d, p)
	in, err := d.OpenBase(ctx, base, p, options)
	if err != nil {
		return err
	}
	g, err := d.Begin(p, d.Look(p, in, options))
	if err != nil {
		return err
	}
	defer g.Renderer.Close()
	g.Input = in
	return draw(g)
}

// writePage writes a page on which the user can turn the mesh without a server, see Export.
func (s *Server) writePage(ctx context.Context, w io.Writer, p recipe.Picture, g *recipe.Drawing) error {
	o := ExportOptions{Drawer: s.options.Drawer, Picture: p, Name: Name(p.Meshes[0]), drawing: &s.drawing}
	if err := o.check(); err != nil {
		return err
	}
	return o.export(ctx, w, g)
}

// filmDelay is the time for which each picture of a film is shown, in hundredths of a second. Like the command render
// animate, it gives 25 pictures per second.
const filmDelay = 4

// turntable returns the recipe of a page's film. In the film the mesh turns once around the up axis.
func turntable(p recipe.Picture) recipe.Animation { return recipe.Animation{Picture: p} }

// writeFilm writes a GIF in which the mesh turns once. The command render animate writes the same file.
func (s *Server) writeFilm(ctx context.Context, w io.Writer, p recipe.Picture, g *recipe.Drawing) error {
	a := turntable(p)
	if err := errors.Join(a.Validate(), g.Input.CheckNotEmpty()); err != nil {
		return err
	}
	cams, _, err := s.options.Drawer.Cameras(ctx, a, g.Input)
	if err != nil {
		return err
	}
	gif, err := encode.NewGIF(w, g.Width, g.Height, filmDelay)
	if err != nil {
		return err
	}
	var pic render.Picture
	var covered int64
	for _, cam := range cams {
		samples, err := s.drawFrame(ctx, g, cam, &pic)
		if err != nil {
			return err
		}
		covered += samples
		if err := gif.Frame(pic.Pix); err != nil {
			return err
		}
	}
	if covered == 0 {
		return g.Input.Blank("nothing of it would be visible on any frame")
	}
	return gif.Close()
}

// drawFrame draws a picture of a file, and returns how many pixels show the mesh. It first waits until no picture for a
// page is being drawn.
func (s *Server) drawFrame(ctx context.Context, g *recipe.Drawing, cam render.Camera, pic *render.Picture) (covered int64, err error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	stats, err := g.Frame(ctx, g.Input.Source, cam, pic)
	return stats.Covered, err
}
