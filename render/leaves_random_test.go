package render_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

var (
	leavesFrom = flag.Uint64("leaves-from", 60, "first seed of films whose groups are deferred")
	leavesFor  = flag.Int("leaves", 0, "number of films whose groups are deferred; 0: 3, with -long 150")
)

// TestLeavesOfAnyFilm draws films of two meshes of any size and position, with corners that are not finite. Cameras are
// outside, inside and on the meshes, and looks change from frame to frame. One renderer draws all groups at once. Other
// renderers defer groups by the true history, by its opposite, by no history and by random numbers. Some earlier frames
// are cancelled. The pictures must be the same.
func TestLeavesOfAnyFilm(t *testing.T) {
	films, meshes, deferred, late := *leavesFor, leafMeshes(), 0, 0
	switch {
	case films > 0:
	case *long:
		films = 150
	default:
		films = 3
	}
	for seed := *leavesFrom; seed < *leavesFrom+uint64(films); seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f := newLeafFilm(t, meshes, rand.New(rand.NewPCG(seed, 7)))
			for range 8 {
				f.frame()
			}
			deferred, late = deferred+f.deferred, late+f.late
		})
	}
	t.Logf("%d groups were deferred, %d of them drawn after all", deferred, late)
	// In a few films with other seeds, it may happen that nothing is hidden.
	if seeds := flag.Lookup("leaves-from"); seeds.Value.String() == seeds.DefValue && films > 2 && (late == 0 || late == deferred) {
		t.Error("no group was deferred and drawn after all, or none was hidden")
	}
}

// A leafFilm is a film that several renderers draw.
type leafFilm struct {
	*testing.T
	random         *rand.Rand
	meshes         [2]*scenes.Mesh
	own, shared    [2]*render.Surface // surfaces for the renderer that defers nothing, and for all others
	plain          *render.Renderer
	others         []*render.Renderer
	deferred, late int // numbers of deferred groups, and of those drawn after all
}

func newLeafFilm(t *testing.T, meshes map[string]*scenes.Mesh, random *rand.Rand) *leafFilm {
	f := &leafFilm{T: t, random: random}
	for k := range f.meshes {
		f.meshes[k] = f.mesh(meshes)
		for _, to := range []**render.Surface{&f.own[k], &f.shared[k]} {
			s, err := render.NewSurface(t.Context(), f.meshes[k], render.SurfaceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			*to = s
		}
		if f.chance(2) {
			f.shared[k].Order(1 + random.IntN(4))
		}
	}
	o := leafOptions(random.IntN(5), random)
	o.BlockSize = []int{64, 128, 1024, 4096, 0}[random.IntN(5)]
	o.Depth, o.Workers = f.chance(2), 1
	f.change(&o)
	f.plain = newRenderer(t, o)
	render.SetLeaves(f.plain, lb.Never, 1)
	sets := levels(t)
	for range 2 {
		o.Workers, o.ISA = 1+random.IntN(8), sets[random.IntN(len(sets))]
		r := newRenderer(t, o)
		render.SetLeaves(r, lb.Always, 1)
		f.others = append(f.others, r)
	}
	return f
}

// chance returns true with probability 1/n.
func (f *leafFilm) chance(n int) bool { return f.random.IntN(n) == 0 }

// mesh returns one mesh, or several meshes joined, of any size and in any position. Some corners are not finite.
func (f *leafFilm) mesh(meshes map[string]*scenes.Mesh) *scenes.Mesh {
	names := slices.Sorted(maps.Keys(meshes))
	m := meshes[names[f.random.IntN(len(names))]]
	if f.chance(3) {
		m = joined(m, slivers(300, f.random.Uint64()), grid(30+f.random.IntN(40), -1, 1, nil))
	}
	scale, off := 1.0, vec{}
	switch f.random.IntN(6) {
	case 0:
		scale = math.Exp(f.random.Float64()*60 - 30)
	case 1:
		off = vec{f.random.NormFloat64() * 1000, f.random.NormFloat64() * 1e5, f.random.NormFloat64()}
	case 2:
		scale = 1e-20
	case 3:
		scale = 1e15
	}
	colors := m.Colors
	m = mapped(m, func(p vec) vec { return p.scale(scale).add(off) })
	m.Colors = colors
	if f.chance(2) {
		f.spoil(m)
	}
	return m
}

// spoil makes corners of some triangles infinite, NaN or very far away, or moves all three corners to one position.
func (f *leafFilm) spoil(m *scenes.Mesh) {
	for range 20 {
		i, k := f.random.IntN(m.Len()), f.random.IntN(3)
		switch f.random.IntN(4) {
		case 0:
			m.X[k][i] = float32(math.NaN())
		case 1:
			m.Y[k][i] = float32(math.Inf(1 - 2*f.random.IntN(2)))
		case 2:
			m.Z[k][i] = math.MaxFloat32
		case 3:
			corner := m.Triangle(i)[0]
			m.Set(i, [3][3]float32{corner, corner, corner})
		}
	}
}

// change replaces the options of the picture, but not the options of the renderer.
func (f *leafFilm) change(o *render.Options) {
	width, height := 150, 120
	if *long {
		width, height = 700, 500
	}
	o.Width, o.Height = 1+f.random.IntN(width), 1+f.random.IntN(height)
	o.Samples = []int{1, 4, 16}[f.random.IntN(3)]
	if o.Samples == 16 {
		o.Width, o.Height = 1+o.Width/3, 1+o.Height/3
	}
	o.Cull = []render.Cull{render.CullNone, render.CullBack, render.CullFront}[f.random.IntN(3)]
	if f.chance(2) {
		o.Light = render.LightStudio
	} else {
		o.Light = render.LightHeadlight
	}
	o.Occlusion = o.Occlusion && o.Light == render.LightStudio
	o.Triangles = o.Samples == 1 && o.Light == render.LightStudio && f.chance(2)
	o.Coverage = false
}

// frame draws a frame. Three of ten frames have another look than the frame before.
func (f *leafFilm) frame() {
	f.Helper()
	o := f.plain.Options()
	if f.random.IntN(10) < 3 {
		f.change(&o)
		for _, r := range append([]*render.Renderer{f.plain}, f.others...) {
			own, next := r.Options(), o
			next.Workers, next.Pin, next.BlockSize, next.ISA, next.Leaves = own.Workers, own.Pin, own.BlockSize, own.ISA, own.Leaves
			if err := r.SetOptions(next); err != nil {
				f.Fatal(err)
			}
		}
	}
	k := f.random.IntN(len(f.meshes))
	cam, ok := f.camera(f.meshes[k], o)
	if !ok {
		return
	}
	var want render.Picture
	before, err := f.plain.Frame(f.Context(), f.own[k], cam, &want)
	if err != nil && !errors.Is(err, render.ErrBlank) {
		return // the camera is refused
	}
	for i, r := range f.others {
		f.past(r, f.shared[k], cam)
		var pic render.Picture
		stats, err := r.Frame(f.Context(), f.shared[k], cam, &pic)
		if err != nil && !errors.Is(err, render.ErrBlank) {
			f.Fatal(err)
		}
		if err := same(&pic, &want, render.Stats{}, render.Stats{}); err != nil {
			f.Errorf("renderer %d, mesh %d: %v (%+v)", i, k, err, r.Options())
		}
		if got := stats.Triangles; stats.Covered != before.Covered || got.In != before.Triangles.In || got.Dropped != before.Triangles.Dropped {
			f.Errorf("renderer %d, mesh %d: %d pixels of %+v, want %d of %+v", i, k, stats.Covered, got, before.Covered, before.Triangles)
		}
		n, late := render.LeavesDeferred(r)
		f.deferred, f.late = f.deferred+n, f.late+late
	}
}

// The method past draws frames that a renderer may remember in the next frame.
func (f *leafFilm) past(r *render.Renderer, s *render.Surface, cam render.Camera) {
	if f.chance(5) { // the frame is cancelled at any moment
		ctx, cancel := context.WithTimeout(f.Context(), time.Duration(f.random.IntN(1500))*time.Microsecond)
		_, _ = r.Frame(ctx, s, cam, new(render.Picture)) // the frame may also be completed
		cancel()
	}
	// The first frame of another surface resets the history.
	draw := func() { _, _ = r.Frame(f.Context(), s, cam, new(render.Picture)) } // errors show up in the next frame
	switch f.random.IntN(10) {
	case 0, 1: // a group is tested once in four frames, and deferred if it was not seen for longer
		for range 9 {
			draw()
		}
		if f.chance(2) {
			render.InvertLeaves(r)
		}
	case 2:
		draw()
		render.ShuffleLeaves(r, rand.New(unseen{}))
	case 3:
		draw()
		render.ShuffleLeaves(r, f.random)
	}
}

// camera returns a camera that sees a mesh from outside, or whose eye is anywhere in its box, on a triangle or at a
// corner.
func (f *leafFilm) camera(m *scenes.Mesh, o render.Options) (cam render.Camera, ok bool) {
	random := f.random
	view := camera.Options{Azimuth: 360 * random.Float64(), Elevation: 180*random.Float64() - 90, Orthographic: f.chance(3)}
	if f.chance(4) {
		view.Azimuth, view.Elevation = float64(90*random.IntN(4)), float64(90*(random.IntN(3)-1))
	}
	if f.chance(3) && !view.Orthographic {
		view.FieldOfView = []float64{0.01, 1, 90, 150}[random.IntN(4)]
	}
	if f.chance(3) {
		view.Zoom = math.Exp(4*random.Float64() - 1)
	}
	cam, err := camera.Fit(m.Bounds(), o.Width, o.Height, view)
	if err != nil {
		return cam, false
	}
	size, corners := diagonal(cam.Box), m.Triangle(random.IntN(m.Len()))
	at := func(k int) mgl64.Vec3 {
		return mgl64.Vec3{float64(corners[k][0]), float64(corners[k][1]), float64(corners[k][2])}
	}
	eye, near := cam.Eye, -size
	switch random.IntN(5) {
	case 0:
		for a := range eye {
			eye[a] = cam.Box.Min[a] + random.Float64()*(cam.Box.Max[a]-cam.Box.Min[a])
		}
	case 1:
		eye = at(0).Add(at(1)).Add(at(2)).Mul(1.0 / 3)
	case 2:
		eye, near = at(0), 1e-6*size
	}
	if eye != cam.Eye && eye.Sub(cam.Eye).Len() < 1e3*size { // the corner is finite
		cam.Eye = eye
		cam.SetDepthRange(near, size)
	}
	return cam, true
}
