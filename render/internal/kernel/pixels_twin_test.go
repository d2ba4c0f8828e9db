package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/pixel"
	"lockstep/vp/isa"
	"pgregory.net/rapid"
)

// randomKeys fills keys with random keys and long runs of 0.
func randomKeys(r *rand.Rand, keys []uint64) {
	share := r.IntN(5)
	for i := range keys {
		keys[i] = 0
		if r.IntN(4) < share {
			keys[i] = r.Uint64() >> 1 // the top bit of a key is 0
		}
		if r.IntN(50) == 0 {
			keys[i] &= 0xffffffff << (32 * r.IntN(2)) // the upper or the lower 32 bits are set to 0
		}
	}
}

// A pixelBuffers holds memory for the tests of a kernel. Guards lie before the memory, and inaccessible memory lies
// after it.
type pixelBuffers struct{ dst, src, pix *fence }

func newPixelBuffers(t testing.TB, keys int) *pixelBuffers {
	return &pixelBuffers{newFence(t, 8*keys), newFence(t, 8*keys), newFence(t, 4*keys)}
}

// behindGuard returns a slice of n elements that ends `rest` elements before the fence, and a function that checks that
// nothing around the slice was written.
func behindGuard[T uint64 | byte](f *fence, n, rest int) (s []T, intact func() bool) {
	const margin = 64
	all := atFence[T](f, margin+n+rest)
	mark := T(0x5a)
	for i := range all {
		all[i] = mark
	}
	return all[margin : margin+n : margin+n], func() bool {
		other := func(v T) bool { return v != mark }
		return !slices.ContainsFunc(all[:margin], other) && !slices.ContainsFunc(all[margin+n:], other)
	}
}

// checkMerge compares a vector loop of Merge with the specification.
func checkMerge(t interface{ Fatalf(string, ...any) }, level isa.Level, m *pixelBuffers, r *rand.Rand, n, rest int) {
	dst, dstIntact := behindGuard[uint64](m.dst, n, rest)
	src, srcIntact := behindGuard[uint64](m.src, n, rest)
	randomKeys(r, dst)
	randomKeys(r, src)
	want := slices.Clone(dst)
	pixel.Merge(want, slices.Clone(src))
	Select(level).Merge(dst, src)
	if err := sameBytes(dst, want); err != nil {
		t.Fatalf("%v, %d keys: %v", level, n, err)
	}
	if slices.ContainsFunc(src, func(k uint64) bool { return k != 0 }) {
		t.Fatalf("%v, %d keys: src not empty", level, n)
	}
	if !dstIntact() || !srcIntact() {
		t.Fatalf("%v, %d keys: written outside", level, n)
	}
}

// checkResolve compares a vector loop of Resolve with the specification.
func checkResolve(t interface{ Fatalf(string, ...any) }, level isa.Level, m *pixelBuffers, r *rand.Rand, n, rest int) {
	pix, pixIntact := behindGuard[byte](m.pix, 4*n, rest)
	keys, keysIntact := behindGuard[uint64](m.src, n, rest)
	randomKeys(r, keys)
	background := r.Uint32()
	want := make([]byte, 4*n)
	wantCovered := pixel.Resolve(want, slices.Clone(keys), background)
	covered := Select(level).Resolve(pix, keys, background)
	if err := sameBytes(pix, want); err != nil || covered != wantCovered {
		t.Fatalf("%v, %d keys: %d covered, want %d; %v", level, n, covered, wantCovered, err)
	}
	if slices.ContainsFunc(keys, func(k uint64) bool { return k != 0 }) {
		t.Fatalf("%v, %d keys: keys not empty", level, n)
	}
	if !pixIntact() || !keysIntact() {
		t.Fatalf("%v, %d keys: written outside", level, n)
	}
}

// checkFill compares a vector loop of Fill with the specification. The number of bytes need not be a multiple of the
// size of a pixel.
func checkFill(t interface{ Fatalf(string, ...any) }, level isa.Level, m *pixelBuffers, r *rand.Rand, n, rest int) {
	pix, intact := behindGuard[byte](m.pix, n, rest)
	want, color := slices.Clone(pix), r.Uint32()
	pixel.Fill(want, color)
	Select(level).Fill(pix, color)
	if err := sameBytes(pix, want); err != nil {
		t.Fatalf("%v, %d bytes: %v", level, n, err)
	}
	if !intact() {
		t.Fatalf("%v, %d bytes: written outside", level, n)
	}
}

// randomSamples fills the keys of pixels with grid x grid samples. In many pixels all samples show the same colour.
func randomSamples(r *rand.Rand, keys []uint64, stride, grid int) {
	for i := range stride / grid {
		kind := r.IntN(6)
		colors := [2]uint64{r.Uint64() >> 1, r.Uint64() >> 1}
		if r.IntN(4) == 0 {
			colors[0] &= 0xffffffff << (32 * r.IntN(2)) // one half is 0
		}
		odd := r.IntN(grid * grid)
		for s := range grid * grid {
			key := colors[0]&0xffffffff | r.Uint64()>>1&^0xffffffff // the same colour at another depth
			switch {
			case kind == 0, kind == 1 && s == odd:
				key = 0
			case kind == 2 && s == odd:
				key = colors[1]
			case kind == 3 && s == odd:
				key ^= 1 << r.IntN(63)
			case kind == 4:
				key = colors[0]
			}
			keys[s/grid*stride+grid*i+s%grid] = key
		}
	}
}

// checkEven compares a vector loop of Even with the specification. n is the number of pixels.
func checkEven(t interface{ Fatalf(string, ...any) }, level isa.Level, m *pixelBuffers, r *rand.Rand, n, rest int) {
	grid := 2 << r.IntN(2)
	stride := grid * n
	pix, pixIntact := behindGuard[byte](m.pix, 4*n, rest)
	keys, keysIntact := behindGuard[uint64](m.src, stride*grid, rest)
	randomSamples(r, keys, stride, grid)
	background, before := r.Uint32(), slices.Clone(keys)
	want := make([]byte, 4*n)
	wantUneven, wantCovered := pixel.Even(want, keys, stride, grid, background)
	uneven, covered := Select(level).Even(pix, keys, stride, grid, background)
	for i := range n {
		if uneven>>i&1 != 0 {
			copy(pix[4*i:], want[4*i:4*i+4]) // ignore pixels that are left to the caller, because their bytes are arbitrary
		}
	}
	if err := sameBytes(pix, want); err != nil || uneven != wantUneven || covered != wantCovered {
		t.Fatalf("%v, %d pixels of %d samples: uneven %b, want %b; %d covered, want %d; %v", level, n, grid*grid, uneven, wantUneven, covered, wantCovered, err)
	}
	if !slices.Equal(keys, before) || !pixIntact() || !keysIntact() {
		t.Fatalf("%v, %d pixels of %d samples: written outside", level, n, grid*grid)
	}
}

// TestEvenTwins compares the vector loops of Even with the specification at all lengths, and at the end of accessible
// memory.
func TestEvenTwins(t *testing.T) {
	m := newPixelBuffers(t, 16*pixel.MaxEven+200)
	for _, level := range twinLevels(t) {
		r := rand.New(rand.NewPCG(47, 48))
		for n := range pixel.MaxEven + 1 {
			for range 40 {
				checkEven(t, level, m, r, n, 0)
			}
		}
	}
}

// TestPixelTwins compares the vector loops of Merge, Resolve and Fill with their specifications at all lengths and
// alignments, and at the end of accessible memory.
func TestPixelTwins(t *testing.T) {
	m := newPixelBuffers(t, 200)
	for _, level := range twinLevels(t) {
		t.Run(level.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(41, 42))
			for n := range 71 {
				for rest := range 16 {
					checkMerge(t, level, m, r, n, rest)
					checkResolve(t, level, m, r, n, rest)
					checkFill(t, level, m, r, 4*n+rest%4, rest)
				}
			}
		})
	}
}

// TestPixelTwinsProperty tests lengths around the sizes of batches of the assembly loops.
func TestPixelTwinsProperty(t *testing.T) {
	const most = 3 << 14
	m := newPixelBuffers(t, most+200)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(1<<14-20, 1<<14+20), rapid.IntRange(0, most)).Draw(t, "keys")
		rest := rapid.IntRange(0, 15).Draw(t, "rest")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 43))
		for _, level := range twinLevels(t) {
			checkMerge(t, level, m, r, n, rest)
			checkResolve(t, level, m, r, n, rest)
			checkFill(t, level, m, r, n, rest)
		}
	})
}
