package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// fillCorners makes n polygons with corners in the space of the view, a share
// of them odd (of 1000), degenerate or so small that products underflow.
func fillCorners(r *rand.Rand, p *Polygons, n, odd int) {
	p.N = n
	for i := range n {
		size := [3]float32{1, 1e-3, 1e-18}[r.IntN(3)]
		for k := range p.Q {
			p.Q[k][i] = float32(r.NormFloat64()) * size
			if r.IntN(1000) < odd {
				p.Q[k][i] = oddFloats[r.IntN(len(oddFloats))]
			}
		}
		if r.IntN(20) == 0 { // no area
			for k := range 3 {
				p.Q[3+k][i] = p.Q[k][i]
			}
		}
		p.Source[i] = r.Int32N(int32(n))
	}
}

// compareShade runs a twin and the specification on polygons.
func compareShade(twin func(*View, *Shader, *Polygons, []uint32), v *View, s *Shader, p *guardedPolygons, colors []uint32) error {
	want := *p.Polygons
	want.Payload = make([]uint32, p.N)
	Shade(v, s, &want, colors)
	twin(v, s, p.Polygons, colors)
	if err := sameBytes(p.Payload[:p.N], want.Payload); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return p.check()
}

// randomColors returns a colour for each of n triangles, or nil.
func randomColors(r *rand.Rand, n int) []uint32 {
	if r.IntN(2) == 0 {
		return nil
	}
	colors := make([]uint32, n)
	for i := range colors {
		colors[i] = r.Uint32() >> 8
	}
	return colors
}

// TestShadeTwins compares every twin with the specification at all lengths and
// alignments.
func TestShadeTwins(t *testing.T) {
	shader := NewShader(0x8090a0)
	for _, level := range twinLevels() {
		t.Run(level.String(), func(t *testing.T) {
			twin := For(level).Shade
			r := rand.New(rand.NewPCG(31, 32))
			for n := range 71 {
				for offset := range 16 {
					v, p := randomView(r), newGuardedPolygons(n, offset)
					fillCorners(r, p.Polygons, n, []int{0, 20, 400}[r.IntN(3)])
					if err := compareShade(twin, v, shader, p, randomColors(r, n)); err != nil {
						t.Fatalf("%d polygons, offset %d, view %+v: %v", n, offset, v, err)
					}
				}
			}
			p := newGuardedPolygons(2*8192+7, 3) // more than a batch of assembly
			fillCorners(r, p.Polygons, 2*8192+7, 10)
			if err := compareShade(twin, randomView(r), shader, p, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestShadeTwinsProperty lets one polygon have any corners and any eye.
func TestShadeTwinsProperty(t *testing.T) {
	shader := NewShader(0xffffff)
	rapid.Check(t, func(t *rapid.T) {
		v := &View{Orthographic: rapid.Bool().Draw(t, "orthographic")}
		float := rapid.OneOf(rapid.Float32(), rapid.Float32Range(-2, 2), rapid.SampledFrom(oddFloats))
		for i := range v.Eye {
			v.Eye[i] = float.Draw(t, "eye")
		}
		for _, level := range twinLevels() {
			p := newGuardedPolygons(1, 0)
			p.N = 1
			p.Source[0] = 0
			for k := range p.Q {
				p.Q[k][0] = float.Draw(t, "q")
			}
			for _, colors := range [][]uint32{nil, {0x123456}} {
				if err := compareShade(For(level).Shade, v, shader, p, colors); err != nil {
					t.Fatalf("%v: %v", level, err)
				}
			}
		}
	})
}
