package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"lockstep/render/recipe"
)

// Limits for dropped files: the bytes of a file, the memory of its mesh, the time for sending it, and the number of
// files of one browser.
const (
	maxDrop             = 256 << 20
	maxDropMemory       = 2 << 30
	dropTime            = 2 * time.Minute
	maxDropped          = 4
	maxDroppedTriangles = 64 << 20 // triangles of all browsers together
	maxDropName         = 100
)

// serveDrop reads a file that was dropped on a page, and responds with the number of the new mesh, see request.File.
// The server reads only one dropped file at a time.
func (s *Server) serveDrop(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	b := s.browser(query.Get("client"))
	switch {
	case b == nil:
		http.Error(w, "expected the name of a page that is connected", http.StatusForbidden)
		return
	case r.ContentLength > maxDrop:
		respondTooLarge(w)
		return
	case !s.dropping.TryLock():
		http.Error(w, "another file is being read: try again", http.StatusServiceUnavailable)
		return
	}
	defer s.dropping.Unlock()
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(dropTime))
	defer control.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	n, err := s.readDropped(ctx, b, dropName(query.Get("name")), http.MaxBytesReader(w, r.Body, maxDrop))
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		respondTooLarge(w)
	case err != nil:
		http.Error(w, recipe.FlagWords(err.Error()), http.StatusUnprocessableEntity)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]int{"file": len(s.options.Meshes) + n - 1})
	}
}

func respondTooLarge(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("dropped files have at most %d MiB: give the file to the command in place of the page", maxDrop>>20), http.StatusRequestEntityTooLarge)
}

// readDropped reads a mesh that a browser sends. It returns how many meshes the browser has dropped, including this
// one.
func (s *Server) readDropped(ctx context.Context, b *browser, name string, file io.Reader) (int, error) {
	if len(b.meshes()) >= maxDropped {
		return b.add(droppedMesh{}) // too many meshes: returns the error without reading the file
	}
	d := s.options.Drawer
	if d.Read.MaxMemory <= 0 || d.Read.MaxMemory > maxDropMemory {
		d.Read.MaxMemory = maxDropMemory
	}
	mesh := recipe.Mesh{File: name}
	base, err := d.ReadBaseFrom(ctx, recipe.Picture{Meshes: []recipe.Mesh{mesh}}, file)
	if err != nil {
		return 0, err
	}
	if n := s.droppedTriangles() + base.Len(); n > s.maxDroppedTriangles {
		return 0, fmt.Errorf("all dropped files have %d triangles, and there is room for %d: close other pages, or give the file to the command", n, s.maxDroppedTriangles)
	}
	return b.add(droppedMesh{mesh, base})
}

// dropName returns the name of a dropped file for recipes, without folders and without characters that recipes or
// command lines would interpret.
func dropName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == ':' || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	for len(name) > maxDropName {
		name = name[1:] // keep the end with the extension
	}
	name = strings.ToValidUTF8(name, "")
	if strings.Trim(name, ".-") == "" {
		return "dropped"
	}
	return strings.TrimLeft(name, "-")
}
