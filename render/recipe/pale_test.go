package recipe

import (
	"testing"

	"lockstep/scenes"
)

// paleMesh returns a mesh of n triangles. The triangles before number first have the colour before, and the others have
// the colour after.
func paleMesh(n, first int, before, after uint32) *scenes.Mesh {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	mesh.Block.Colors = make([]uint32, n)
	for t := range n {
		if mesh.Block.Colors[t] = after; t < first {
			mesh.Block.Colors[t] = before
		}
	}
	return mesh
}

// TestPale checks which meshes count as nearly white. These are meshes whose surface on average reflects more red,
// green and blue light than e5e5e5.
func TestPale(t *testing.T) {
	plain := &scenes.Mesh{Block: scenes.MakeBlock(2)}
	white := func() Picture { return Picture{Look: Look{Color: "white"}} }
	look := func(change func(p *Picture)) Picture {
		p := white()
		change(&p)
		return p
	}
	const many = 30_000
	for name, c := range map[string]struct {
		p    Picture
		mesh *scenes.Mesh
		want bool
	}{
		"no colour":           {Picture{}, plain, false},
		"white":               {white(), plain, true},
		"e6e6e6":              {Picture{Look: Look{Color: "e6e6e6"}}, plain, true},
		"e4e4e4":              {Picture{Look: Look{Color: "e4e4e4"}}, plain, false},
		"yellow":              {Picture{Look: Look{Color: "ffff00"}}, plain, false},
		"white, by facing":    {look(func(p *Picture) { p.Look.Color = "facing" }), paleMesh(2, 0, 0, 0xffffff), false},
		"by a field":          {look(func(p *Picture) { p.Look.Field = "height" }), plain, false},
		"white mesh":          {Picture{}, paleMesh(2, 0, 0, 0xffffff), true},
		"white mesh in red":   {Picture{Look: Look{Color: "red"}}, paleMesh(2, 0, 0, 0xffffff), false},
		"half black":          {Picture{}, paleMesh(4, 2, 0, 0xffffff), false},
		"nine tenths white":   {Picture{}, paleMesh(10, 1, 0, 0xffffff), true},
		"many, last black":    {Picture{}, paleMesh(many, many/2, 0xffffff, 0), false},
		"many, last white":    {Picture{}, paleMesh(many, many/10, 0, 0xffffff), true},
		"nothing":             {Picture{}, &scenes.Mesh{}, false},
		"of a colour and cut": {look(func(p *Picture) { p.Cuts.Box.High = [3]float64{1, 1, 1} }), paleMesh(2, 0, 0, 0x303030), false},
	} {
		in := &Input{Source: c.mesh}
		if got := in.isPale(&c.p); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestViewOf checks that a flat mesh is seen from higher up if the camera is fitted to it and the recipe gives no view.
func TestViewOf(t *testing.T) {
	box := func(x, y, z float64) scenes.Box { return scenes.Box{Max: [3]float64{x, y, z}} }
	for name, c := range map[string]struct {
		p    Picture
		up   scenes.Axis
		box  scenes.Box
		want View
	}{
		"flat":            {Picture{}, scenes.PlusZ, box(10, 3, 1.49), FlatView},
		"less flat":       {Picture{}, scenes.PlusZ, box(3, 10, 1.51), DefaultView},
		"flat along y":    {Picture{}, scenes.MinusY, box(3, 0, 10), FlatView},
		"upright":         {Picture{}, scenes.PlusX, box(3, 0, 10), DefaultView},
		"given":           {Picture{Camera: Camera{View: &View{1, 2}}}, scenes.PlusZ, box(9, 9, 0), View{1, 2}},
		"fitted by box":   {Picture{Camera: Camera{Fit: "box"}}, scenes.PlusZ, box(9, 9, 0), DefaultView},
		"by vertices":     {Picture{Camera: Camera{Fit: "vertices"}}, scenes.PlusZ, box(9, 9, 0), FlatView},
		"with a box":      {Picture{Lines: Lines{Bounds: true}}, scenes.PlusZ, box(9, 9, 0), DefaultView},
		"placed":          {Picture{Camera: Camera{Eye: &Point{1, 1, 1}}}, scenes.PlusZ, box(9, 9, 0), DefaultView},
		"nothing":         {Picture{}, scenes.PlusZ, scenes.EmptyBox(), DefaultView},
		"a single point":  {Picture{}, scenes.PlusZ, box(0, 0, 0), DefaultView},
		"a standing line": {Picture{}, scenes.PlusZ, box(0, 0, 1), DefaultView},
	} {
		if got := c.p.ViewOf(c.up, c.box); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
