package render_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/prepared"
)

// TestStoredBySeveral draws one file with several renderers at once, with different cameras. The renderers share the
// memory in which parts of the file are stored.
func TestStoredBySeveral(t *testing.T) {
	m := bumpy(130, 90)
	s, err := render.NewSurface(t.Context(), m, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := stored(t, s, 400<<10)
	var all sync.WaitGroup
	for i := range 3 {
		o := render.Options{Width: 120, Height: 90, Workers: 2}.Studio()
		if i == 1 {
			o.Shading = render.ShadingFlat
		}
		r, plain := newRenderer(t, o), newRenderer(t, o)
		all.Go(func() {
			for turn := range 4 {
				cam := fitted(t, m, o, camera.Options{Azimuth: float64(90*i + 20*turn), Elevation: 20})
				got, want := new(render.Picture), new(render.Picture)
				_, err := r.Frame(t.Context(), file, cam, got)
				if _, err2 := plain.Frame(t.Context(), s, cam, want); err != nil || err2 != nil {
					t.Error(err, err2)
					return
				}
				checkSame(t, got, want)
			}
		})
	}
	all.Wait()
}

// TestStoredCut draws a file that is truncated while it is drawn. Triangles that can no longer be read must be left
// out, and the file must report this. In the file, records lie behind the groups of triangles. Workers may still have
// the records that they need.
func TestStoredCut(t *testing.T) {
	m := bumpy(130, 90)
	s, err := render.NewSurface(t.Context(), m, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WritePrepared(t.Context(), &out, 0, 2); err != nil {
		t.Fatal(err)
	}
	o := render.Options{Width: 120, Height: 90, Workers: 2}.Studio()
	cam := fitted(t, m, o, camera.Options{Elevation: 20})
	for _, size := range []int{0, 100, out.Len() / 4, out.Len() * 3 / 5} {
		path := filepath.Join(t.TempDir(), "mesh.lkm")
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		f, _, err := format.Open(t.Context(), path, scenes.ReadOptions{MaxMemory: 200 << 10}, prepared.Format)
		if err != nil {
			t.Fatal(err)
		}
		file, err := render.NewStored(f.(*prepared.File))
		if err != nil {
			t.Fatal(err)
		}
		r, pic := newRenderer(t, o), new(render.Picture)
		if _, err := r.Frame(t.Context(), file, cam, pic); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(size)); err != nil {
			t.Fatal(err)
		}
		var damage *scenes.DamageError
		if _, err = r.Frame(t.Context(), file, cam, pic); err != nil && !errors.Is(err, render.ErrBlank) || size < out.Len()/2 && !errors.As(file.Damage(), &damage) {
			t.Errorf("cut to %d bytes: %v, damage %v", size, err, file.Damage())
		}
		f.Close()
	}
}
