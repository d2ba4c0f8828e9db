package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
	"pgregory.net/rapid"
)

// fillIntensities gives n polygons intensities as geometry does. The entries after them are payloads of an earlier
// block, which are not intensities.
func fillIntensities(r *rand.Rand, p *array.Polygons, n int) {
	p.N = n
	for i := range n {
		p.Source[i] = r.Int32N(int32(n))
		p.Intensities()[i] = geometry.Ambient + float32(geometry.Diffuse*min(1.1*r.Float32(), 1))
	}
	rest := p.Payload[n:cap(p.Payload)]
	for i := range rest {
		rest[i] = r.Uint32() | uint32(r.IntN(2))*0xff<<24
	}
}

// compareShade compares a vector loop with the specification.
func compareShade(twin func(*shade.Shader, *array.Polygons, []uint32), s *shade.Shader, p *guardedPolygons, colors []uint32) error {
	want := *p.Polygons
	want.Payload = append([]uint32(nil), p.Payload...)
	shade.Shade(s, &want, colors)
	twin(s, p.Polygons, colors)
	if err := sameBytes(p.Payload[:p.N], want.Payload[:p.N]); err != nil {
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

// TestShadeTwins compares every vector loop with the specification at all lengths and alignments.
func TestShadeTwins(t *testing.T) {
	shader := shade.NewShader(0x8090a0)
	for _, level := range twinLevels(t) {
		t.Run(level.String(), func(t *testing.T) {
			twin := Select(level).Shade
			r := rand.New(rand.NewPCG(31, 32))
			for n := range 71 {
				for offset := range 16 {
					p := newGuardedPolygons(n, offset)
					fillIntensities(r, p.Polygons, n)
					if err := compareShade(twin, shader, p, randomColors(r, n)); err != nil {
						t.Fatalf("%d polygons, offset %d: %v", n, offset, err)
					}
				}
			}
			p := newGuardedPolygons(2*8192+7, 3) // more than one batch of the assembly loop
			fillIntensities(r, p.Polygons, 2*8192+7)
			if err := compareShade(twin, shader, p, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestShadeTwinsProperty tests all values that an intensity can have, including those at which the rounding to a step
// changes.
func TestShadeTwinsProperty(t *testing.T) {
	shader := shade.NewShader(0xffffff)
	rapid.Check(t, func(t *rapid.T) {
		intensity := rapid.Float32Range(geometry.Ambient, 1).Draw(t, "intensity")
		if rapid.Bool().Draw(t, "at a turn") {
			step := rapid.IntRange(615, shade.ShadeSteps-2).Draw(t, "step")
			intensity = float32((float64(step) + 0.5) / (shade.ShadeSteps - 1))
			for range rapid.IntRange(0, 2).Draw(t, "after") {
				intensity = math.Nextafter32(intensity, 2)
			}
		}
		for _, level := range twinLevels(t) {
			for _, colors := range [][]uint32{nil, {0x123456}} {
				p := newGuardedPolygons(1, 0)
				p.N, p.Source[0], p.Intensities()[0] = 1, 0, intensity
				if err := compareShade(Select(level).Shade, shader, p, colors); err != nil {
					t.Fatalf("%v: %v", level, err)
				}
			}
		}
	})
}
