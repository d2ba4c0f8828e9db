package view

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"lockstep/render/recipe"
)

// A browser is a connected page. Its name is random, and no other page knows it.
type browser struct {
	name string
	ctx  context.Context // ends when the page disconnects

	mu      sync.Mutex
	dropped []droppedMesh
}

// A droppedMesh is a mesh that the user has dropped on the page of a browser. Only this browser can see it. It is
// removed when the browser disconnects.
type droppedMesh struct {
	mesh recipe.Mesh
	base *recipe.Base
}

// connect registers a browser. leave removes it again.
func (s *Server) connect(ctx context.Context) (b *browser, leave func()) {
	b = &browser{name: rand.Text(), ctx: ctx}
	s.browsersMu.Lock()
	defer s.browsersMu.Unlock()
	s.browsers[b.name] = b
	return b, func() {
		s.browsersMu.Lock()
		defer s.browsersMu.Unlock()
		delete(s.browsers, b.name)
	}
}

// browser returns the connected browser of this name, or nil if there is none.
func (s *Server) browser(name string) *browser {
	s.browsersMu.Lock()
	defer s.browsersMu.Unlock()
	return s.browsers[name]
}

// droppedTriangles returns the number of triangles in the dropped meshes of all browsers.
func (s *Server) droppedTriangles() (n int) {
	s.browsersMu.Lock()
	defer s.browsersMu.Unlock()
	for _, b := range s.browsers {
		for _, d := range b.meshes() {
			n += d.base.Len()
		}
	}
	return n
}

// meshes returns the meshes that b has dropped. It returns nil if b is nil.
func (b *browser) meshes() []droppedMesh {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// add stores a dropped mesh, and returns how many meshes the browser has dropped, including this one. It returns an
// error if there are too many.
func (b *browser) add(d droppedMesh) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return 0, errors.New("the page has left")
	}
	if len(b.dropped) >= maxDropped {
		return 0, fmt.Errorf("there are %d dropped files already: reload the page to forget them", maxDropped)
	}
	b.dropped = append(b.dropped, d)
	return len(b.dropped), nil
}

// A meshChoice holds the meshes that a request selects.
type meshChoice struct {
	meshes  []recipe.Mesh
	dropped *recipe.Base // the first mesh if it is a dropped mesh; else nil
}

// chooseMeshes returns the meshes whose numbers are in a request of browser b.
func (s *Server) chooseMeshes(b *browser, r *request) (meshChoice, error) {
	dropped := b.meshes()
	if err := r.checkMeshes(len(s.options.Meshes)+len(dropped), len(s.options.Meshes)); err != nil {
		return meshChoice{}, err
	}
	var of meshChoice
	if own := r.File - len(s.options.Meshes); own >= 0 {
		of = meshChoice{[]recipe.Mesh{dropped[own].mesh}, dropped[own].base}
	} else {
		of.meshes = []recipe.Mesh{s.options.Meshes[r.File]}
	}
	if r.Against > 0 && r.Against-1 != r.File {
		against := s.options.Meshes[r.Against-1]
		against.Against, against.Color = true, ""
		of.meshes = append(of.meshes, against)
	}
	return of, nil
}

// Name returns the name of a mesh on pages: its file name without folders, or the name of the scene.
func Name(m recipe.Mesh) string {
	if m.IsScene() {
		return m.File
	}
	return filepath.Base(m.File)
}

// meshNames returns the names of all meshes that a page can show.
func (s *Server) meshNames(dropped []droppedMesh) (meshNames []string) {
	for _, m := range s.options.Meshes {
		meshNames = append(meshNames, Name(m))
	}
	for _, d := range dropped {
		meshNames = append(meshNames, d.mesh.File)
	}
	return meshNames
}

// A cachedBase is a mesh that was read or opened, with its number.
type cachedBase struct {
	file int
	base *recipe.Base
}

// mostCached is the largest number of triangles in all cached meshes together. The newest mesh is always cached, even
// if it is larger. Meshes are cached because users go back and forth in a series of meshes.
const mostCached = 8 << 20

// readMesh returns one of the server's meshes, and stores it in the cache.
func (s *Server) readMesh(ctx context.Context, file int) (*recipe.Base, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.cached {
		if c.file == file {
			s.cached = append(append(s.cached[:i:i], s.cached[i+1:]...), c)
			return c.base, nil
		}
	}
	p := s.options.Picture
	p.Meshes = []recipe.Mesh{s.options.Meshes[file]}
	base, err := s.options.Drawer.ReadBase(ctx, p)
	if err != nil {
		return nil, err
	}
	s.cached = append(s.cached, cachedBase{file, base})
	triangles := 0
	for i := len(s.cached) - 1; i >= 0; i-- {
		if triangles += s.cached[i].base.Len(); triangles > s.mostCached && i < len(s.cached)-1 {
			s.cached = append([]cachedBase(nil), s.cached[i+1:]...)
			break
		}
	}
	return base, nil
}

// firstMesh returns the first mesh of a request: the dropped mesh, or the server's mesh with the number file.
func (s *Server) firstMesh(ctx context.Context, file int, of meshChoice) (*recipe.Base, error) {
	if of.dropped != nil {
		return of.dropped, nil
	}
	return s.readMesh(ctx, file)
}
