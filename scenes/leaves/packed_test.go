package leaves

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes"
)

// gridOf returns triangles of a wavy grid with the given number of squares along each side, in Morton order.
func gridOf(side int) *Leaves {
	b := scenes.MakeBlock(2 * side * side)
	at := func(x, y int) [3]float32 {
		return [3]float32{float32(x), float32(y), float32(math.Sin(float64(x)/7) * math.Cos(float64(y)/5))}
	}
	for y := range side {
		for x := range side {
			b.Set(2*(y*side+x), [3][3]float32{at(x, y), at(x+1, y), at(x, y+1)})
			b.Set(2*(y*side+x)+1, [3][3]float32{at(x+1, y), at(x+1, y+1), at(x, y+1)})
		}
	}
	return New(&b, func(n int, do func(int)) {
		for i := range n {
			do(i)
		}
	})
}

func BenchmarkPacker(b *testing.B) {
	l := gridOf(1000)
	var p Packer
	words := make([]uint32, 0, PackedBytes)
	for range b.N {
		for from := 0; from < l.Len(); from += GroupTriangles {
			words = p.Append(words[:0], &l.Block, from, min(from+GroupTriangles, l.Len()))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*l.Len()), "ns/triangle")
}

// TestPacker packs and unpacks random triangles, with a random mask.
func TestPacker(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	var p Packer
	for round := range 3000 {
		n := 1 + random.IntN(GroupTriangles)
		b := scenes.MakeBlock(n)
		few := 1 + random.IntN(60)
		for i := range n {
			var corners [3][3]float32
			for k := range corners {
				v := random.IntN(few)
				corners[k] = [3]float32{float32(v % 5), float32(v / 5), float32(v) * 0.1}
				if random.IntN(500) == 0 {
					corners[k][1] = float32(math.NaN())
				}
			}
			b.Set(i, corners)
		}
		words := p.Append([]uint32{7}, &b, 0, n)
		g := Group{Words: words[1:], Vertices: len(p.Vertices())}
		if words[0] != 7 || len(g.Words) != PackedWords(g.Vertices) || g.Vertices > min(3*n, MostVertices) {
			t.Fatalf("round %d: %d words and %d vertices for %d triangles", round, len(words), g.Vertices, n)
		}
		for i := range g.Vertices {
			for k := range i {
				if p.Vertices()[i] == p.Vertices()[k] {
					t.Fatalf("round %d: vertices %d and %d are the same", round, k, i)
				}
			}
		}
		mask := random.Uint64() & (math.MaxUint64 >> (GroupTriangles - n))
		got := scenes.MakeBlock(3 + GroupTriangles)
		end := g.Unpack(&got, 3, mask)
		at := 3
		for i := range n {
			if mask>>i&1 == 0 {
				continue
			}
			for axis := range 3 {
				for k, c := range [3][3][]float32{b.X, b.Y, b.Z}[axis] {
					if want := math.Float32bits(c[i]); math.Float32bits([3][3][]float32{got.X, got.Y, got.Z}[axis][k][at]) != want {
						t.Fatalf("round %d: triangle %d is another one", round, i)
					}
				}
			}
			at++
		}
		if at != end {
			t.Fatalf("round %d: %d triangles, want %d", round, end-3, at-3)
		}
	}
}
