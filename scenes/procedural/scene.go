// Package procedural generates data sets by name, such as "scene:gear?triangles=20k", for tests, measurements and
// pictures. There are smooth and bumpy, closed and open surfaces, with even triangles and with slivers, from one
// triangle to a hundred million.
//
// Every scene has the same bits on every machine. No scene needs a file, and most are computed block by block.
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

// A Scene is a procedural data set, computed from its parameters and a seed. It is a Source. Every block is computed
// separately when it is requested, so even a scene of 100 million triangles needs no memory. A Scene has the same bits
// on every machine. Only the isosurfaces (perforator, vortices and shear) are computed as a whole, when Len or a block
// is first requested.
type Scene struct {
	name  string
	shape shape
}

// A shape computes triangles.
type shape interface {
	// Len returns the number of triangles.
	Len() int
	// Fill fills b with the triangles that start at index `first`, which is a multiple of scenes.BlockSize. Several
	// goroutines may call Fill at the same time.
	Fill(first int, b *scenes.Block)
	// Colored reports whether Fill also sets colours.
	Colored() bool
}

// maxTriangles is the largest number of triangles that a user may request.
const maxTriangles = 100_000_000

// A kind describes how to build one kind of scene: its name, a line of documentation, and the function that builds it.
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

// A Name is the name of a procedural scene, with a description.
type Name struct {
	Name string // without the prefix "scene:"
	Doc  string // one line without a full stop
}

// Names returns the names of all procedural scenes.
func Names() []Name {
	names := make([]Name, len(kinds))
	for i, k := range kinds {
		names[i] = Name{k.name, k.doc}
	}
	return names
}

// IsScene reports whether arg starts with Prefix.
func IsScene(arg string) bool { return strings.HasPrefix(arg, Prefix) }

// Parse returns the scene that arg names, which is "scene:NAME?key=value&...". Every scene has the parameter
// triangles=N (up to 100 million; k and M multiply by a thousand and a million). The scene gets the number of triangles
// nearest to N that its grid allows; Len returns this number. Random scenes also have seed=N. Every error is a
// *UsageError.
//
// For the perforator, N is at most a million. It is about the number of triangles of the balanced version. The
// unbalanced version has fewer, because triangles are merged.
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

// Name returns the name of the scene without the prefix "scene:".
func (s *Scene) Name() string { return s.name }

// Len returns the number of triangles.
func (s *Scene) Len() int { return s.shape.Len() }

// Info describes the coordinates and colours.
func (s *Scene) Info() scenes.Info { return scenes.Info{Colors: s.shape.Colored()} }

// Memory returns the greatest number of bytes that the scene needs. It is 0 except for isosurfaces, which cannot be
// computed block by block.
func (s *Scene) Memory() int64 {
	if s, ok := s.shape.(interface{ Memory() int64 }); ok {
		return s.Memory()
	}
	return 0
}

// ReadBlock computes block i into dst, see Source. It never fails.
func (s *Scene) ReadBlock(i int, dst *scenes.Block) error {
	lo, hi := scenes.BlockRange(i, s.Len())
	dst.Resize(hi-lo, s.shape.Colored())
	s.shape.Fill(lo, dst)
	return nil
}

// A UsageError is the error for a wrong name or parameter of a procedural scene.
type UsageError struct {
	Arg string // the argument, for example "scene:spere"
	Err error  // what is wrong, and what would be correct
}

// Error returns one line: the argument, what is wrong, and what would be correct.
func (e *UsageError) Error() string { return fmt.Sprintf("%s: %v", text.OneLine(e.Arg), e.Err) }

// Unwrap returns e.Err.
func (e *UsageError) Unwrap() error { return e.Err }
