package render_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
)

// TestSievesOfAnyView draws a mesh of many triangles a sample, from packed groups in memory and from a file, so that
// sieves examine the groups of several units together. Cameras show all of the mesh or little of it. Some earlier frames
// are cancelled. The pictures must be those of a renderer that defers no groups, and the counts must be the same for any
// number of workers.
func TestSievesOfAnyView(t *testing.T) {
	rounds, seed := 2, uint64(1)
	if *long {
		rounds, seed = 60, rand.Uint64()
	}
	mesh := generated(t, "scene:bumpy?triangles=200k")
	mesh.Colors = make([]uint32, mesh.Len())
	for i := range mesh.Colors {
		mesh.Colors[i] = uint32(i) * 0x050301 & 0xffffff
	}
	mesh.X[1][70], mesh.Y[2][100000] = float32(math.NaN()), float32(math.Inf(1))
	own, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sources []*render.Surface
	for _, ordered := range []bool{false, true} {
		s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if ordered {
			s.Order(2)
		}
		small := render.Options{Width: 10, Height: 10, Leaves: lb.Always}
		leafFrame(t, newRenderer(t, small), s, fitted(t, mesh, small, camera.Options{})) // packs the groups
		sources = append(sources, s)
	}
	files := []*render.Stored{stored(t, own, 0), stored(t, own, 1<<21)}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 9))
	for round := range rounds {
		o := leafOptions(round+3, random)
		o.Width, o.Height = 10+random.IntN(90), 10+random.IntN(70)
		o.BlockSize, o.Workers = []int{64, 512, 4096, 8192}[random.IntN(4)], 1
		o.ISA = levels(t)[len(levels(t))-1]
		if round < 2 {
			o.BlockSize = []int{4096, 8192}[round]
		}
		o.Triangles = o.Samples <= 1 && o.Light == render.LightStudio
		plain := newRenderer(t, o)
		render.SetLeaves(plain, lb.Never, 1)
		for k := range 4 {
			var pair [2]*render.Renderer
			for i := range pair {
				o.Workers = 1 + i*(1+random.IntN(3))
				pair[i] = newRenderer(t, o)
				render.SetLeaves(pair[i], []lb.Policy{lb.Always, lb.CostEffective}[(k+round)/2%2], 1)
			}
			film := sieveFilm{t, random, plain, own, pair, false}
			for range 3 {
				if k < 2 {
					film.frame(func(r *render.Renderer, ctx context.Context, cam render.Camera, pic *render.Picture) (render.Stats, error) {
						return r.Frame(ctx, sources[k], cam, pic)
					})
				} else {
					film.frame(func(r *render.Renderer, ctx context.Context, cam render.Camera, pic *render.Picture) (render.Stats, error) {
						return r.Frame(ctx, files[k-2], cam, pic)
					})
				}
			}
		}
	}
}

// A sieveFilm is a film that two renderers with different numbers of workers draw from one source.
type sieveFilm struct {
	*testing.T
	random    *rand.Rand
	plain     *render.Renderer
	own       *render.Surface // what plain draws
	pair      [2]*render.Renderer
	cancelled bool // a frame was cancelled; from then on, the renderers' histories differ
}

// frame draws a frame with the function draw, and compares it.
func (f *sieveFilm) frame(draw func(*render.Renderer, context.Context, render.Camera, *render.Picture) (render.Stats, error)) {
	f.Helper()
	random, o := f.random, f.plain.Options()
	view := camera.Options{Azimuth: 360 * random.Float64(), Elevation: 60*random.Float64() - 30, Orthographic: random.IntN(4) == 0}
	if !view.Orthographic && random.IntN(3) == 0 {
		view.FieldOfView = 0.01 // sieves leave out nothing of such a view
	}
	if random.IntN(2) == 0 {
		view.Zoom = math.Exp(5*random.Float64() - 1)
	}
	cam := fitted(f.T, f.own.Mesh, o, view)
	want, wantStats := leafFrame(f.T, f.plain, f.own, cam)
	if random.IntN(3) == 0 {
		f.cancelled = true
		for _, r := range f.pair {
			ctx, cancel := context.WithTimeout(f.Context(), time.Duration(random.IntN(4000))*time.Microsecond)
			_, _ = draw(r, ctx, cam, new(render.Picture)) // the frame may also be completed
			cancel()
		}
	}
	seed := random.Uint64()
	var stats [2]render.Stats
	for i, r := range f.pair {
		if seed%2 == 0 {
			render.ShuffleLeaves(r, rand.New(rand.NewPCG(seed, 1)))
		}
		pic, err := new(render.Picture), error(nil)
		if stats[i], err = draw(r, f.Context(), cam, pic); err != nil && !errors.Is(err, render.ErrBlank) {
			f.Fatal(err)
		}
		checkSame(f.T, pic, want)
		if got := stats[i].Triangles; got.In != wantStats.Triangles.In || got.Dropped != wantStats.Triangles.Dropped || stats[i].Covered != wantStats.Covered {
			f.Errorf("renderer %d: %+v, want %+v", i, got, wantStats.Triangles)
		}
	}
	if !f.cancelled && counts(stats[0]) != counts(stats[1]) {
		f.Errorf("counts %v with one worker, %v with more: %+v", counts(stats[0]), counts(stats[1]), o)
	}
}
