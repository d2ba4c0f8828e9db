package surface

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/float3"
)

// BenchmarkTexel reports the time per point of a texture. Samples have several lengths and widths, in pixels of the
// texture.
func BenchmarkTexel(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	p := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range p.Pix {
		p.Pix[i] = uint8(random.IntN(256))
	}
	s := newTextures(hasPlaces(), NewColors())
	t := s.newTexture(source{p, kind{}})
	for _, size := range [][2]float32{{0.5, 0.5}, {1.5, 1.5}, {6, 1.5}} {
		b.Run(fmt.Sprintf("long=%g/wide=%g", size[0], size[1]), func(b *testing.B) {
			at := spot{right: [2]float32{size[0] / 256, 0}, above: [2]float32{0, size[1] / 256}}
			var sum float3.Vector
			for i := range b.N {
				at.u, at.v = float32(i&1023)/1024, float32(i>>10&1023)/1024
				sum = sum.Add(t.texel(&at))
			}
			if sum == (float3.Vector{}) {
				b.Fatal("nothing is seen")
			}
		})
	}
}
