package surface

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/visible"
)

// TestCells sets rows of cells in a grid that has cells of another frame. Normals must equal those that are computed
// one by one. Cells that show nothing must be background, with an open sky.
func TestCells(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	one := new(Shader)
	eachRound(t, random, func(t *testing.T, s *Shader) {
		const height = 5
		width := 1 + random.IntN(300)
		v := OcclusionView{Radius: 0.3, PerCell: 0.01, Orthographic: random.IntN(2) == 0}
		for a := range v.Axes {
			v.Axes[a] = someVector(random).Array()
		}
		one.Begin(s.scene, nil, nil)
		for _, shader := range []*Shader{s, one} {
			var o Occlusion
			o.Begin(2*width, 2*height, v, nil)
			for i := range o.Z {
				o.Open[i], o.NX[i] = 0.5, 7
			}
			for range 6 { // several pictures
				row, x, y := random.IntN(2), someNumber(random), someNumber(random)
				var c Cells
				c.Begin(width)
				first := random.IntN(width)
				end := first + random.IntN(width-first+1)
				for i := range width {
					if c.Nearness[i] = 0; i >= first && i < end && random.IntN(4) > 0 {
						c.Nearness[i] = 0.5
						c.Triangles[i], c.Places[i] = someTriangle(random), uint32(visible.MakePlace(int32(2*i+random.IntN(2)), 1, 0, int32(2*random.IntN(2))))
					}
				}
				first, end = c.Shown()
				for i := first; i < end; i++ { // cells of an earlier picture
					o.Z[o.at(i, row)], o.Open[o.at(i, row)] = 3, 0.5
				}
				shader.SetCells(&o, &c, row, x, y)
				if o.shownCells[row] != [2]int32{int32(first), int32(end)} {
					t.Fatalf("cells %v show something, want %d to %d", o.shownCells[row], first, end)
				}
				for i := range width {
					at, there := o.at(i, row), c.Nearness[i] != 0
					if z := o.Z[at]; there != (z == 3) || !there && !math.IsInf(float64(z), 1) {
						t.Fatalf("cell %d, shown %t, is at %g", i, there, z)
					}
					if beside := i < first || i >= end; beside && o.Open[at] != 1 {
						t.Fatalf("the sky of cell %d, beside %d to %d, is %g open", i, first, end, o.Open[at])
					}
					if !there {
						continue
					}
					p := visible.Place(c.Places[i])
					_, down := p.Sums()
					var f facet
					s.scene.load(&f, c.Triangles[i], nil)
					n, axes := s.scene.pointAt(&f, x+float32(p.Pixel()), y-float32(down/2)).normal, v.Axes
					want := float3.New(n.Dot(float3.Of(axes[0])), n.Dot(float3.Of(axes[1])), n.Dot(float3.Of(axes[2])))
					if got := (float3.New(o.NX[at], o.NY[at], o.NZ[at])); got != want {
						t.Fatalf("cell %d: normal %v, want %v", i, got, want)
					}
				}
			}
		}
	})
}
