package scenes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ScenePrefix starts the name of a procedural scene on a command line.
const ScenePrefix = "scene:"

// A Scene is a procedural data set, computed from its parameters and a seed.
// It is a Source: every block is computed when it is asked for, on its own, so
// a scene of 100 million triangles needs no memory, and it is the same to the
// last bit on every machine. The perforator alone is computed as a whole, up to
// a million triangles, when its length or a block is first asked for.
type Scene struct {
	name  string
	shape shape
}

// shape computes triangles.
type shape interface {
	// Len returns the number of triangles.
	Len() int
	// fill computes the triangles from first on into all of b. first is a
	// multiple of BlockSize. Goroutines may call fill at the same time.
	fill(first int, b *Block)
	// colored reports whether fill sets the colours too.
	colored() bool
}

// maxSceneTriangles is the largest number that a scene may be asked for.
const maxSceneTriangles = 100_000_000

// sceneKind is a scene by name.
type sceneKind struct {
	name, doc string
	build     func(p *params) shape
}

var sceneKinds = []sceneKind{
	{"bumpy", "a sphere with smooth bumps of several sizes, like a scanned object; 1,000,000 triangles", buildBumpy},
	{"cube", "a cube; 12 triangles", buildCube},
	{"gear", "a spur gear with web, hub and bore; 50,000 triangles", buildGear},
	{"knot", "a trefoil knot covered with scales; 400,000 triangles", buildKnot},
	{"perforator", "the jet of a shaped charge through a casing, version=balanced or unbalanced; 8,700 triangles", buildPerforator},
	{"plate", "a square that faces the front view, its inner vertices moved by jitter=; 2 triangles", buildPlate},
	{"slivers", "small triangles, slivers= of them as tall as the front view, wide= broad ones; 100,000 triangles", buildSlivers},
	{"soup", "random triangles of edge size= in a cube; 100,000 triangles", buildSoup},
	{"sphere", "a unit sphere; 20,000 triangles", buildSphere},
	{"torus", "a torus of radii 1 and 0.4; 20,000 triangles", buildTorus},
}

// A SceneName names a procedural scene.
type SceneName struct {
	Name string // what stands after "scene:"
	Doc  string // one line without full stop
}

// SceneNames returns the procedural scenes by name.
func SceneNames() []SceneName {
	names := make([]SceneName, len(sceneKinds))
	for i, k := range sceneKinds {
		names[i] = SceneName{k.name, k.doc}
	}
	return names
}

// IsScene reports whether arg is meant to be a procedural scene.
func IsScene(arg string) bool { return strings.HasPrefix(arg, ScenePrefix) }

// ParseScene returns the scene that arg, "scene:NAME?key=value&...", stands
// for. Every scene takes triangles=N (up to 100 million; k and M multiply by a
// thousand and a million), and gets the number of triangles nearest to N that
// its grid allows; Len tells which. For the perforator N is about the number of
// its balanced version, up to a million; the unbalanced one is merged from the
// same lattice. Scenes with chance in them take seed=N. Every error is a
// *UsageError.
func ParseScene(arg string) (*Scene, error) {
	fail := func(err error) (*Scene, error) { return nil, &UsageError{Arg: arg, Err: err} }
	rest, ok := strings.CutPrefix(arg, ScenePrefix)
	if !ok {
		return fail(errors.New("a procedural scene starts with \"scene:\""))
	}
	name, query, _ := strings.Cut(rest, "?")
	i := slices.IndexFunc(sceneKinds, func(k sceneKind) bool { return k.name == name })
	if i < 0 {
		var known []string
		for _, k := range sceneKinds {
			known = append(known, k.name)
		}
		return fail(fmt.Errorf("no scene %q, there are %s", name, strings.Join(known, ", ")))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return fail(fmt.Errorf("parameters: %w", err))
	}
	p := &params{values: values}
	shape := sceneKinds[i].build(p)
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
func (s *Scene) Info() Info { return Info{Colors: s.shape.colored()} }

// ReadBlock computes block i into memory of dst, see Source. It never fails.
func (s *Scene) ReadBlock(i int, dst *Block) error {
	lo, hi := blockRange(i, s.Len())
	dst.resize(hi-lo, s.shape.colored())
	s.shape.fill(lo, dst)
	return nil
}

// Generate computes the whole scene into memory on all cores. The error is
// that of ctx.
func (s *Scene) Generate(ctx context.Context) (*Mesh, error) { return Load(ctx, s, 0) }

// params reads the parameters of a scene. Which there are is known when all
// have been read.
type params struct {
	values url.Values
	known  []string
	err    error // the first wrong value
}

// count returns an integer parameter between lo and hi.
func (p *params) count(key string, def, lo, hi int) int {
	text, ok := p.get(key)
	if !ok {
		return def
	}
	digits, unit := text, 1
	switch {
	case strings.HasSuffix(text, "k"):
		digits, unit = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1_000_000
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > hi/unit || n*unit < lo {
		p.fail(key, text, fmt.Sprintf("an integer from %d to %d", lo, hi))
		return def
	}
	return n * unit
}

// number returns a parameter between lo and hi.
func (p *params) number(key string, def, lo, hi float64) float64 {
	text, ok := p.get(key)
	if !ok {
		return def
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) {
		p.fail(key, text, fmt.Sprintf("a number from %v to %v", lo, hi))
		return def
	}
	return v
}

// triangles returns the parameter of that name.
func (p *params) triangles(def, least int) int {
	return p.count("triangles", def, least, maxSceneTriangles)
}

// seed returns the parameter of that name.
func (p *params) seed() uint64 { return uint64(p.count("seed", 1, 0, math.MaxInt)) }

func (p *params) get(key string) (string, bool) {
	p.known = append(p.known, key)
	v, ok := p.values[key]
	if !ok {
		return "", false
	}
	if len(v) > 1 && p.err == nil {
		p.err = fmt.Errorf("parameter %s is given %d times", key, len(v))
	}
	return v[0], true
}

func (p *params) fail(key, text, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s=%s: want %s", key, oneLine(text), want)
	}
}

// check returns the first fault of the parameters.
func (p *params) check() error {
	var unknown []string
	for key := range p.values {
		if !slices.Contains(p.known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("no parameter %q, there are %s", slices.Min(unknown), strings.Join(p.known, ", "))
	}
	return p.err
}
