package render_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// drawnAtOnce draws one frame whose back faces are not deferred.
func drawnAtOnce(t testing.TB, mesh scenes.Source, cam render.Camera, o render.Options) (*render.Picture, render.Stats) {
	t.Helper()
	r, pic := newRenderer(t, o), new(render.Picture)
	render.DrawBacksAtOnce(r, true)
	stats, err := r.Frame(t.Context(), mesh, cam, pic)
	if err != nil && !errors.Is(err, render.ErrBlank) {
		t.Fatal(err)
	}
	return pic, stats
}

// allData returns the default look in a size with which spans are stored, with everything that a picture can hold.
func allData(width, height int) render.Options {
	o := render.Options{Width: width, Height: height, Workers: 1}.Studio()
	o.Depth, o.Coverage, o.Triangles, o.Normals = true, true, true, true
	return o
}

// inverted returns a mesh with its faces turned.
func inverted(m *scenes.Mesh) *scenes.Mesh {
	tris := make([][3]vec, m.Len())
	for t := range tris {
		for k, c := range m.Triangle(t) {
			tris[t][2-k] = vec{float64(c[0]), float64(c[1]), float64(c[2])}
		}
	}
	return meshOf(tris...)
}

// The function half returns the triangles of a mesh that lie wholly above the given y. They are on the side away from a
// camera at the front.
func half(m *scenes.Mesh, above float64) *scenes.Mesh {
	var tris [][3]vec
	for t := range m.Len() {
		var tri [3]vec
		least := math.Inf(1)
		for k, c := range m.Triangle(t) {
			tri[k] = vec{float64(c[0]), float64(c[1]), float64(c[2])}
			least = min(least, tri[k][1])
		}
		if least > above {
			tris = append(tris, tri)
		}
	}
	return meshOf(tris...)
}

// TestHiddenBacks draws meshes with deferred back faces. The pictures and counts must be the same as if back faces were
// drawn with the other faces, for any number of workers and every instruction set.
func TestHiddenBacks(t *testing.T) {
	ball := bumpy(80, 60)
	meshes := map[string]*scenes.Mesh{
		"ball":        ball,
		"turned ball": inverted(ball),
		"both":        joined(ball, inverted(ball)),
		"open":        half(sphere(90, 70, 1), -0.2),
		"soup":        soup(6000, 0.03, 1),
		"fine soup":   soup(20000, 0.005, 2),
		"awkward":     awkward(),
		"twice":       joined(soup(2000, 0.05, 3), inverted(soup(2000, 0.05, 3)), soup(2000, 0.05, 3)),
		"far":         mapped(torus(90, 60, 1, 0.3), func(p vec) vec { return p.add(vec{300, 0, 0}) }),
	}
	for i, name := range slices.Sorted(maps.Keys(meshes)) {
		mesh := meshes[name]
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			for trial := range 4 {
				if trial != i%4 && !*long { // every camera sees two or three meshes
					continue
				}
				o := allData(130+random.IntN(100), 100+random.IntN(80))
				o.BlockSize = []int{64, 1000, 4096}[trial%3]
				if trial == 1 {
					o.Samples = 16
				}
				checkHidden(t, mesh, cameraOf(t, trial, random, mesh, o), o)
			}
		})
	}
}

// cameraOf returns a camera of each kind in turn.
func cameraOf(t *testing.T, trial int, random *rand.Rand, mesh *scenes.Mesh, o render.Options) render.Camera {
	view := camera.Options{Azimuth: 360 * random.Float64(), Elevation: 60*random.Float64() - 30}
	switch trial {
	case 0:
		return closeCamera(t, mesh, o)
	case 1:
		view.Orthographic = true
	case 2:
		view.FieldOfView = 0.01
	case 3:
		view.Zoom = 5
	}
	return fitted(t, mesh, o, view)
}

// checkHidden compares frames with and without deferred back faces.
func checkHidden(t *testing.T, mesh *scenes.Mesh, cam render.Camera, o render.Options) {
	t.Helper()
	want, before := drawnAtOnce(t, mesh, cam, o)
	pic, one := drawn(t, mesh, cam, o)
	checkSame(t, pic, want)
	if one.Triangles != before.Triangles || one.Covered != before.Covered {
		t.Errorf("triangles %+v, want %+v", one.Triangles, before.Triangles)
	}
	for _, isa := range levels(t) {
		var loops [2]render.LoopStats // redistributions depend on their costs
		for _, workers := range []int{1, 3} {
			o.Workers, o.ISA = workers, isa
			pic, stats := drawn(t, mesh, cam, o)
			checkSame(t, pic, want)
			if workers == 1 {
				loops = stats.Loops
			}
			if counts(stats) != counts(one) || stats.Loops != loops {
				t.Errorf("%d workers, %s: counts %v, %v, want %v, %v", workers, isa, counts(stats), stats.Loops, counts(one), loops)
			}
		}
	}
}

// grid returns a plate of squares at y = 0 that faces a camera at the front. Its coordinates x and z reach from `from`
// to `to`.
func grid(squares int, from, to float64, hole func(x, z float64) bool) *scenes.Mesh {
	var tris [][3]vec
	at := func(i int) float64 { return from + (to-from)*float64(i)/float64(squares) }
	for i := range squares {
		for j := range squares {
			if hole == nil || !hole((at(i)+at(i+1))/2, (at(j)+at(j+1))/2) {
				tris = append(tris, quad(vec{at(i), 0, at(j)}, vec{at(i + 1), 0, at(j)}, vec{at(i + 1), 0, at(j + 1)}, vec{at(i), 0, at(j + 1)})...)
			}
		}
	}
	return meshOf(tris...)
}

// TestHiddenKnown draws scenes in which it is known whether back faces are visible.
func TestHiddenKnown(t *testing.T) {
	ball := mapped(sphere(60, 40, 0.5), func(p vec) vec { return p.add(vec{0, 2, 0}) })
	inside := inverted(ball)
	hole := func(x, z float64) bool { return math.Hypot(x, z) < 0.2 }
	for _, c := range []struct {
		name  string
		mesh  *scenes.Mesh
		drawn string // how many back faces are drawn: none, some or all
	}{
		{"a plate before a ball", joined(grid(40, -1, 1, nil), ball), "none"},
		{"a plate before a turned ball", joined(grid(40, -1, 1, nil), inside), "none"},
		{"a plate with a hole before a turned ball", joined(grid(40, -1, 1, hole), inside), "some"},
		{"a plate seen from behind", inverted(grid(40, -1, 1, nil)), "all"},
		{"a plate behind", joined(mapped(grid(40, -1, 1, nil), func(p vec) vec { return p.add(vec{0, 3, 0}) }), inverted(grid(40, -1, 1, nil))), "all"},
		{"a plate at the same place", joined(inverted(grid(40, -1, 1, nil)), grid(40, -1, 1, nil)), "all"},
		{"a plate just before", joined(grid(40, -1, 1, nil), mapped(inverted(grid(40, -1, 1, nil)), func(p vec) vec { return p.add(vec{0, 0.001, 0}) })), "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := allData(320, 300)
			cam := fitted(t, c.mesh, o, camera.Options{Orthographic: true})
			want, all := drawnAtOnce(t, c.mesh, cam, o)
			pic, got := drawn(t, c.mesh, cam, o)
			checkSame(t, pic, want)
			o.Cull = render.CullBack
			_, fronts := drawn(t, c.mesh, cam, o)
			how := "some"
			switch got.Spans {
			case fronts.Spans:
				how = "none"
			case all.Spans:
				how = "all"
			}
			if how != c.drawn {
				t.Errorf("%s of the back faces drawn, want %s: %d spans of %d, %d without", how, c.drawn, got.Spans, all.Spans, fronts.Spans)
			}
		})
	}
}

// TestEqualBacksWin draws pairs of triangles in the same place. The first triangle of a pair faces away. Samples must
// show it, because it has the smaller number.
func TestEqualBacksWin(t *testing.T) {
	front := grid(40, -1, 1, nil)
	back := inverted(front)
	both := joined(back, front)
	o := allData(320, 300)
	pic, _ := drawn(t, both, fitted(t, both, o, camera.Options{}), o)
	seen := 0
	for i, n := range pic.Triangles {
		if n == render.NoTriangle {
			continue
		}
		seen++
		if int(n) >= back.Len() {
			t.Fatalf("pixel %d shows triangle %d, want one below %d", i, n, back.Len())
		}
	}
	if seen < 40000 {
		t.Errorf("%d pixels covered", seen)
	}
}

// TestBacksAfterOthers draws frames with and without deferred back faces in turn with one renderer.
func TestBacksAfterOthers(t *testing.T) {
	mesh := bumpy(80, 60)
	o := allData(300, 220)
	o.Workers = 2
	cam := fitted(t, mesh, o, camera.Options{Azimuth: 30})
	want, _ := drawnAtOnce(t, mesh, cam, o)
	r, pic := newRenderer(t, o), new(render.Picture)
	for i := range 6 {
		render.DrawBacksAtOnce(r, i%2 == 1)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if i == 3 {
				if _, err := part.DrawRows(t.Context(), r, mesh, cam, part.Rows{Lo: 0, Hi: o.Height}, pic); err != nil {
					t.Fatal(err)
				}
			} else if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil {
				t.Fatal(err)
			}
			checkSame(t, pic, want)
		})
	}
}
