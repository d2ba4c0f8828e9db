package render_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// leafMeshes returns meshes whose groups hide each other, have the same position, or have corners that are not finite.
func leafMeshes() map[string]*scenes.Mesh {
	ball := bumpy(130, 90)
	return map[string]*scenes.Mesh{
		"ball":      ball,
		"nested":    joined(ball, mapped(ball, func(p vec) vec { return p.scale(0.7) }), mapped(ball, func(p vec) vec { return p.scale(1.3) })),
		"open":      half(sphere(180, 140, 1), -0.2),
		"soup":      inCells(soup(20000, 0.03, 1)),
		"fine soup": inCells(soup(30000, 0.005, 2)),
		"awkward":   joined(awkward(), ball, awkward()),
		"twice":     joined(ball, inverted(ball), ball),
		"coloured":  colored(joined(ball, ball)),
	}
}

// inCells sorts the triangles of a mesh by cells of space, so that its groups are small.
func inCells(m *scenes.Mesh) *scenes.Mesh {
	box, all := m.Bounds(), make([][2]int, m.Len())
	for t := range all {
		c := m.Triangle(t)[0]
		for axis := range 3 {
			all[t][0] = 12*all[t][0] + int(11.99*(float64(c[axis])-box.Min[axis])/box.Size()[axis])
		}
		all[t][1] = t
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	ordered := &scenes.Mesh{Block: scenes.MakeBlock(m.Len())}
	for t, from := range all {
		ordered.Set(t, m.Triangle(from[1]))
	}
	return ordered
}

// colored returns a mesh with a colour for each triangle.
func colored(m *scenes.Mesh) *scenes.Mesh {
	m.Colors = make([]uint32, m.Len())
	for t := range m.Colors {
		m.Colors[t] = uint32(t) * 2654435761 & 0xffffff
	}
	return m
}

// TestLeaves draws frames in turn whose groups of triangles are deferred, with the history of the frames before and
// with random histories. It compares them with frames that draw all groups at once. Counts must be the same for any
// number of workers.
func TestLeaves(t *testing.T) {
	meshes := leafMeshes()
	for i, name := range slices.Sorted(maps.Keys(meshes)) { // eight meshes
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(17, uint64(len(name))))
			for trial := range 8 {
				if trial != i && !*long {
					continue
				}
				checkLeaves(t, meshes[name], leafOptions(trial, random), trial%4, random)
			}
		})
	}
}

// leafOptions returns the options of one of several looks.
func leafOptions(trial int, random *rand.Rand) render.Options {
	o := render.Options{
		Width: 130 + random.IntN(100), Height: 100 + random.IntN(80), BlockSize: []int{64, 256, 1024}[trial%3],
		Cull: []render.Cull{render.CullNone, render.CullBack, render.CullFront}[random.IntN(3)],
	}
	switch trial % 5 {
	case 1:
		o.Light = render.LightStudio
	case 2:
		o.Samples = 4
	case 3:
		o = o.Studio()
	case 4:
		o.Samples, o.Depth, o.Coverage = 16, true, true
	}
	return o
}

// checkLeaves compares frames of a mesh with and without deferred groups.
func checkLeaves(t *testing.T, mesh *scenes.Mesh, o render.Options, trial int, random *rand.Rand) {
	t.Helper()
	s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if random.IntN(2) == 0 {
		s.Order(2)
	}
	o.Workers = 1
	plain := newRenderer(t, o)
	render.SetLeaves(plain, lb.Never, 1)
	var renderers []*render.Renderer
	for i, isa := range levels(t) {
		for k, workers := range []int{1, 3} {
			if k != (i+trial)%2 && !*long { // after all meshes, each instruction set has drawn with each number of workers
				continue
			}
			o.ISA, o.Workers = isa, workers
			r := newRenderer(t, o)
			render.SetLeaves(r, lb.Always, 1)
			renderers = append(renderers, r)
		}
	}
	leafFrame(t, plain, s, cameraOf(t, trial, random, mesh, o)) // from the next frame on, s has groups
	deferred := 0
	for frame := range 8 {
		cam := cameraOf(t, trial, random, mesh, o)
		want, _ := leafFrame(t, plain, own, cam)
		seed := random.Uint64()
		var first render.Stats
		for i, r := range renderers {
			if frame%3 == 2 {
				render.ShuffleLeaves(r, rand.New(rand.NewPCG(seed, 1)))
			}
			pic, stats := leafFrame(t, r, s, cam)
			checkSame(t, pic, want)
			if i == 0 {
				first = stats
			}
			if counts(stats) != counts(first) {
				t.Errorf("frame %d, renderer %d: counts %v, want %v", frame, i, counts(stats), counts(first))
			}
			n, _ := render.LeavesDeferred(r)
			deferred += n
		}
	}
	if deferred == 0 && trial != 0 && trial != 3 { // some cameras are so close that groups are large
		t.Error("no group was deferred")
	}
}

// leafFrame draws a frame. The frame may be blank.
func leafFrame(t *testing.T, r *render.Renderer, s *render.Surface, cam render.Camera) (*render.Picture, render.Stats) {
	t.Helper()
	pic := new(render.Picture)
	stats, err := r.Frame(t.Context(), s, cam, pic)
	if err != nil && !errors.Is(err, render.ErrBlank) {
		t.Fatal(err)
	}
	if stats.Triangles.In != int64(s.Len()) {
		t.Errorf("%d triangles, want %d", stats.Triangles.In, s.Len())
	}
	return pic, stats
}

// TestLeavesPay draws a mesh in which one third hides the rest, and a mesh that hides nothing. Groups must be deferred
// only where this saves time.
func TestLeavesPay(t *testing.T) {
	wall := grid(60, -1, 1, nil)
	behind := mapped(wall, func(p vec) vec { return p.add(vec{0, 0.1, 0}) })
	far := mapped(wall, func(p vec) vec { return p.add(vec{0, 0.2, 0}) })
	o := render.Options{Width: 400, Height: 400, BlockSize: 1024, Workers: 1}
	for _, c := range []struct {
		name  string
		mesh  *scenes.Mesh
		least int
		most  int
	}{
		{"three walls", joined(far, behind, wall), 100, 1000},
		{"a wall", wall, 0, 0},
	} {
		r, s := newRenderer(t, o), &render.Surface{Mesh: c.mesh}
		render.SetLeaves(r, lb.CostEffective, 1)
		cam := fitted(t, c.mesh, o, camera.Options{})
		for range 20 {
			leafFrame(t, r, s, cam)
		}
		pic := new(render.Picture)
		frame := func() { r.Frame(t.Context(), s, cam, pic) }
		frame()
		if n := testing.AllocsPerRun(5, frame); n > 0 {
			t.Errorf("%s: a warm frame allocates %g times", c.name, n)
		}
		deferred, late := render.LeavesDeferred(r)
		if deferred < c.least || deferred > c.most || late > deferred/10 {
			t.Errorf("%s: %d groups deferred, %d of them late; expected %d to %d", c.name, deferred, late, c.least, c.most)
		}
	}
}

// TestLeavesOrBacks checks whether lit frames defer groups or back faces. Groups must be deferred for a mesh that is
// mostly hidden. For a ball, deferring back faces saves more. The first frame, and frames after a trial of groups that
// saved nothing, must defer back faces.
func TestLeavesOrBacks(t *testing.T) {
	o := (&render.Options{Width: 200, Height: 200, BlockSize: 1024, Workers: 2}).Studio()
	for _, c := range []struct {
		name   string
		mesh   *scenes.Mesh
		groups bool
	}{{"housing", generated(t, "scene:housing?gears=27&triangles=30k&closed=1"), true}, {"ball", bumpy(130, 90), false}} {
		r := newRenderer(t, o)
		s, err := render.NewSurface(t.Context(), c.mesh, render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		render.SetLeaves(r, lb.CostEffective, 1)
		cam := fitted(t, c.mesh, o, camera.Options{})
		_, first := leafFrame(t, r, s, cam)
		if n, _ := render.LeavesDeferred(r); n != 0 {
			t.Errorf("%s: %d groups deferred in the first frame", c.name, n)
		}
		byGroups, other := 0, 0
		for range 122 {
			_, stats := leafFrame(t, r, s, cam)
			if n, _ := render.LeavesDeferred(r); n > 0 {
				byGroups++
			}
			if counts(stats) != counts(first) {
				other++
			}
		}
		if c.groups && byGroups < 115 || !c.groups && (byGroups > 0 || other != 2) { // one frame in 61 is a trial
			t.Errorf("%s: groups deferred in %d frames, %d differ from those with back faces deferred", c.name, byGroups, other)
		}
	}
}

// strips returns groups of flat triangles that are wider than a box. The triangles extend to the right from behind a
// wall that is too large to be deferred.
func strips() *scenes.Mesh {
	random := rand.New(rand.NewPCG(2, 7))
	const groups = 60
	m := &scenes.Mesh{Block: scenes.MakeBlock(64 * groups)}
	for group := range groups {
		x, z := -1.2+0.2*random.Float32(), 2*random.Float32()-1
		for t := range 64 {
			up := z + 0.002*float32(t)
			m.Set(64*group+t, [3][3]float32{{x, 0, up}, {x + 1.5, 0, up}, {x + 1.5*random.Float32(), 0, up + 0.01}})
		}
	}
	for t := range 64 {
		m.Set(t, [3][3]float32{{-6, -0.1, -3}, {0, -0.1, -3}, {0, -0.1, 3}})
	}
	m.Set(0, [3][3]float32{{6, 0, 0}, {6, 0, 0.01}, {6, 0.01, 0}}) // moves the middle of the mesh to the wall's right edge
	return m
}

// TestLeavesInTurn draws surfaces in turn that reach beyond the edges of the picture. In one history no group was ever
// visible, and the other histories are random.
func TestLeavesInTurn(t *testing.T) {
	o := render.Options{Width: 300, Height: 250, BlockSize: 256, Workers: 2}
	checkInTurn(t, o)
	o.Light, o.Triangles, o.Cull = render.LightStudio, true, render.CullBack
	checkInTurn(t, o)
}

func checkInTurn(t *testing.T, o render.Options) {
	t.Helper()
	plain, r := newRenderer(t, o), newRenderer(t, o)
	render.SetLeaves(plain, lb.Never, 1)
	render.SetLeaves(r, lb.Always, 1)
	fine := inCells(soup(15000, 0.005, 2))
	surfaces := []*render.Surface{{Mesh: fine}, {Mesh: joined(fine, fine)}, {Mesh: strips()}}
	surfaces[1].Order(1)
	for i := range 24 {
		s := surfaces[i/2%3] // each surface twice, because a frame of another surface resets the history
		cam := fitted(t, s.Mesh, o, camera.Options{Azimuth: float64(i % 7), Zoom: []float64{1.7, 1.7, 5}[i/2%3], Orthographic: i%4 > 1})
		want, _ := leafFrame(t, plain, s, cam)
		history := rand.New(unseen{})
		if i%4 > 1 {
			history = rand.New(rand.NewPCG(uint64(i), 1))
		}
		render.ShuffleLeaves(r, history)
		pic, _ := leafFrame(t, r, s, cam)
		checkSame(t, pic, want)
		if deferred, late := render.LeavesDeferred(r); i > 6 && i%2 > 0 && late == 0 {
			t.Errorf("frame %d: %d groups deferred, %d of them late", i, deferred, late)
		}
	}
}

// unseen is a source of random numbers that stand for groups not seen for seven frames.
type unseen struct{}

func (unseen) Uint64() uint64 { return 7 << 32 }

// TestLeavesCalledOff cancels frames at any moment. The next complete frame must equal that of a renderer that defers
// no groups.
func TestLeavesCalledOff(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	ball := bumpy(130, 90)
	mesh := joined(ball, mapped(ball, func(p vec) vec { return p.scale(0.8) }))
	o := render.Options{Width: 300, Height: 200, BlockSize: 64, Workers: 2}
	s := &render.Surface{Mesh: mesh}
	s.Order(1)
	plain, r := newRenderer(t, o), newRenderer(t, o)
	render.SetLeaves(plain, lb.Never, 1)
	render.SetLeaves(r, lb.Always, 1)
	cam := fitted(t, mesh, o, camera.Options{Azimuth: 20})
	want, _ := leafFrame(t, plain, s, cam)
	for range 8 {
		leafFrame(t, r, s, cam)
	}
	for range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		wait := time.Duration(random.IntN(2000)) * time.Microsecond
		render.ShuffleLeaves(r, rand.New(unseen{})) // many groups are then drawn after all
		go func() { time.Sleep(wait); cancel(); close(done) }()
		if _, err := r.Frame(ctx, s, cam, new(render.Picture)); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		<-done
		render.ShuffleLeaves(r, rand.New(unseen{}))
		pic, _ := leafFrame(t, r, s, cam)
		checkSame(t, pic, want)
	}
}

// TestPacked draws a film of a mesh with many triangles a sample. Its groups must be packed after some frames, and the
// pictures must stay the same.
func TestPacked(t *testing.T) {
	if isa.Detect() < isa.AVX512 {
		t.Skip("sieves need AVX-512")
	}
	surface := &render.Surface{Mesh: generated(t, "scene:bumpy?triangles=200k")}
	o := render.Options{Width: 80, Height: 60, Workers: 2, ISA: "avx512"}
	r := newRenderer(t, o)
	render.SetLeaves(r, lb.CostEffective, 1)
	o.Leaves = lb.Never
	plain := newRenderer(t, o)
	found := 0 // number of frames that found or packed groups
	for frame := range 80 {
		cam := fitted(t, surface.Mesh, o, camera.Options{Azimuth: float64(3 * frame), Elevation: 20})
		pic, stats := leafFrame(t, r, surface, cam)
		if stats.Seconds.Leaves > 0 {
			found++
		}
		if frame%8 == 7 {
			want, _ := leafFrame(t, plain, surface, cam)
			checkSame(t, pic, want)
		}
	}
	if found != 2 {
		t.Errorf("%d frames found or packed groups, want 2", found)
	}
}

// TestLeavesReleaseMesh checks that a renderer that has deferred groups, and left out triangles that cover no sample,
// does not keep the mesh.
func TestLeavesReleaseMesh(t *testing.T) {
	o := render.Options{Width: 40, Height: 30, BlockSize: 1024, Workers: 2}
	r := newRenderer(t, o)
	render.SetLeaves(r, lb.Always, 1)
	kept := func() (all []weak.Pointer[float32]) {
		s := &render.Surface{Mesh: bumpy(130, 90)}
		for range 2 {
			leafFrame(t, r, s, fitted(t, s.Mesh, o, camera.Options{}))
		}
		s.Order(1)
		leafFrame(t, r, s, fitted(t, s.Mesh, o, camera.Options{}))
		return append(all, weak.Make(&s.X[0][0]), weak.Make(&render.Ordered(s).X[0][0]))
	}()
	runtime.GC()
	for i, p := range kept {
		if p.Value() != nil {
			t.Errorf("the renderer keeps the coordinates of %s", []string{"the mesh", "its sorted copy"}[i])
		}
	}
	runtime.KeepAlive(r)
}

// TestUnpacked draws films of meshes whose groups must not be packed: because the caller says so, or because their
// triangles share no vertices.
func TestUnpacked(t *testing.T) {
	if isa.Detect() < isa.AVX512 {
		t.Skip("sieves need AVX-512")
	}
	bumpy := &render.Surface{Mesh: generated(t, "scene:bumpy?triangles=200k")}
	bumpy.LeaveUnpacked()
	loose := &render.Surface{Mesh: inCells(soup(100000, 0.001, 4))}
	for name, s := range map[string]*render.Surface{"the caller": bumpy, "no shared vertices": loose} {
		o := render.Options{Width: 80, Height: 60, Workers: 2, ISA: "avx512"}
		r := newRenderer(t, o)
		render.SetLeaves(r, lb.CostEffective, 1)
		examined := 0 // number of frames after the second that took time for groups
		for frame := range 70 {
			_, stats := leafFrame(t, r, s, fitted(t, s.Mesh, o, camera.Options{Azimuth: float64(3 * frame)}))
			if frame > 1 && stats.Seconds.Leaves > 0 {
				examined++
			}
		}
		if most := map[*render.Surface]int{loose: 1}[s]; render.IsPacked(s) || examined != most {
			t.Errorf("%s: groups are packed: %t; %d frames took time for them, want %d", name, render.IsPacked(s), examined, most)
		}
	}
}
