package render_test

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// sides returns five squares side by side, seen from the front: a front and a back of material 0, then of material 1,
// and a back without a material.
func sides(materials ...scenes.Material) *scenes.Mesh {
	var all [][3]vec
	for i := range 5 {
		x := float64(i)
		a, b, c, d := vec{x, 0, 0}, vec{x + 0.8, 0, 0}, vec{x + 0.8, 0, 1}, vec{x, 0, 1}
		if i%2 == 0 && i < 4 {
			all = append(all, quad(a, b, c, d)...)
		} else {
			all = append(all, quad(d, c, b, a)...)
		}
	}
	m := meshOf(all...)
	m.Attributes = &scenes.Attributes{Materials: materials, MaterialOf: []int32{0, 0, 0, 0, 1, 1, 1, 1, -1, -1}}
	return m
}

// shown returns a letter for each square: x if the picture shows it, otherwise -.
func shown(p *render.Picture) (s string) {
	for i := range 5 {
		x := 10 + 20*i + 8
		s += map[bool]string{false: "-", true: "x"}[p.Pix[4*(10*p.Width+x)+3] != 0]
	}
	return s
}

func TestOneSided(t *testing.T) {
	white := [4]float32{1, 1, 1, 1}
	one, two := scenes.Material{BaseColor: white, OneSided: true}, scenes.Material{BaseColor: white}
	studio := render.Options{Width: 118, Height: 20, Light: render.LightStudio, Shading: render.ShadingSmooth, OneSided: true}
	for _, c := range []struct {
		materials [2]scenes.Material
		all       bool // whether every triangle has a material
		change    func(o *render.Options)
		want      string
	}{
		{materials: [2]scenes.Material{two, two}, want: "xxxxx"},
		{materials: [2]scenes.Material{one, two}, want: "x-xxx"},
		{materials: [2]scenes.Material{two, one}, want: "xxx-x"},
		{materials: [2]scenes.Material{one, one}, want: "x-x-x"},
		{materials: [2]scenes.Material{one, one}, all: true, want: "x-x--"},
		{materials: [2]scenes.Material{one, two}, want: "xxxxx", change: func(o *render.Options) { o.OneSided = false }},
		{materials: [2]scenes.Material{one, one}, all: true, want: "xxxxx", change: func(o *render.Options) { o.OneSided = false }},
		{materials: [2]scenes.Material{one, two}, want: "x-xxx", change: func(o *render.Options) { o.Color = color.White }},
		{materials: [2]scenes.Material{one, one}, all: true, want: "x-x--", change: func(o *render.Options) { o.Color, o.Shading = color.White, render.ShadingFlat }},
		{materials: [2]scenes.Material{one, one}, all: true, want: "xxxxx", change: func(o *render.Options) { o.Facing = true }},
		{materials: [2]scenes.Material{one, one}, all: true, want: "xxxxx", change: func(o *render.Options) { o.Light, o.Shading = render.LightHeadlight, render.ShadingFlat }},
		{materials: [2]scenes.Material{one, one}, all: true, want: "-----", change: func(o *render.Options) { o.Cull = render.CullFront }},
		{materials: [2]scenes.Material{one, two}, want: "---xx", change: func(o *render.Options) { o.Cull = render.CullFront }},
		{materials: [2]scenes.Material{two, one}, want: "x-x--", change: func(o *render.Options) { o.Cull = render.CullBack }},
	} {
		m := sides(c.materials[:]...)
		if c.all {
			m.Attributes.MaterialOf = []int32{0, 0, 0, 0, 1, 1, 1, 1, 0, 0}
		}
		o := studio
		if c.change != nil {
			c.change(&o)
		}
		for _, orthographic := range []bool{false, true} {
			cam, err := camera.FitTight(t.Context(), m, m.Bounds(), o.Width, o.Height, camera.Options{Orthographic: orthographic})
			if err != nil {
				t.Fatal(err)
			}
			r := newRenderer(t, o)
			pic := new(render.Picture)
			if _, err := r.Frame(t.Context(), m, cam, pic); err != nil && c.want != "-----" {
				t.Fatal(err)
			}
			if got := shown(pic); got != c.want {
				t.Errorf("%v, %v, %+v: shows %s, want %s", c.materials[0].OneSided, c.materials[1].OneSided, o, got, c.want)
			}
		}
	}
}

// TestOneSidedIdentical draws a closed mesh and a mixed mesh of one-sided materials, with any number of workers, any
// loops and any method of deferral. The pictures must have the same bytes as without the one-sided triangles that show
// their backs.
func TestOneSidedIdentical(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	m := bumpy(60, 30)
	m.Attributes = &scenes.Attributes{
		Materials:  []scenes.Material{{BaseColor: [4]float32{0.2, 0.7, 0.3, 1}, OneSided: true}, {BaseColor: [4]float32{0.9, 0.1, 0.1, 1}}},
		MaterialOf: make([]int32, m.Len()),
	}
	for t := range m.Attributes.MaterialOf {
		m.Attributes.MaterialOf[t] = int32(random.IntN(3)) - 1
	}
	o := render.Options{Width: 300, Height: 200, Samples: 4, Light: render.LightStudio, Shading: render.ShadingFlat, Occlusion: true, OneSided: true, Workers: 1}
	cam := fitted(t, m, o, camera.Options{Azimuth: 30, Elevation: 20, Zoom: 1.3})
	want, _ := drawn(t, m, cam, o)
	for _, workers := range []int{1, 2, 5} {
		for _, leaves := range []lb.Policy{lb.Never, lb.Always} {
			o.Workers, o.Leaves, o.ISA = workers, leaves, ""
			if workers == 2 {
				o.ISA = "generic"
			}
			got, _ := drawn(t, m, cam, o)
			if !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%s: other bytes", fmt.Sprint(workers, leaves))
			}
		}
	}
	fronts := visibleHalf(m, cam)
	o.Occlusion = false
	got, _ := drawn(t, m, cam, o)
	if half, _ := drawn(t, fronts, cam, o); !bytes.Equal(got.Pix, half.Pix) {
		t.Error("the mesh without its hidden backs looks otherwise")
	}
}

// visibleHalf returns the mesh without the one-sided triangles whose backs face the camera.
func visibleHalf(m *scenes.Mesh, cam render.Camera) *scenes.Mesh {
	half := &scenes.Mesh{Origin: m.Origin, Up: m.Up}
	a := &scenes.Attributes{Materials: m.Attributes.Materials}
	half.Resize(0, false)
	for t := range m.Len() {
		var p [3]vec
		for k := range p {
			p[k] = vec{float64(m.X[k][t]), float64(m.Y[k][t]), float64(m.Z[k][t])}
		}
		n := p[1].sub(p[0]).cross(p[2].sub(p[0]))
		if mat := m.Attributes.Material(t); mat != nil && mat.OneSided && n.dot(vec(cam.Eye).sub(p[0])) < 0 {
			continue
		}
		for k := range p {
			half.X[k], half.Y[k], half.Z[k] = append(half.X[k], m.X[k][t]), append(half.Y[k], m.Y[k][t]), append(half.Z[k], m.Z[k][t])
		}
		a.MaterialOf = append(a.MaterialOf, m.Attributes.MaterialOf[t])
	}
	half.Attributes = a
	return half
}
