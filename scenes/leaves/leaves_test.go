package leaves

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
)

func oneByOne(n int, do func(task int)) {
	for task := range n {
		do(task)
	}
}

// atOnce runs tasks in parallel. It starts the last task first.
func atOnce(n int, do func(task int)) {
	var all sync.WaitGroup
	for task := n - 1; task >= 0; task-- {
		all.Go(func() { do(task) })
	}
	all.Wait()
}

// The function at returns a triangle around a point.
func at(x, y, z, size float32) [3][3]float32 {
	return [3][3]float32{{x - size/2, y, z}, {x + size/2, y, z}, {x, y, z}}
}

// TestOrder sorts triangles at the corners of a cube along the curve, a triangle as large as the cube, and triangles
// that are not finite.
func TestOrder(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	b := scenes.MakeBlock(12)
	b.Set(0, at(nan, 0, 0, 1))
	b.Set(1, at(0.5, 0.5, 0.5, 1))
	for i := range 8 {
		b.Set(2+i, at(float32((7-i)&1), float32((7-i)>>1&1), float32((7-i)>>2), 0.01))
	}
	b.Set(10, at(0, 0, 0, 0.01))
	b.Set(11, [3][3]float32{{0, 0, 0}, {0, inf, 0}, {1, 0, 0}})
	l := New(&b, oneByOne)
	// Triangles 9 and 10 are at the same corner, so they keep their order.
	if want := []uint32{9, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11}; !slices.Equal(l.Numbers, want) {
		t.Errorf("got %d, want %d", l.Numbers, want)
	}
}

// TestLarge checks that a triangle comes last if its size is at least 16 times the size of all other triangles.
func TestLarge(t *testing.T) {
	for size, last := range map[float32]bool{15.9: false, 16: true} {
		b := scenes.MakeBlock(20)
		for i := range 20 {
			b.Set(i, at(float32(4*i), 0, 0, 1))
		}
		b.Set(7, at(28, 0, 0, size))
		if l := New(&b, oneByOne); (l.Numbers[19] == 7) != last {
			t.Errorf("a triangle of size %g among those of 1 is last: %t; order %d", size, !last, l.Numbers)
		}
	}
}

// TestSpread compares interleave with a loop that moves the bits one by one.
func TestSpread(t *testing.T) {
	for x := range uint32(1 << axisBits) {
		want := uint32(0)
		for bit := range axisBits {
			want |= x >> bit & 1 << (3 * bit)
		}
		if got := interleave(x); got != want {
			t.Fatalf("%b is spread to %b, want %b", x, got, want)
		}
	}
}

// TestPermutation checks that every triangle occurs once, with its colour, bit for bit. The order must be the same if
// tasks run in parallel.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 2, 100, chunk, chunk + 1, 2*chunk + 77}).Draw(t, "triangles")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		any, small := rapid.Bool().Draw(t, "any bits"), rapid.Float32Range(0, 1).Draw(t, "size")
		b := scenes.MakeBlock(n)
		b.Colors = make([]uint32, n)
		for i := range n {
			var c [3][3]float32
			for k := range c {
				for axis := range c[k] {
					if c[k][axis] = random.Float32(); any && i%7 == 0 {
						c[k][axis] = math.Float32frombits(random.Uint32())
					} else if k > 0 {
						c[k][axis] = c[0][axis] + small*c[k][axis]
					}
				}
			}
			b.Set(i, c)
			b.Colors[i] = random.Uint32()
		}
		l, again := New(&b, oneByOne), New(&b, atOnce)
		if !slices.Equal(l.Numbers, again.Numbers) {
			t.Fatal("the order depends on how tasks run")
		}
		seen := make([]bool, n)
		for i, number := range l.Numbers {
			if seen[number] {
				t.Fatalf("triangle %d is there twice", number)
			}
			seen[number] = true
			got, want := l.Triangle(i), b.Triangle(int(number))
			for k := range 9 {
				if math.Float32bits(got[k/3][k%3]) != math.Float32bits(want[k/3][k%3]) {
					t.Fatalf("triangle %d differs: %v, want %v", number, got, want)
				}
			}
			if l.Colors[i] != b.Colors[number] {
				t.Fatalf("triangle %d has colour %x, want %x", number, l.Colors[i], b.Colors[number])
			}
		}
	})
}

// TestClose sorts small triangles that are in random order on a square. Runs of 64 triangles must lie in small parts of
// the square.
func TestClose(t *testing.T) {
	const n = 1 << 14
	random := rand.New(rand.NewPCG(1, 2))
	b := scenes.MakeBlock(n)
	for i := range n {
		b.Set(i, at(random.Float32(), random.Float32(), 0, 1e-3))
	}
	l, sum := New(&b, oneByOne), float32(0)
	for first := 0; first < n; first += 64 {
		part := l.Slice(first, first+64)
		box := part.Bounds()
		sum += float32(max(box.Max[0]-box.Min[0], box.Max[1]-box.Min[1]))
	}
	// A square with 64 of 16384 triangles has a sixteenth of the width. Runs of the curve are not exactly squares, and
	// sometimes jump.
	if mean := sum / (n / 64); mean > 0.15 {
		t.Errorf("runs of 64 are %g wide", mean)
	}
}

func BenchmarkNew(b *testing.B) {
	const n = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	mesh := scenes.MakeBlock(n)
	for i := range n {
		mesh.Set(i, at(random.Float32(), random.Float32(), random.Float32(), 1e-3))
	}
	for b.Loop() {
		New(&mesh, oneByOne)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/tri")
}
