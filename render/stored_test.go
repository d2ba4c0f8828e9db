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
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/prepared"
)

// stored writes a surface to a prepared file, which is kept in memory as far as a limit allows; 0: all of it.
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

// TestStored draws frames of meshes that stay in their files, whatever is kept of these, after any history, and compares
// them with frames of the mesh in memory.
func TestStored(t *testing.T) {
	meshes := leafMeshes()
	for i, name := range slices.Sorted(maps.Keys(meshes)) { // eight
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(18, uint64(i)))
			s, err := render.NewSurface(t.Context(), meshes[name], render.SurfaceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			files := []*render.Stored{stored(t, s, 0), stored(t, s, 1<<20), stored(t, s, 300<<10)}
			for trial := range 10 {
				if trial != i && trial != i+2 && !*long {
					continue
				}
				checkStored(t, s, files, leafOptions(trial, random), trial, random)
			}
		})
	}
}

// checkStored compares frames of files with those of a surface in memory.
func checkStored(t *testing.T, s *render.Surface, files []*render.Stored, o render.Options, trial int, random *rand.Rand) {
	t.Helper()
	if trial >= 5 && o.Light == render.LightStudio {
		o.Shading = render.ShadingFlat
	}
	o.Workers = 1
	plain := newRenderer(t, o)
	render.SetLeaves(plain, lb.Never, 1)
	var renderers []*render.Renderer
	for i, isa := range levels(t) {
		for k, policy := range []lb.Policy{lb.Always, lb.CostEffective, lb.Never} {
			o.ISA, o.Workers = isa, []int{1, 4, 2}[(i+k)%3]
			r := newRenderer(t, o)
			render.SetLeaves(r, policy, 1)
			renderers = append(renderers, r)
		}
	}
	for range 3 {
		cam := cameraOf(t, trial%4, random, s.Mesh, o)
		want, wantStats := leafFrame(t, plain, s, cam)
		for i, r := range renderers {
			pic := new(render.Picture)
			stats, err := r.Frame(t.Context(), files[(i+trial)%len(files)], cam, pic)
			if err != nil && !errors.Is(err, render.ErrBlank) {
				t.Fatal(err)
			}
			checkSame(t, pic, want)
			if stats.Triangles.In != wantStats.Triangles.In || stats.Triangles.Dropped != wantStats.Triangles.Dropped || stats.Covered != wantStats.Covered {
				t.Errorf("renderer %d: %+v, want %+v", i, stats.Triangles, wantStats.Triangles)
			}
		}
	}
}
