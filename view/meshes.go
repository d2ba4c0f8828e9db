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

// A browser is one that is connected. It is known by a name that it alone is told.
type browser struct {
	name string
	ctx  context.Context // ends when it leaves

	mu      sync.Mutex
	dropped []droppedMesh
}

// A droppedMesh is one that a browser has sent. It is shown to that browser alone, and forgotten with it.
type droppedMesh struct {
	mesh recipe.Mesh
	base *recipe.Base
}

// connect makes a browser known until leave is called.
func (s *Server) connect(ctx context.Context) (b *browser, leave func()) {
	b = &browser{name: rand.Text(), ctx: ctx}
	s.knownMu.Lock()
	defer s.knownMu.Unlock()
	s.known[b.name] = b
	return b, func() {
		s.knownMu.Lock()
		defer s.knownMu.Unlock()
		delete(s.known, b.name)
	}
}

// browser returns one by its name, nil if there is none.
func (s *Server) browser(name string) *browser {
	s.knownMu.Lock()
	defer s.knownMu.Unlock()
	return s.known[name]
}

// droppedTriangles returns how many all browsers have dropped.
func (s *Server) droppedTriangles() (n int) {
	s.knownMu.Lock()
	defer s.knownMu.Unlock()
	for _, b := range s.known {
		for _, d := range b.all() {
			n += d.base.Mesh().Len()
		}
	}
	return n
}

// all returns what a browser has dropped. Nil has dropped nothing.
func (b *browser) all() []droppedMesh {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// add keeps a mesh, and returns how many the browser has.
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

// A choice is the meshes of a request.
type choice struct {
	meshes  []recipe.Mesh
	dropped *recipe.Base // of the first, if the browser has dropped it
}

// choose returns the meshes that a request of a browser names by numbers.
func (s *Server) choose(b *browser, r *request) (choice, error) {
	dropped := b.all()
	if err := r.within(len(s.o.Meshes)+len(dropped), len(s.o.Meshes)); err != nil {
		return choice{}, err
	}
	var of choice
	if own := r.File - len(s.o.Meshes); own >= 0 {
		of = choice{[]recipe.Mesh{dropped[own].mesh}, dropped[own].base}
	} else {
		of.meshes = []recipe.Mesh{s.o.Meshes[r.File]}
	}
	if r.Against > 0 && r.Against-1 != r.File {
		against := s.o.Meshes[r.Against-1]
		against.Against, against.Color = true, ""
		of.meshes = append(of.meshes, against)
	}
	return of, nil
}

// Name returns what pages call a mesh: its file without folders.
func Name(m recipe.Mesh) string {
	if m.IsScene() {
		return m.File
	}
	return filepath.Base(m.File)
}

// names returns what a page calls its meshes.
func (s *Server) names(dropped []droppedMesh) (names []string) {
	for _, m := range s.o.Meshes {
		names = append(names, Name(m))
	}
	for _, d := range dropped {
		names = append(names, d.mesh.File)
	}
	return names
}

// A cachedBase is a mesh that was read, by its number.
type cachedBase struct {
	file int
	base *recipe.Base
}

// mostCached is how many triangles the meshes that are kept have at most, but for the newest: pages go back and forth in a
// series.
const mostCached = 8 << 20

// read returns one of the server's meshes. The last ones are kept.
func (s *Server) read(ctx context.Context, file int) (*recipe.Base, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.cached {
		if c.file == file {
			s.cached = append(append(s.cached[:i:i], s.cached[i+1:]...), c)
			return c.base, nil
		}
	}
	p := s.o.Picture
	p.Meshes = []recipe.Mesh{s.o.Meshes[file]}
	base, err := s.o.Drawer.ReadBase(ctx, p)
	if err != nil {
		return nil, err
	}
	s.cached = append(s.cached, cachedBase{file, base})
	triangles := 0
	for i := len(s.cached) - 1; i >= 0; i-- {
		if triangles += s.cached[i].base.Mesh().Len(); triangles > s.mostCached && i < len(s.cached)-1 {
			s.cached = append([]cachedBase(nil), s.cached[i+1:]...)
			break
		}
	}
	return base, nil
}

// base returns the first mesh of a request.
func (s *Server) base(ctx context.Context, file int, of choice) (*recipe.Base, error) {
	if of.dropped != nil {
		return of.dropped, nil
	}
	return s.read(ctx, file)
}
