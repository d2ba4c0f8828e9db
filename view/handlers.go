package view

import (
	"context"
	"encoding/json"
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
	mux.HandleFunc("GET /socket", s.serveSocket)
	mux.HandleFunc("POST /picture.png", s.servePicture)
	mux.HandleFunc("POST /command", s.serveCommandLines)
	mux.HandleFunc("POST /drop", s.serveDrop)
	mux.HandleFunc("POST /turn.html", s.serveFile("text/html; charset=utf-8", s.writePage))
	mux.HandleFunc("POST /turn.gif", s.serveFile("image/gif", s.writeFilm))
	return webguard.Guard{Remote: s.remote, Token: s.options.Token, Policy: policy}.Wrap(mux)
}

// parseBody reads the request in the body of a POST, and finds the meshes of the request. If it fails, it responds with
// an error and returns nil.
func (s *Server) parseBody(w http.ResponseWriter, r *http.Request) (*request, meshChoice) {
	var text json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMessage)).Decode(&text); err != nil {
		http.Error(w, "expected a request of at most 4 kB", http.StatusBadRequest)
		return nil, meshChoice{}
	}
	var of meshChoice
	q, err := parseRequest(text)
	if err == nil {
		of, err = s.chooseMeshes(s.browser(q.Client), q)
	}
	if err == nil {
		q.Picture.Meshes = of.meshes
		err = q.Picture.Validate()
	}
	if err != nil {
		http.Error(w, recipe.FlagWords(err.Error()), http.StatusBadRequest)
		return nil, meshChoice{}
	}
	return q, of
}

// servePicture responds with the file that the command render writes for a recipe.
func (s *Server) servePicture(w http.ResponseWriter, r *http.Request) {
	q, of := s.parseBody(w, r)
	if q == nil {
		return
	}
	base, err := s.firstMesh(r.Context(), q.File, of)
	if err == nil {
		w.Header().Set("Content-Type", "image/png")
		s.drawing.Lock()
		defer s.drawing.Unlock()
		var png buffer
		if err = s.writePNG(r.Context(), &png, base, q.Picture, of.dropped != nil); err == nil {
			w.Write(png)
			return
		}
	}
	http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
}

// writePNG writes the file of a recipe whose mesh is `base`. For a dropped mesh it opens no file, because the name of
// such a mesh comes from the browser.
func (s *Server) writePNG(ctx context.Context, w io.Writer, base *recipe.Base, p recipe.Picture, dropped bool) error {
	d := s.options.Drawer
	if !dropped {
		return d.BasePNG(ctx, w, base, p, recipe.Output{})
	}
	in, err := d.OpenBase(ctx, base, p, p.RenderOptions())
	if err != nil {
		return err
	}
	return d.InputPNG(ctx, w, in, p)
}

// A buffer collects a whole file before the response begins. So if writing the file fails, the response is the error
// message instead of an incomplete file.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// serveCommandLines responds with the recipe, and with the command lines that draw its picture and its film.
func (s *Server) serveCommandLines(w http.ResponseWriter, r *http.Request) {
	q, _ := s.parseBody(w, r)
	if q == nil {
		return
	}
	p := q.Picture.Normal()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		Command string         `json:"command"`
		Film    string         `json:"film"`
		Recipe  recipe.Picture `json:"recipe"`
	}{
		shellCommand(append([]string{"render", "-o", "picture.png"}, p.Args()...)),
		shellCommand(append([]string{"render", "animate", "-o", "turn.gif"}, turntable(p).Args()...)), p,
	})
}

// shellCommand returns arguments as a command line for a shell.
func shellCommand(args []string) string {
	for i := range args {
		args[i] = shellQuoted(args[i])
	}
	return strings.Join(args, " ")
}

// shellQuoted returns an argument, in quotes if a shell requires them.
func shellQuoted(arg string) string {
	plain := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./:,+@%", r))
	}
	if arg != "" && !strings.ContainsFunc(arg, plain) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
