package view

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/draw"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// storedServer returns a viewer of a prepared mesh with two parts. limit is the largest memory for meshes.
func storedServer(t *testing.T, triangles string, limit int64) *Server {
	t.Helper()
	scene, err := procedural.Parse("scene:bumpy?triangles=" + triangles)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	half := mesh.Len() / 2
	mesh.Parts = []scenes.Part{{Name: "first", Count: half}, {Name: "second", First: half, Count: mesh.Len() - half}}
	surface, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{Crease: 35})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := surface.WritePrepared(t.Context(), &out, 35, 2); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mesh.lkm")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return started(t, func(o *Options) {
		o.Meshes, o.Policy = []recipe.Mesh{{File: file}}, "never"
		o.Drawer.Read.MaxMemory, o.Drawer.Workers = limit, 2
	})
}

// sessionOf returns a session that shows the mesh, in memory if resident is set.
func sessionOf(t *testing.T, s *Server, resident bool) *session {
	t.Helper()
	s.options.Drawer.Resident = resident
	s.cached = nil
	one := &session{server: s}
	t.Cleanup(one.close)
	if err := one.setMesh(t.Context(), &request{}); err != nil {
		t.Fatal(err)
	}
	s.options.Drawer.Resident = false
	if inFile := one.base.Mesh() == nil; inFile == resident {
		t.Fatalf("the mesh stays in its file: %t", inFile)
	}
	return one
}

// TestStoredMesh compares the replies of a viewer of a prepared mesh with those of a viewer that has the same mesh in
// memory.
func TestStoredMesh(t *testing.T) {
	s := storedServer(t, "20k", 0)
	inFile, inMemory := sessionOf(t, s, false), sessionOf(t, s, true)
	for name, change := range map[string]func(*recipe.Picture){
		"default": func(*recipe.Picture) {},
		"closer":  func(p *recipe.Picture) { p.Camera.Zoom = 5; p.Camera.View = &recipe.View{Azimuth: 70, Elevation: -20} },
		"flat":    func(p *recipe.Picture) { p.Look.Shading, p.Look.Samples = "flat", 1 },
		"fast":    func(p *recipe.Picture) { p.Fast() },
		"crease":  func(p *recipe.Picture) { p.Look.Crease = 5 },
		"edges":   func(p *recipe.Picture) { p.Lines.Edges = true },
		"parts":   func(p *recipe.Picture) { p.Parts.Hide = []recipe.Part{"first"} },
		"section": func(p *recipe.Picture) { p.Cuts.Sections = slid(60).Picture.Cuts.Sections },
		"again":   func(*recipe.Picture) {},
	} {
		r := &request{Kind: "move", Size: recipe.Size{Width: 160, Height: 120}, At: [2]float64{80, 60}}
		change(&r.Picture)
		r.Picture.Size = r.Size
		for kind, ask := range map[string]func(*session, context.Context, *request) ([]byte, error){
			"move": (*session).drawMovement, "still": (*session).drawStill, "pick": (*session).answerPick, "fit": (*session).answerFit,
		} {
			got, err := ask(inFile, t.Context(), r)
			if err != nil {
				t.Fatal(name, kind, err)
			}
			want, err := ask(inMemory, t.Context(), r)
			if err != nil {
				t.Fatal(name, kind, err)
			}
			if kind == "move" || kind == "still" {
				got, want = pixelsOf(t, got[headerBytes:]), pixelsOf(t, want[headerBytes:])
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s: another answer: %.200s, want %.200s", name, kind, got, want)
			}
		}
	}
	if message, err := inFile.drawHeat(t.Context(), &request{Size: recipe.Size{Width: 64, Height: 48}, Picture: recipe.Picture{Size: recipe.Size{Width: 64, Height: 48}}}); err != nil || len(message) < headerBytes {
		t.Error("times of blocks:", err)
	}
	r := &request{Kind: "move", Size: recipe.Size{Width: 64, Height: 48}, Picture: recipe.Picture{Size: recipe.Size{Width: 64, Height: 48}}}
	if _, err := inFile.drawMovement(t.Context(), r); err != nil || inFile.base.Mesh() != nil || inFile.cachedInput.Mesh() != nil {
		t.Error("the mesh does not stay in its file after pictures that need all of it", err)
	}
}

// pixelsOf returns the pixels of a picture file.
func pixelsOf(t *testing.T, file []byte) []byte {
	t.Helper()
	pic, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	to := image.NewNRGBA(pic.Bounds())
	draw.Draw(to, to.Rect, pic, to.Rect.Min, draw.Src)
	return to.Pix
}

// TestStoredHello checks that a mesh in its file has the same description as one in memory, but without areas.
func TestStoredHello(t *testing.T) {
	s := storedServer(t, "20k", 0)
	describe := func(one *session) (h hello) {
		text, err := one.describeMesh(t.Context(), &request{Kind: "file", Size: recipe.Size{Width: 160, Height: 120}})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	got, want := describe(sessionOf(t, s, false)), describe(sessionOf(t, s, true))
	for i := range want.Parts {
		if got.Parts[i].Area != nil || *want.Parts[i].Area <= 0 {
			t.Errorf("part %d has the areas %v and %v", i, got.Parts[i].Area, want.Parts[i].Area)
		}
		want.Parts[i].Area = nil
	}
	if len(want.Parts) != 2 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestStoredMemory shows a mesh that needs more memory than the limit. Requests that need the whole mesh are refused
// with one line, and a pick returns no rim.
func TestStoredMemory(t *testing.T) {
	s := storedServer(t, "500k", 6<<20)
	one := sessionOf(t, s, false)
	heap := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := heap()
	r := &request{Kind: "move", Size: recipe.Size{Width: 160, Height: 120}, At: [2]float64{80, 60}}
	r.Picture.Size = r.Size
	for i := range 12 {
		r.Picture.Camera.View = &recipe.View{Azimuth: float64(30 * i)}
		if _, err := one.drawMovement(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := one.drawStill(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if answer, err := one.answerPick(t.Context(), r); err != nil || !strings.Contains(string(answer), `"hit":true`) || !strings.Contains(string(answer), `"rim":null`) {
		t.Errorf("%s %v", answer, err)
	}
	n := one.base.Len()
	if took, mesh := heap()-before, budget.MeshBytes(n)+footprint.Surface(n); took > mesh*9/10 {
		t.Errorf("%d bytes are in use, and the mesh in memory takes %d", took, mesh)
	}
	for name, change := range map[string]func(*recipe.Picture){
		"edges":   func(p *recipe.Picture) { p.Lines.Edges = true },
		"section": func(p *recipe.Picture) { p.Cuts.Sections = slid(60).Picture.Cuts.Sections },
	} {
		cut := *r
		change(&cut.Picture)
		if _, err := one.drawMovement(t.Context(), &cut); err == nil || !strings.Contains(err.Error(), "memory") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoredDamage checks that a damaged chunk of the file is reported to the page once.
func TestStoredDamage(t *testing.T) {
	s := storedServer(t, "20k", 0)
	file := s.options.Meshes[0].File
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[200_000] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	one := sessionOf(t, s, false)
	r := &request{Kind: "move", Size: recipe.Size{Width: 160, Height: 120}}
	r.Picture.Size = r.Size
	if _, err := one.drawMovement(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if text := string(one.takeDamageMessage()); !strings.Contains(text, "mesh.lkm: byte ") || !strings.Contains(text, "left out") || one.takeDamageMessage() != nil {
		t.Error(text)
	}
}
