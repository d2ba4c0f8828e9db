package surface

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// someTexture returns a texture of a random size and kind.
func someTexture(random *rand.Rand, colors, numbers *Colors) *texture {
	side := func() int { return 1 + random.IntN([]int{1, 3, 9, 40}[random.IntN(4)]) }
	p := image.NewNRGBA(image.Rect(0, 0, side(), side()))
	for i := range p.Pix {
		p.Pix[i] = uint8(random.IntN(256))
		if i%4 == 3 && random.IntN(3) == 0 {
			p.Pix[i] = 0
		}
	}
	s := &textures{colors: colors, numbers: numbers}
	x := s.newTexture(source{p, kind{pixelKind(random.IntN(5)), random.IntN(256)}})
	wrap := func() scenes.Wrap { return []scenes.Wrap{scenes.Repeat, scenes.Clamp, scenes.Mirror}[random.IntN(3)] }
	x.wrapU, x.wrapV = wrap(), wrap()
	x.lanes = x.forLoops()
	return x
}

// TestFetch compares the values of textures at the points of a batch with the values at single points, for textures of
// every kind and of odd sizes. A sample covers no area, a part of the texture, or more than all of it. Some texture
// coordinates are far outside the texture, infinite or NaN.
func TestFetch(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	colors, numbers := NewColors(), newNumbers()
	for _, level := range isa.Available() {
		loops := texel.Select(level)
		if loops == nil {
			continue
		}
		known := 0
		for round := range 600 {
			x := someTexture(random, colors, numbers)
			n := 1 + random.IntN(texel.Capacity)
			var p texel.Points
			var weights [3][3][texel.Capacity]float32
			var counts [texel.Capacity]float32
			all := float32([]int{1, 4, 16}[random.IntN(3)])
			size := float32(math.Pow(2, random.Float64()*14-7)) / float32(max(x.levels[0].width, x.levels[0].height))
			some := func(scale float32) float32 {
				switch random.IntN(200) {
				case 0:
					return float32(math.NaN())
				case 1:
					return float32(math.Inf(random.IntN(2)*2 - 1))
				case 2:
					return float32(1e7 * random.NormFloat64())
				case 3, 4, 5:
					return 0
				}
				return float32(float32(random.NormFloat64()) * scale)
			}
			spots := make([]spot, n)
			for i := range n {
				c := trianglePaint{}
				for k := range c.uv {
					c.uv[k] = [2]float32{float32(random.IntN(2)) + some(0.4), float32(random.IntN(2)) + some(0.4)}
					p.Corners[2*k][i], p.Corners[2*k+1][i] = c.uv[k][0], c.uv[k][1]
				}
				c.extent = [2]float32{some(0.5), some(0.5)}
				p.Extent[0][i], p.Extent[1][i] = c.extent[0], c.extent[1]
				w := float3.New(some(0.5), some(0.5), some(0.5))
				right := w.Add(float3.New(some(size), some(size), some(size)))
				above := w.Add(float3.New(some(size), some(size), some(size)))
				for set, of := range []float3.Vector{w, right, above} {
					weights[set][0][i], weights[set][1][i], weights[set][2][i] = of.X, of.Y, of.Z
				}
				counts[i] = float32(1 + random.IntN(int(all)))
				spots[i] = c.spot(w, right, above, sideOf(int32(counts[i]), int32(all)))
			}
			from := random.IntN(n) / 16 * 16
			loops.Place(&p, &weights, &counts, all, 0, n)
			var got texel.Fetched
			loops.Fetch(x.lanes, &p, &got, from, n)
			for i := from; i < n; i++ {
				if got.Missed[i] != 0 {
					continue
				}
				known++
				if v, want := float3.New(got.Values[0][i], got.Values[1][i], got.Values[2][i]), x.texel(&spots[i]); v != want {
					t.Fatalf("%v, round %d, point %d of %d, %dx%d: %v, want %v; %+v, %+v", level, round, i, n, x.levels[0].width, x.levels[0].height, v, want, spots[i], x.footprint(&spots[i]))
				}
			}
		}
		if known < 5000 {
			t.Errorf("%v: only %d points are known", level, known)
		}
	}
}

// TestFetchKnows checks that the loops can compute the values of nearly all points inside a texture.
func TestFetchKnows(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	colors, numbers := NewColors(), newNumbers()
	for _, level := range isa.Available() {
		loops := texel.Select(level)
		if loops == nil {
			continue
		}
		for range 100 {
			x := someTexture(random, colors, numbers)
			var p texel.Points
			var got texel.Fetched
			for i := range texel.Capacity {
				p.UV[0][i], p.UV[1][i] = random.Float32(), random.Float32()
				if x.wrapU == scenes.Repeat {
					p.UV[0][i] += float32(random.IntN(9) - 4)
				}
				p.Right[0][i], p.Above[1][i] = random.Float32()/8, random.Float32()/8
				p.Extent[0][i], p.Extent[1][i] = 1, 1
			}
			loops.Fetch(x.lanes, &p, &got, 0, texel.Capacity)
			missed := 0
			for _, m := range got.Missed {
				missed -= int(m)
			}
			if missed > texel.Capacity/4 {
				t.Errorf("%v: %d of %d points missed in %dx%d", level, missed, texel.Capacity, x.levels[0].width, x.levels[0].height)
			}
		}
	}
}

// BenchmarkFetch reports the time per point of a texture in a batch. Samples have several lengths and widths, in pixels
// of the texture. See BenchmarkTexel.
func BenchmarkFetch(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	p := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range p.Pix {
		p.Pix[i] = uint8(random.IntN(256))
	}
	x := (&textures{colors: NewColors()}).newTexture(source{p, kind{}})
	x.lanes = x.forLoops()
	for _, level := range isa.Available() {
		loops := texel.Select(level)
		if loops == nil {
			continue
		}
		for _, size := range [][2]float32{{0.5, 0.5}, {1.5, 1.5}, {6, 1.5}} {
			b.Run(fmt.Sprintf("%v/long=%g/wide=%g", level, size[0], size[1]), func(b *testing.B) {
				var points texel.Points
				var weights [3][3][texel.Capacity]float32
				var counts [texel.Capacity]float32
				for i := range texel.Capacity {
					points.Corners[2][i], points.Corners[5][i] = 1, 1
					points.Extent[0][i], points.Extent[1][i] = 1, 1
					u, v := float32(i&15)/16, float32(i>>4)/8
					for set, step := range [3][2]float32{{}, {size[0] / 256}, {0, size[1] / 256}} {
						weights[set][1][i], weights[set][2][i] = u+step[0], v+step[1]
						weights[set][0][i] = 1 - weights[set][1][i] - weights[set][2][i]
					}
					counts[i] = 1
				}
				var got texel.Fetched
				sum := float32(0)
				for range b.N {
					loops.Place(&points, &weights, &counts, 1, 0, texel.Capacity)
					loops.Fetch(x.lanes, &points, &got, 0, texel.Capacity)
					sum += got.Values[0][5]
				}
				if sum == 0 || got.Missed != [texel.Capacity]int32{} {
					b.Fatal("nothing is seen")
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/texel.Capacity, "ns/point")
			})
		}
	}
}

var _ [light.Capacity]float32 = [texel.Capacity]float32{} // batches of both packages have the same number of points
