package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/shade"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// BenchmarkShade shades the polygons of one block, with the base colour and with a colour for every triangle.
func BenchmarkShade(b *testing.B) {
	shader := shade.NewShader(0xc0c0c0)
	p := array.MakePolygons(scenes.BlockSize)
	fillIntensities(rand.New(rand.NewPCG(51, 52)), p, scenes.BlockSize)
	intensities := slices.Clone(p.Payload)
	for _, colors := range [][]uint32{nil, make([]uint32, scenes.BlockSize)} {
		for i := range colors {
			colors[i] = uint32(i) * 0x9e3779 & 0xffffff
		}
		copy(p.Payload, intensities)
		shade.Shade(shader, p, colors)
		want := slices.Clone(p.Payload)
		for _, level := range isa.Available() {
			shade := Select(level).Shade
			b.Run(fmt.Sprintf("colors=%v/impl=%v", colors != nil, level), func(b *testing.B) {
				seconds := bestTimed(b, func() { copy(p.Payload, intensities) }, func() { shade(shader, p, colors) })
				if !slices.Equal(p.Payload, want) {
					b.Fatal("other payloads than the specification's")
				}
				b.ReportMetric(seconds*1e9/float64(p.N), "ns/polygon")
			})
		}
	}
}
