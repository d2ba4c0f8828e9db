package view

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"lockstep/internal/webguard"
	"lockstep/render/recipe"
)

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	files, _ := assets.ReadDir("assets")
	for _, file := range files {
		name := file.Name()
		path := "/" + name
		if name == "index.html" {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentTypes[filepath.Ext(name)])
			io.WriteString(w, asset(name))
		})
	}
	mux.HandleFunc("GET /socket", s.socket)
	mux.HandleFunc("POST /picture.png", s.file)
	mux.HandleFunc("POST /command", s.command)
	mux.HandleFunc("POST /drop", s.drop)
	mux.HandleFunc("POST /turn.html", s.turn)
	return webguard.Guard{Remote: s.remote, Token: s.o.Token, Policy: policy}.Wrap(mux)
}

// body reads the request in the body of a POST, and its meshes, or answers why it cannot be.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (*request, choice) {
	var text json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMessage)).Decode(&text); err != nil {
		http.Error(w, "expected a request of at most 4 kB", http.StatusBadRequest)
		return nil, choice{}
	}
	var of choice
	q, err := parse(text)
	if err == nil {
		of, err = s.choose(s.browser(q.Client), q)
	}
	if err == nil {
		q.Picture.Meshes = of.meshes
		err = q.Picture.Validate()
	}
	if err != nil {
		http.Error(w, recipe.FlagWords(err.Error()), http.StatusBadRequest)
		return nil, choice{}
	}
	return q, of
}

// file answers with the file that render writes for a recipe.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	q, of := s.body(w, r)
	if q == nil {
		return
	}
	base, err := s.base(r.Context(), q.File, of)
	if err == nil {
		w.Header().Set("Content-Type", "image/png")
		s.drawing.Lock()
		defer s.drawing.Unlock()
		var png buffer
		if err = s.png(r.Context(), &png, base, q.Picture, of.dropped != nil); err == nil {
			w.Write(png)
			return
		}
	}
	http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
}

// png writes the file of a recipe. Nothing is opened by the name of a file that was dropped.
func (s *Server) png(ctx context.Context, w io.Writer, base *recipe.Base, p recipe.Picture, dropped bool) error {
	d := s.o.Drawer
	if !dropped {
		return d.BasePNG(ctx, w, base, p, recipe.Output{})
	}
	in, err := d.OpenBase(ctx, base, p, p.RenderOptions())
	if err != nil {
		return err
	}
	return d.InputPNG(ctx, w, in, p, recipe.Output{})
}

// Limits of the pictures of a page to turn, of which there are 216.
const maxTurnWidth, maxTurnHeight = 1600, 1200

// turn answers with a page that turns the mesh without a server. One is drawn at a time, between the pictures that pages ask
// for.
func (s *Server) turn(w http.ResponseWriter, r *http.Request) {
	q, of := s.body(w, r)
	if q == nil {
		return
	}
	if q.Size.Width > maxTurnWidth || q.Size.Height > maxTurnHeight {
		http.Error(w, fmt.Sprintf("pages to turn have pictures of at most %dx%d", maxTurnWidth, maxTurnHeight), http.StatusBadRequest)
		return
	}
	if !s.exporting.TryLock() {
		http.Error(w, "another page is being drawn: try again", http.StatusServiceUnavailable)
		return
	}
	defer s.exporting.Unlock()
	base, err := s.base(r.Context(), q.File, of)
	var page buffer
	if err == nil {
		err = s.export(r.Context(), &page, base, ExportOptions{Drawer: s.o.Drawer, Picture: q.Picture, Name: Name(of.meshes[0]), drawing: &s.drawing})
	}
	if err != nil {
		http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment")
	w.Write(page)
}

// export is Export for a mesh that was read.
func (s *Server) export(ctx context.Context, w io.Writer, base *recipe.Base, o ExportOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	d, p := &o.Drawer, o.Picture
	options := drawnBy(d, p)
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
	return o.export(ctx, w, g)
}

// A buffer keeps what is written until all of it is there.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// command answers with the command line that makes the picture of a recipe, and the recipe.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	q, _ := s.body(w, r)
	if q == nil {
		return
	}
	p := q.Picture.Normal()
	args := append([]string{"render", "-o", "picture.png"}, p.Args()...)
	for i := range args {
		args[i] = quoted(args[i])
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		Command string         `json:"command"`
		Recipe  recipe.Picture `json:"recipe"`
	}{strings.Join(args, " "), p})
}

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	plain := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./:,+@%", r))
	}
	if arg != "" && !strings.ContainsFunc(arg, plain) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
