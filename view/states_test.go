package view

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/coder/websocket"

	"lockstep/render/recipe"
)

var long = flag.Bool("long", false, "run more of the random states")

// TestStates asks for still pictures of random states, with movements between them. Cameras change more often than
// the other parts of a state, so the session reuses meshes. Each picture must equal the file that render writes.
func TestStates(t *testing.T) {
	n := 4
	if *long {
		n = 150
	}
	s := started(t, func(o *Options) { o.Meshes[1].File = "scene:torus?triangles=200" })
	c := dial(t, s)
	r := rand.New(rand.NewPCG(3, 5))
	drawn := 0
	for k := range n {
		q := usual("still")
		q.File, q.Fine = r.IntN(2), 1
		if *long && k%4 == 1 { // distances take a second each
			q.Against = 2 - q.File // the other mesh
		}
		p := &q.Picture
		p.Lines.Edges, p.Lines.Axes, p.Lines.Legend = r.IntN(3) == 0, r.IntN(3) == 0, q.Against > 0 && r.IntN(2) == 0
		if r.IntN(2) == 0 {
			p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{1, r.Float64(), 0}, Offset: 30 + 40*r.Float64(), Keep: '<'}}
			p.Cuts.Sections[0].Normal[1], p.Cuts.Sections[0].Percent = 0, true
		}
		p.Look.Shading, p.Look.Background = []string{"", "flat"}[r.IntN(2)], []recipe.Color{"", "none", "white"}[r.IntN(3)]
		for range 3 {
			p.Camera = recipe.Camera{View: &recipe.View{Azimuth: 360 * r.Float64(), Elevation: 160*r.Float64() - 80}, Zoom: 0.5 + r.Float64()}
			p.Look.Samples = []int{0, 1, 4}[r.IntN(3)]
			q.Size = recipe.Size{Width: 16 + r.IntN(80), Height: 16 + r.IntN(60)}
			if r.IntN(2) == 0 {
				move := q
				move.Kind = "move"
				c.ask(move)
			}
			want := q.Picture
			want.Size = q.Size
			of, err := s.chooseMeshes(nil, &q)
			if err != nil {
				t.Fatal(err)
			}
			want.Meshes = of.meshes
			var file bytes.Buffer
			err = new(recipe.Drawer).PNG(t.Context(), &file, want, recipe.Output{})
			kind, answer := c.ask(q)
			if (err == nil) != (kind == websocket.MessageBinary) {
				t.Fatalf("%v: the page gets %.200q, and the command %v", want, answer, err)
			}
			if err != nil {
				continue
			}
			if drawn++; !bytes.Equal(answer[headerBytes:], file.Bytes()) {
				t.Errorf("another picture than the command's of %v", want)
			}
		}
	}
	if drawn < 2*n {
		t.Errorf("%d of %d states have a picture", drawn, 3*n)
	}
}
