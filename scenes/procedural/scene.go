// Package procedural generates data sets by name: "scene:gear?triangles=20k".
// They are made for tests, measurements and pictures: smooth and bumpy, closed
// and open, even and with slivers, from one triangle to a hundred million.
//
// Every scene is the same to the last bit on every machine; none is a file, so
// none needs memory or a disk.
package procedural

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// Format is the name of the format in reports.
const Format = "scene"

// Prefix starts the name of a procedural scene on a command line.
const Prefix = "scene:"

// A Scene is a procedural data set, computed from its parameters and a seed.
// It is a Source: every block is computed when it is asked for, on its own, so
// a scene of 100 million triangles needs no memory, and it is the same to the
// last bit on every machine. The isosurfaces alone, perforator, vortices and shear,
// are computed as a whole, when the length or a block is first asked for.
type Scene struct {
	name  string
	shape shape
}

// shape computes triangles.
type shape interface {
	// Len returns the number of triangles.
	Len() int
	// Fill computes the triangles from first on into all of b. first is a
	// multiple of scenes.BlockSize. Goroutines may call Fill at the same time.
	Fill(first int, b *scenes.Block)
	// Colored reports whether Fill sets the colours too.
	Colored() bool
}

// maxTriangles is the largest number that a scene may be asked for.
const maxTriangles = 100_000_000

// kind is a scene by name.
type kind struct {
	name, doc string
	build     func(p *params) shape
}

var kinds = []kind{
	{"bumpy", "a sphere with smooth bumps of several sizes, like a scanned object; 1,000,000 triangles", buildBumpy},
	{"cube", "a cube; 12 triangles", buildCube},
	{"gear", "a spur gear with web, hub and bore; 50,000 triangles", buildGear},
	{"housing", "gears= gears in a box, which is open to the front unless closed=1; 200,000 triangles", buildHousing},
	{"knot", "a trefoil knot covered with scales; 400,000 triangles", buildKnot},
	{"nested", "spheres= spheres in one another, order=out or in from the outermost; 48,000 triangles", buildNested},
	{"particles", "particles that attract each other, an octahedron each, in clusters; 8,800 triangles", buildParticles},
	{"perforator", "the jet of a shaped charge through a casing, version=balanced or unbalanced; 8,700 triangles", buildPerforator},
	{"plate", "a square that faces the front view, its inner vertices moved by jitter=; 2 triangles", buildPlate},
	{"shear", "a shear layer that rolls up, merged to slivers along the rolls; 9,000 triangles", buildShear},
	{"slivers", "small triangles, slivers= of them as tall as the front view, wide= broad ones; 100,000 triangles", buildSlivers},
	{"soup", "random triangles of edge size= in a cube; 100,000 triangles", buildSoup},
	{"sphere", "a unit sphere; 20,000 triangles", buildSphere},
	{"torus", "a torus of radii 1 and 0.4; 20,000 triangles", buildTorus},
	{"vortices", "the vortices of a turbulent fluid, an isosurface; 9,000 triangles", buildVortices},
}

// A Name names a procedural scene.
type Name struct {
	Name string // what stands after "scene:"
	Doc  string // one line without full stop
}

// Names returns the procedural scenes by name.
func Names() []Name {
	names := make([]Name, len(kinds))
	for i, k := range kinds {
		names[i] = Name{k.name, k.doc}
	}
	return names
}

// IsScene reports whether arg is meant to be a procedural scene.
func IsScene(arg string) bool { return strings.HasPrefix(arg, Prefix) }

// Parse returns the scene that arg, "scene:NAME?key=value&...", stands
// for. Every scene takes triangles=N (up to 100 million; k and M multiply by a
// thousand and a million), and gets the number of triangles nearest to N that
// its grid allows; Len tells which. For the perforator N is about the number of
// its balanced version, up to a million; the unbalanced one is merged from the
// same lattice. Scenes with chance in them take seed=N. Every error is a
// *UsageError.
func Parse(arg string) (*Scene, error) {
	fail := func(err error) (*Scene, error) { return nil, &UsageError{Arg: arg, Err: err} }
	rest, ok := strings.CutPrefix(arg, Prefix)
	if !ok {
		return fail(errors.New("a procedural scene starts with \"scene:\""))
	}
	name, query, _ := strings.Cut(rest, "?")
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		var known []string
		for _, k := range kinds {
			known = append(known, k.name)
		}
		return fail(fmt.Errorf("no scene %q, there are %s", name, strings.Join(known, ", ")))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return fail(fmt.Errorf("parameters: %w", err))
	}
	p := &params{values: values}
	shape := kinds[i].build(p)
	if err := p.check(); err != nil {
		return fail(err)
	}
	return &Scene{name: name, shape: shape}, nil
}

// Name returns what stood after "scene:".
func (s *Scene) Name() string { return s.name }

// Len returns the number of triangles.
func (s *Scene) Len() int { return s.shape.Len() }

// Info says how to read the coordinates.
func (s *Scene) Info() scenes.Info { return scenes.Info{Colors: s.shape.Colored()} }

// Memory returns the bytes that the scene will hold once it has computed what
// it cannot compute block by block: those of an isosurface.
func (s *Scene) Memory() int64 {
	if s, ok := s.shape.(interface{ Memory() int64 }); ok {
		return s.Memory()
	}
	return 0
}

// ReadBlock computes block i into memory of dst, see Source. It never fails.
func (s *Scene) ReadBlock(i int, dst *scenes.Block) error {
	lo, hi := scenes.BlockRange(i, s.Len())
	dst.Resize(hi-lo, s.shape.Colored())
	s.shape.Fill(lo, dst)
	return nil
}

// A UsageError says that the name or a parameter of a procedural scene is
// wrong.
type UsageError struct {
	Arg string // what was given, for example "scene:spere"
	Err error  // what is wrong, and what would be right
}

// Error returns one line: argument, fault, what is known.
func (e *UsageError) Error() string { return fmt.Sprintf("%s: %v", text.OneLine(e.Arg), e.Err) }

// Unwrap returns e.Err.
func (e *UsageError) Unwrap() error { return e.Err }
