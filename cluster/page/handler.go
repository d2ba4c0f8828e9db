package page

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"

	"lockstep/cluster"
	"lockstep/internal/webguard"
)

//go:embed assets
var assets embed.FS

// assetTypes are the content types of the assets. The operating system has such a table too, but it may be wrong.
var assetTypes = map[string]string{
	"index.html": "text/html; charset=utf-8",
	"page.js":    "text/javascript; charset=utf-8",
	"grid.js":    "text/javascript; charset=utf-8",
	"style.css":  "text/css; charset=utf-8",
	"icon.svg":   "image/svg+xml",
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for name := range assetTypes {
		path := "/" + name
		if name == "index.html" {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			b, _ := assets.ReadFile("assets/" + name)
			w.Header().Set("Content-Type", assetTypes[name])
			w.Write(b)
		})
	}
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /films/{id}/frames", s.frames)
	mux.HandleFunc("GET /films/{id}/frames/{frame}", s.picture)
	mux.HandleFunc("GET /films/{id}/frames/{frame}/thumbnail", s.thumbnail)
	mux.HandleFunc("GET /films/{id}/map", s.ownerMap)
	return webguard.Guard{Remote: s.remote, Token: s.o.Token}.Wrap(mux)
}

func hostname() (string, error) { return os.Hostname() }

// frames answers with the state of every frame, one letter each.
func (s *Server) frames(w http.ResponseWriter, r *http.Request) {
	states := s.model.states(r.PathValue("id"))
	if states == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write(states)
}

// parseFrame returns the job and the frame number that the path of a request names.
func (s *Server) parseFrame(r *http.Request) (cluster.Job, int, bool) {
	job, ok := s.model.job(r.PathValue("id"))
	k, err := strconv.Atoi(r.PathValue("frame"))
	return job, k, ok && err == nil && k >= 0 && k < job.Frames
}

// readPicture returns the picture that a request names. On an error it answers the request itself and returns nil.
func (s *Server) readPicture(w http.ResponseWriter, r *http.Request) []byte {
	job, k, ok := s.parseFrame(r)
	if !ok {
		http.NotFound(w, r)
		return nil
	}
	picture, err := s.o.Gallery.Picture(r.Context(), job, k)
	if err != nil {
		httpError(w, err)
		return nil
	}
	return picture
}

// httpError answers a request with the status code for an error.
func httpError(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = http.StatusNotFound
	case errors.Is(err, context.Canceled):
		code = http.StatusServiceUnavailable
	}
	http.Error(w, "not available: "+http.StatusText(code), code) // the text of err may contain paths of this machine
}

func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	if b := s.readPicture(w, r); b != nil {
		serveImage(w, r, b)
	}
}

func (s *Server) thumbnail(w http.ResponseWriter, r *http.Request) {
	b := s.readPicture(w, r)
	if b == nil {
		return
	}
	small, err := s.thumbs.thumbnail(r.Context(), b)
	if err != nil {
		httpError(w, err)
		return
	}
	serveImage(w, r, small)
}

// ownerMap answers with a picture of the mesh in which each part has the colour of the node that owns it.
func (s *Server) ownerMap(w http.ResponseWriter, r *http.Request) {
	job, ok := s.model.job(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	b, err := s.o.Gallery.Map(r.Context(), job)
	if err != nil {
		httpError(w, err)
		return
	}
	serveImage(w, r, b)
}

// serveImage answers with a picture, or with "not modified" if the browser has it already. Data that is not an image is
// sent as plain bytes, which a browser does not interpret.
func serveImage(w http.ResponseWriter, r *http.Request, picture []byte) {
	kind := http.DetectContentType(picture)
	if !strings.HasPrefix(kind, "image/") {
		kind = "application/octet-stream"
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(picture))
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(picture)
}
