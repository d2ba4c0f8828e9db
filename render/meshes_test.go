package render_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// The function some returns all of a list with -long, otherwise its first half, or its first quarter under the race
// detector, which makes tests ten times as slow.
func some[T any](list []T) []T {
	switch {
	case raceEnabled:
		return list[:(len(list)+3)/4]
	case !*long:
		return list[:(len(list)+1)/2]
	}
	return list
}

// smaller returns options for a picture of about half the width and height, with odd sizes as before. With -long it
// returns o unchanged. References take long for each pixel.
func smaller(o render.Options) render.Options {
	if !*long {
		o.Width, o.Height = o.Width/4*2+o.Width%2, o.Height/4*2+o.Height%2
	}
	return o
}

// meshOf returns a mesh of the given triangles.
func meshOf(triangles ...[3]vec) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(len(triangles))}
	for t, tri := range triangles {
		m.Set(t, [3][3]float32{f32(tri[0]), f32(tri[1]), f32(tri[2])})
	}
	return m
}

func f32(p vec) [3]float32 { return [3]float32{float32(p[0]), float32(p[1]), float32(p[2])} }

// quad returns two triangles. a, b, c and d are the corners in counter-clockwise order.
func quad(a, b, c, d vec) [][3]vec { return [][3]vec{{a, b, c}, {a, c, d}} }

// plate returns a rectangle in the plane y = depth whose front faces the front view.
func plate(x0, x1, z0, z1, depth float64) [][3]vec {
	return quad(vec{x0, depth, z0}, vec{x1, depth, z0}, vec{x1, depth, z1}, vec{x0, depth, z1})
}

// boxMesh returns a closed box whose faces point outwards.
func boxMesh(lo, hi vec) *scenes.Mesh {
	at := func(bits int) vec {
		p := lo
		for c := range p {
			if bits&(1<<c) != 0 {
				p[c] = hi[c]
			}
		}
		return p
	}
	var tris [][3]vec
	for _, f := range [6][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		tris = append(tris, quad(at(f[0]), at(f[1]), at(f[2]), at(f[3]))...)
	}
	return meshOf(tris...)
}

// globe returns a closed surface around the origin whose faces point outwards. radius gives its distance from the
// origin by longitude and latitude. Corners at the same place have the same bits.
func globe(around, along int, radius func(lon, lat float64) float64) *scenes.Mesh {
	corner := func(i, j int) vec {
		lon, lat := 2*math.Pi*float64(i%around)/float64(around), math.Pi*(float64(j)/float64(along)-0.5)
		if j == 0 || j == along {
			lon = 0
		}
		sin, cos := math.Sincos(lat)
		if j == 0 || j == along {
			cos = 0
		}
		r := radius(lon, lat)
		return vec{r * cos * math.Cos(lon), r * cos * math.Sin(lon), r * sin}
	}
	var tris [][3]vec
	for j := range along {
		for i := range around {
			a, b, c, d := corner(i, j), corner(i+1, j), corner(i+1, j+1), corner(i, j+1)
			if j > 0 {
				tris = append(tris, [3]vec{a, b, c})
			}
			if j < along-1 {
				tris = append(tris, [3]vec{a, c, d})
			}
		}
	}
	return meshOf(tris...)
}

func sphere(around, along int, r float64) *scenes.Mesh {
	return globe(around, along, func(_, _ float64) float64 { return r })
}

// bumpy returns a sphere with waves on its surface.
func bumpy(around, along int) *scenes.Mesh {
	return globe(around, along, func(lon, lat float64) float64 {
		return 1 + 0.2*math.Sin(7*lon)*math.Cos(lat)*math.Sin(9*lat)
	})
}

// torus returns a closed torus around the z axis whose faces point outwards.
func torus(around, across int, major, minor float64) *scenes.Mesh {
	corner := func(i, j int) vec {
		u := 2 * math.Pi * float64(i%around) / float64(around)
		v := 2 * math.Pi * float64(j%across) / float64(across)
		r := major + minor*math.Cos(v)
		return vec{r * math.Cos(u), r * math.Sin(u), minor * math.Sin(v)}
	}
	var tris [][3]vec
	for i := range around {
		for j := range across {
			tris = append(tris, quad(corner(i, j), corner(i+1, j), corner(i+1, j+1), corner(i, j+1))...)
		}
	}
	return meshOf(tris...)
}

// soup returns n random triangles of about the given size in the unit cube, each with its own colour.
func soup(n int, size float64, seed uint64) *scenes.Mesh {
	r := rand.New(rand.NewPCG(seed, 1))
	random := func() vec { return vec{r.Float64(), r.Float64(), r.Float64()} }
	tris := make([][3]vec, n)
	for t := range tris {
		at := random()
		for k := range 3 {
			tris[t][k] = at.add(random().sub(vec{0.5, 0.5, 0.5}).scale(2 * size))
		}
	}
	m := meshOf(tris...)
	m.Colors = make([]uint32, n)
	for t := range m.Colors {
		m.Colors[t] = r.Uint32() & 0xffffff
	}
	return m
}

// slivers returns n needles across the unit cube.
func slivers(n int, seed uint64) *scenes.Mesh {
	r := rand.New(rand.NewPCG(seed, 2))
	random := func() vec { return vec{r.Float64(), r.Float64(), r.Float64()} }
	tris := make([][3]vec, n)
	for t := range tris {
		tris[t][0], tris[t][1] = random(), random()
		tris[t][2] = tris[t][0].add(tris[t][1]).scale(0.5).add(random().scale(0.01))
	}
	return meshOf(tris...)
}

// mapped returns a copy of m with every corner moved by f.
func mapped(m *scenes.Mesh, f func(vec) vec) *scenes.Mesh {
	tris := make([][3]vec, m.Len())
	for t := range tris {
		for k, c := range m.Triangle(t) {
			tris[t][k] = f(vec{float64(c[0]), float64(c[1]), float64(c[2])})
		}
	}
	out := meshOf(tris...)
	out.Colors = m.Colors
	return out
}

// scaled returns a copy of m, multiplied by s.
func scaled(m *scenes.Mesh, s float64) *scenes.Mesh {
	return mapped(m, func(p vec) vec { return p.scale(s) })
}

// joined returns a mesh of the triangles of several meshes, without colours.
func joined(meshes ...*scenes.Mesh) *scenes.Mesh {
	n := 0
	for _, m := range meshes {
		n += m.Len()
	}
	out := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	n = 0
	for _, m := range meshes {
		for t := range m.Len() {
			out.Set(n, m.Triangle(t))
			n++
		}
	}
	return out
}

// generated returns a built-in scene as a mesh.
func generated(t testing.TB, name string) *scenes.Mesh {
	t.Helper()
	scene, err := procedural.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return mesh
}

func groupCache(t testing.TB, source scenes.Source) scenes.Box {
	t.Helper()
	box, err := scenes.Bounds(context.Background(), source, 1)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// fitted returns the camera for a mesh in a picture of the options' size.
func fitted(t testing.TB, source scenes.Source, o render.Options, c camera.Options) render.Camera {
	t.Helper()
	cam, err := camera.Fit(groupCache(t, source), o.Width, o.Height, c)
	if err != nil {
		t.Fatal(err)
	}
	return cam
}

// newRenderer returns a renderer that is closed when the test ends.
func newRenderer(t testing.TB, o render.Options) *render.Renderer {
	t.Helper()
	r, err := render.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// drawn draws one frame, which may be blank, with a new renderer.
func drawn(t testing.TB, source scenes.Source, cam render.Camera, o render.Options) (*render.Picture, render.Stats) {
	t.Helper()
	r, err := render.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pic := new(render.Picture)
	stats, err := r.Frame(context.Background(), source, cam, pic)
	if err != nil && !errors.Is(err, render.ErrBlank) {
		t.Fatal(err)
	}
	return pic, stats
}
