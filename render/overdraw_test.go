package render_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

var overdrawFilms = flag.Int("overdraw", 0, "number of films with predictions of what is hidden; 0: 8, with -long 200")

// overdrawnMeshes returns meshes with several surfaces behind each other, some of them in the same place.
func overdrawnMeshes(t *testing.T) map[string]*scenes.Mesh {
	ball := bumpy(60, 50)
	scaled := func(f float64) *scenes.Mesh { return mapped(ball, func(p vec) vec { return p.scale(f) }) }
	wall := grid(3, -1, 1, nil)
	return map[string]*scenes.Mesh{
		"nested":   joined(scaled(0.6), scaled(1.2), ball, scaled(0.9)),
		"twice":    colored(joined(ball, inverted(ball), ball)),
		"soup":     colored(soup(6000, 0.1, 1)),
		"fine":     soup(12000, 0.02, 2),
		"awkward":  joined(awkward(), ball, awkward()),
		"walls":    colored(joined(wall, ball, mapped(wall, func(p vec) vec { return p.add(vec{0, 0.4, 0}) }), mapped(wall, func(p vec) vec { return p.add(vec{0, -0.6, 0}) }))),
		"gears":    generated(t, "scene:housing?gears=8&triangles=9k"),
		"concave":  half(sphere(80, 60, 1), -0.3),
		"far away": mapped(joined(ball, scaled(1.1)), func(p vec) vec { return p.add(vec{300, 0, 0}) }),
	}
}

// TestPredictionsOfAnyFilm draws films with cameras that stand, turn a little or jump. Meshes and looks change from
// frame to frame. One renderer draws all polygons at once. Other renderers defer polygons that are predicted to be
// hidden: from the frame before, from random depths, and as if everything or nothing were hidden. Some earlier frames
// are cancelled. The pictures must be the same.
func TestPredictionsOfAnyFilm(t *testing.T) {
	films, meshes := *overdrawFilms, overdrawnMeshes(t)
	switch {
	case films > 0:
	case *long:
		films = 200
	default:
		films = 8
	}
	deferred, late := int64(0), int64(0)
	for seed := range films {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f := newOverdrawFilm(t, meshes, rand.New(rand.NewPCG(uint64(seed), 38)))
			for range 8 {
				f.frame()
			}
			deferred, late = deferred+f.deferred, late+f.late
		})
	}
	t.Logf("%d polygons were deferred, %d drawn after all", deferred, late)
	if films >= 8 && (late == 0 || late > deferred) {
		t.Error("nothing was drawn after all, or nearly everything")
	}
}

// An overdrawFilm is a film that several renderers draw.
type overdrawFilm struct {
	*testing.T
	random         *rand.Rand
	surfaces       []*render.Surface
	surface        int
	plain          *render.Renderer
	others         []*render.Renderer
	azimuth        float64
	view           int // kind of camera
	deferred, late int64
}

func newOverdrawFilm(t *testing.T, meshes map[string]*scenes.Mesh, random *rand.Rand) *overdrawFilm {
	f := &overdrawFilm{T: t, random: random, azimuth: 360 * random.Float64()}
	names := slices.Sorted(maps.Keys(meshes))
	for range 2 {
		s, err := render.NewSurface(t.Context(), meshes[names[random.IntN(len(names))]], render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f.surfaces = append(f.surfaces, s)
	}
	o := render.Options{BlockSize: []int{1, 64, 100, 1024, 0}[random.IntN(5)], Workers: 1, Leaves: lb.Never, Depth: random.IntN(2) == 0}
	f.change(&o)
	f.plain = newRenderer(t, o)
	render.DrawBacksAtOnce(f.plain, true)
	sets := levels(t)
	for range 3 {
		o.Workers, o.ISA, o.Leaves = 1+random.IntN(8), sets[random.IntN(len(sets))], lb.Always
		f.others = append(f.others, newRenderer(t, o))
	}
	return f
}

// change replaces the options of the picture, but not the options of the renderer. The picture is large enough for
// spans to be stored.
func (f *overdrawFilm) change(o *render.Options) {
	o.Samples = []int{1, 4, 16}[f.random.IntN(3)]
	grid := map[int]int{1: 1, 4: 2, 16: 4}[o.Samples]
	o.Width, o.Height = (420+f.random.IntN(200))/grid, (400+f.random.IntN(200))/grid
	o.Cull = []render.Cull{render.CullNone, render.CullBack, render.CullFront}[f.random.IntN(3)]
	o.Light, o.Shading, o.Occlusion, o.Color = render.LightHeadlight, render.ShadingFlat, false, nil
	switch f.random.IntN(5) {
	case 0:
		o.Light = render.LightStudio
	case 1:
		o.Light, o.Shading, o.Occlusion = render.LightStudio, render.ShadingSmooth, true
	case 2:
		o.Color = rgb(0xcc4444)
	}
}

// frame draws a frame. One frame in five has another look, and one in five another mesh.
func (f *overdrawFilm) frame() {
	f.Helper()
	o := f.plain.Options()
	if f.random.IntN(5) == 0 {
		f.change(&o)
		for _, r := range append([]*render.Renderer{f.plain}, f.others...) {
			own, next := r.Options(), o
			next.Workers, next.Pin, next.BlockSize, next.ISA, next.Leaves = own.Workers, own.Pin, own.BlockSize, own.ISA, own.Leaves
			if err := r.SetOptions(next); err != nil {
				f.Fatal(err)
			}
		}
	}
	if f.random.IntN(5) == 0 {
		f.surface = 1 - f.surface
	}
	if f.random.IntN(4) == 0 {
		f.azimuth, f.view = 360*f.random.Float64(), f.random.IntN(5)
	} else {
		f.azimuth += 2 * f.random.Float64() * float64(f.random.IntN(2))
	}
	s := f.surfaces[f.surface]
	cam := f.camera(s.Mesh, o)
	var want render.Picture
	before, err := f.plain.Frame(f.Context(), s, cam, &want)
	if err != nil && !errors.Is(err, render.ErrBlank) {
		f.Fatal(err)
	}
	change, seed := f.random.IntN(8), f.random.Uint64()
	var first render.Stats
	for i, r := range f.others {
		if change == 0 { // the frame is cancelled at any moment
			ctx, cancel := context.WithTimeout(f.Context(), time.Duration(f.random.IntN(1500))*time.Microsecond)
			_, _ = r.Frame(ctx, s, cam, new(render.Picture)) // the frame may also be completed
			cancel()
		}
		rewrite(r, change, rand.New(rand.NewPCG(seed, 2)))
		var pic render.Picture
		stats, err := r.Frame(f.Context(), s, cam, &pic)
		if err != nil && !errors.Is(err, render.ErrBlank) {
			f.Fatal(err)
		}
		if err := same(&pic, &want, render.Stats{}, render.Stats{}); err != nil {
			f.Fatalf("renderer %d: %v (%+v)", i, err, r.Options())
		}
		if got := stats.Triangles; stats.Covered != before.Covered || got != before.Triangles {
			f.Errorf("renderer %d: %d pixels of %+v, want %d of %+v", i, stats.Covered, got, before.Covered, before.Triangles)
		}
		if i == 0 {
			first = stats
		} else if change != 0 && counts(stats) != counts(first) {
			f.Errorf("renderer %d: counts %v, want %v", i, counts(stats), counts(first))
		}
		f.deferred, f.late = f.deferred+stats.Hidden.Deferred, f.late+stats.Hidden.Late
	}
}

// rewrite changes the depths from which a renderer predicts.
func rewrite(r *render.Renderer, change int, random *rand.Rand) {
	switch change {
	case 1: // nothing is hidden
		render.RewritePrediction(r, func(uint32) uint32 { return 0 })
	case 2: // everything is hidden
		render.RewritePrediction(r, func(uint32) uint32 { return 0x7f000000 })
	case 3:
		render.RewritePrediction(r, func(near uint32) uint32 {
			return []uint32{near, 0, 0x7f000000, near + 1<<20}[random.IntN(4)]
		})
	}
}

// camera returns a camera of the film's current kind.
func (f *overdrawFilm) camera(m *scenes.Mesh, o render.Options) render.Camera {
	view := camera.Options{Azimuth: f.azimuth, Elevation: 20}
	switch f.view {
	case 1:
		view.Orthographic = true
	case 2:
		view.FieldOfView = 0.01
	case 3:
		view.Zoom = 5
	case 4:
		view.FieldOfView, view.Zoom = 100, 2
	}
	return fitted(f.T, m, o, view)
}

// TestPredictionsPay draws nested balls, in which polygons must be predicted to be hidden from the third frame on. It
// also draws a sphere without back faces, and crossed slivers. On these, predictions would save little, so they may be
// tried at most once.
func TestPredictionsPay(t *testing.T) {
	ball := bumpy(60, 50)
	nested := joined(mapped(ball, func(p vec) vec { return p.scale(0.5) }), mapped(ball, func(p vec) vec { return p.scale(0.8) }), ball)
	flat := render.Options{Width: 500, Height: 500, Cull: render.CullBack, Workers: 1}
	lit := (&render.Options{Width: 300, Height: 300, Workers: 2}).Studio()
	never := flat
	never.Leaves = lb.Never
	for _, c := range []struct {
		name     string
		mesh     *scenes.Mesh
		o        render.Options
		from, to int // range of the number of frames that predict, out of 20
	}{
		{"nested", nested, flat, 18, 18},
		{"nested, lit", nested, lit, 18, 18},
		{"nested, never", nested, never, 0, 0},
		{"sphere", sphere(50, 40, 1), flat, 0, 0},
		{"slivers", slivers(3000, 5), flat, 0, 1},
	} {
		r, s := newRenderer(t, c.o), &render.Surface{Mesh: c.mesh}
		cam := fitted(t, c.mesh, c.o, camera.Options{})
		pic := new(render.Picture)
		frame := func() render.Stats {
			stats, err := r.Frame(t.Context(), s, cam, pic)
			if err != nil {
				t.Fatal(err)
			}
			return stats
		}
		first, n, last := frame(), 0, render.Stats{}
		for range 19 {
			last = frame()
			if render.HiddenPredicted(r) {
				n++
			}
		}
		if n < c.from || n > c.to {
			t.Errorf("%s: %d of 20 frames predicted, want %d to %d", c.name, n, c.from, c.to)
		}
		if d := last.Hidden.Deferred; c.from > 0 && (d <= last.Triangles.Drawn/4 || d >= last.Triangles.Drawn*9/10 || last.Hidden.Late > 10) {
			t.Errorf("%s: %+v of %d polygons", c.name, last.Hidden, last.Triangles.Drawn)
		}
		if c.from > 0 && (last.Pixels > first.Pixels*6/10 || last.Triangles != first.Triangles) {
			t.Errorf("%s: %d depth tests with predictions, %d without; triangles %+v, %+v", c.name, last.Pixels, first.Pixels, last.Triangles, first.Triangles)
		}
		if n := testing.AllocsPerRun(5, func() { frame() }); n > 0 {
			t.Errorf("%s: a warm frame allocates %g times", c.name, n)
		}
	}
}

// TestPredictionsOfChangingSizes draws frames whose size often differs from that of the frame before. If it always
// differs, only the first two frames may measure depths, because no frame can predict from them.
func TestPredictionsOfChangingSizes(t *testing.T) {
	ball := bumpy(40, 30)
	nested := joined(mapped(ball, func(p vec) vec { return p.scale(0.5) }), mapped(ball, func(p vec) vec { return p.scale(0.8) }), ball)
	o := render.Options{Width: 500, Height: 500, Cull: render.CullBack, Workers: 1}
	cam := fitted(t, nested, o, camera.Options{})
	for _, c := range []struct {
		name                string
		every               int // number of successive frames of the same size
		measured, predicted int // numbers of frames, out of 60
	}{{"every frame", 1, 2, 0}, {"every third frame", 3, 59, 39}} {
		r, s := newRenderer(t, o), &render.Surface{Mesh: nested}
		measured, predicted := 0, 0
		frames := func(n, every int) {
			for i := range n {
				next := r.Options()
				if next.Width, next.Height = 500, 500; i/every%2 == 1 {
					next.Width, next.Height = 600, 600
				}
				if err := r.SetOptions(next); err != nil {
					t.Fatal(err)
				}
				if render.HiddenMeasured(r) {
					measured++
				}
				if _, err := r.Frame(t.Context(), s, cam, new(render.Picture)); err != nil {
					t.Fatal(err)
				}
				if render.HiddenPredicted(r) {
					predicted++
				}
			}
		}
		if frames(60, c.every); measured != c.measured || predicted != c.predicted {
			t.Errorf("%s: %d frames measured, %d predicted, want %d and %d", c.name, measured, predicted, c.measured, c.predicted)
		}
		predicted = 0
		if frames(10, 10); predicted < 4 {
			t.Errorf("%s: %d of 10 later frames of one size predicted", c.name, predicted)
		}
	}
}
