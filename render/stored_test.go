package render_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/prepared"
	"lockstep/vp/trace"
)

// stored writes a surface to a prepared file and opens the file. At most limit bytes of the file are stored in memory,
// or all bytes if limit is 0.
func stored(t testing.TB, s *render.Surface, limit int64) *render.Stored {
	t.Helper()
	var out bytes.Buffer
	if err := s.WritePrepared(t.Context(), &out, 0, 2); err != nil {
		t.Fatal(err)
	}
	return storedBytes(t, out.Bytes(), limit)
}

func storedBytes(t testing.TB, data []byte, limit int64) *render.Stored {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mesh.lkm")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, _, err := format.Open(t.Context(), path, scenes.ReadOptions{MaxMemory: limit}, prepared.Format)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	made, err := render.NewStored(f.(*prepared.File))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestStored draws frames of meshes that stay in their files, and compares them with frames of the same meshes in
// memory. Any part of a file may be in memory, and the renderers have any history.
func TestStored(t *testing.T) {
	meshes := leafMeshes()
	for i, name := range slices.Sorted(maps.Keys(meshes)) { // eight meshes
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(18, uint64(i)))
			s, err := render.NewSurface(t.Context(), meshes[name], render.SurfaceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			files := []*render.Stored{stored(t, s, 0), stored(t, s, 1<<20), stored(t, s, 300<<10)}
			for trial := range 10 {
				if trial != i && !*long {
					continue
				}
				checkStored(t, s, files, leafOptions(trial, random), trial, random)
			}
		})
	}
}

// checkStored compares frames of files with frames of a surface in memory.
func checkStored(t *testing.T, s *render.Surface, files []*render.Stored, o render.Options, trial int, random *rand.Rand) {
	t.Helper()
	if trial >= 5 && o.Light == render.LightStudio {
		o.Shading = render.ShadingFlat
	}
	small := trial == 4 // blocks are smaller than a group
	if small {
		o.BlockSize = 40
	}
	o.Workers = 1
	plain := newRenderer(t, o)
	render.SetLeaves(plain, lb.Never, 1)
	var renderers []*render.Renderer
	for i, isa := range levels(t) {
		for k, policy := range []lb.Policy{lb.Always, lb.CostEffective, lb.Never} {
			if k != (i+trial)%3 && !*long { // after all meshes, each instruction set has drawn with each policy
				continue
			}
			o.ISA, o.Workers = isa, []int{1, 4, 2}[(i+k)%3]
			r := newRenderer(t, o)
			render.SetLeaves(r, policy, 1)
			renderers = append(renderers, r)
		}
	}
	late := 0
	for frame := range 3 {
		cam := cameraOf(t, (trial+frame)%4, random, s.Mesh, o)
		want, wantStats := leafFrame(t, plain, s, cam)
		for i, r := range renderers {
			pic := new(render.Picture)
			if frame > 0 {
				render.ShuffleLeaves(r, random)
			}
			stats, err := r.Frame(t.Context(), files[(i+trial)%len(files)], cam, pic)
			if err != nil && !errors.Is(err, render.ErrBlank) {
				t.Fatal(err)
			}
			checkSame(t, pic, want)
			if stats.Triangles.In != wantStats.Triangles.In || stats.Triangles.Dropped != wantStats.Triangles.Dropped || stats.Covered != wantStats.Covered {
				t.Errorf("renderer %d: %+v, want %+v", i, stats.Triangles, wantStats.Triangles)
			}
			_, n := render.LeavesDeferred(r)
			late += n
			if frame == 1 { // the same renderer draws a mesh in memory in between
				pic, _ := leafFrame(t, r, s, cam)
				checkSame(t, pic, want)
			}
		}
	}
	if late == 0 && !small {
		t.Error("no group was drawn late")
	}
}

// TestStoredGuess checks that the first frame of a closed surface defers most of the hidden groups, and few of the
// visible groups. For an open surface, all of which is visible, it must defer almost nothing.
func TestStoredGuess(t *testing.T) {
	o := render.Options{Width: 800, Height: 800, Workers: 2, BlockSize: 1024}
	for _, c := range []struct {
		name        string
		mesh        *scenes.Mesh
		least, most int // share of groups that are deferred, in per cent
	}{
		{"ball", sphere(500, 300, 1), 25, 55},
		{"wall", grid(400, -1, 1, nil), 0, 2},
	} {
		s := stored(t, &render.Surface{Mesh: c.mesh}, 0)
		for _, parallel := range []bool{false, true} {
			r := newRenderer(t, o)
			render.SetLeaves(r, lb.CostEffective, 1)
			cam := fitted(t, c.mesh, o, camera.Options{Azimuth: 20, Elevation: 30, Orthographic: parallel})
			pic := new(render.Picture)
			stats, err := r.Frame(t.Context(), s, cam, pic)
			if err != nil {
				t.Fatal(err)
			}
			l := stats.Leaves
			if share := int(100 * l.Deferred / max(l.Groups, 1)); share < c.least || share > c.most || 4*l.Late > l.Deferred {
				t.Errorf("%s, parallel %v: of %d groups %d are deferred, and %d of those seen", c.name, parallel, l.Groups, l.Deferred, l.Late)
			}
		}
	}
}

// TestStoredInTurn draws two meshes in turn with one renderer, smooth and flat, from files and from memory. Each
// picture must equal that of a renderer that draws nothing else. The meshes have more chunks than a worker can store.
func TestStoredInTurn(t *testing.T) {
	ball := bumpy(130, 90)
	var parts []*scenes.Mesh
	for i := range 5 {
		parts = append(parts, mapped(ball, func(p vec) vec { return p.add(vec{3 * float64(i), 0, 0}) }))
	}
	one, two := joined(parts...), joined(parts[1], parts[0], parts[4], parts[3], parts[2], half(ball, 0))
	o := render.Options{Width: 240, Height: 100, Workers: 2}.Studio()
	cam := fitted(t, one, o, camera.Options{Elevation: 30})
	var sources []scenes.Source
	for _, m := range []*scenes.Mesh{one, two} {
		s, err := render.NewSurface(t.Context(), m, render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, stored(t, s, 0), stored(t, s, 1<<20), s, &render.Surface{Mesh: m})
	}
	wanted := map[[2]int]*render.Picture{} // pictures by shading and source
	for _, isa := range levels(t) {
		o.ISA = isa
		r := newRenderer(t, o)
		for _, shading := range []render.Shading{render.ShadingSmooth, render.ShadingFlat, render.ShadingSmooth} {
			o.Shading = shading
			changed := r.Options()
			changed.Shading = shading
			if err := r.SetOptions(changed); err != nil {
				t.Fatal(err)
			}
			for i := range sources {
				at := (3 * i) % len(sources) // successive sources are of different meshes
				same := at/4*4 + 2           // index of the same mesh in memory, with normals
				if at%4 == 3 {
					same = at
				}
				if wanted[[2]int{int(shading), same}] == nil {
					wanted[[2]int{int(shading), same}] = firstFrame(t, sources[same], o, cam)
				}
				got := new(render.Picture)
				if _, err := r.Frame(t.Context(), sources[at], cam, got); err != nil {
					t.Fatal(err)
				}
				checkSame(t, got, wanted[[2]int{int(shading), same}])
			}
		}
	}
}

// firstFrame draws a source with a new renderer.
func firstFrame(t *testing.T, source scenes.Source, o render.Options, cam render.Camera) *render.Picture {
	t.Helper()
	pic := new(render.Picture)
	if _, err := newRenderer(t, o).Frame(t.Context(), source, cam, pic); err != nil {
		t.Fatal(err)
	}
	return pic
}

// TestStoredBlocks checks that the blocks of a file are timed and traced in the same way as the blocks of any other
// source that is not in memory.
func TestStoredBlocks(t *testing.T) {
	m := bumpy(130, 90)
	file := stored(t, &render.Surface{Mesh: m}, 0)
	blocks := map[int]bool{}
	watch := func(step trace.Step) error {
		blocks[step.Block] = true
		return nil
	}
	for _, o := range []render.Options{{Width: 90, Height: 70, BlockSize: 1024, TimeBlocks: true}, {Width: 90, Height: 70, Trace: watch}} {
		r := newRenderer(t, o)
		cam := fitted(t, m, o, camera.Options{})
		want, got := new(render.Picture), new(render.Picture)
		if _, err := newRenderer(t, render.Options{Width: 90, Height: 70}).Frame(t.Context(), m, cam, want); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Frame(t.Context(), file, cam, got); err != nil {
			t.Fatal(err)
		}
		checkSame(t, got, want)
		if n := scenes.NumBlocks(file); o.TimeBlocks && len(r.BlockSeconds()) != n {
			t.Errorf("%d blocks are timed of %d", len(r.BlockSeconds()), n)
		} else if !o.TimeBlocks && len(blocks) != n {
			t.Errorf("%d blocks are traced of %d", len(blocks), n)
		}
	}
}

// TestStoredFails checks that the error of a file that can no longer be read is returned, wherever the frame reads the
// file.
func TestStoredFails(t *testing.T) {
	m := bumpy(130, 90)
	s, err := render.NewSurface(t.Context(), m, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaves := range []lb.Policy{lb.Always, lb.Never} {
		for _, o := range []render.Options{{Width: 90, Height: 70}, render.Options{Width: 90, Height: 70}.Studio()} {
			file := stored(t, s, 1<<18)
			r := newRenderer(t, o)
			render.SetLeaves(r, leaves, 1)
			cam, pic := fitted(t, m, o, camera.Options{}), new(render.Picture)
			if _, err := r.Frame(t.Context(), file, cam, pic); err != nil {
				t.Fatal(err)
			}
			file.Close()
			if _, err := r.Frame(t.Context(), file, cam, pic); !errors.Is(err, os.ErrClosed) {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestStoredRecordsFail checks that the error of records that cannot be read is returned even if all groups of
// triangles are in memory.
func TestStoredRecordsFail(t *testing.T) {
	m := bumpy(130, 90)
	s, err := render.NewSurface(t.Context(), m, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := stored(t, s, 0)
	flat := render.Options{Width: 90, Height: 70}
	cam, pic := fitted(t, m, flat, camera.Options{}), new(render.Picture)
	for range 2 { // chunks are kept when they are read for the second time
		if _, err := newRenderer(t, flat).Frame(t.Context(), file, cam, pic); err != nil {
			t.Fatal(err)
		}
	}
	file.Close()
	if _, err := newRenderer(t, flat).Frame(t.Context(), file, cam, pic); err != nil {
		t.Fatalf("leaves are not in memory: %v", err)
	}
	if _, err := newRenderer(t, flat.Studio()).Frame(t.Context(), file, cam, pic); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}
