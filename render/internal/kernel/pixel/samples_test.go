package pixel

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/srgb"
)

// TestEncodeIsThatOfSRGB compares the encoding of every intensity with the formula of sRGB.
func TestEncodeIsThatOfSRGB(t *testing.T) {
	d := NewDownsampler(&specification)
	for light := range uint32(linearOne + 1) {
		if got, want := d.encode(light), srgb.Encode8(float64(light)/linearOne); got != uint32(want) {
			t.Fatalf("of %d: %d, want %d", light, got, want)
		}
	}
}

// TestEvenPixels compares pixels with the means of their samples: one colour at different depths, no colour, and
// several colours.
func TestEvenPixels(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 6))
	d := NewDownsampler(&specification)
	const n, stride = 40, 200
	kinds := 0
	for round := range 2000 {
		grid := 2 << (round % 2)
		keys := make([]uint64, stride*grid)
		for i := range n {
			colors := [3]uint32{random.Uint32() & 0xffffff, random.Uint32() & 0xffffff, 0}
			kind := random.IntN(4)
			for y := range grid {
				for x := range grid {
					key := array.Key(random.Float32(), uint64(^colors[random.IntN(1+kind/2)]))
					if kind == 0 || kind == 3 && random.IntN(3) == 0 {
						key = 0
					}
					keys[y*stride+grid*i+x] = key
				}
			}
		}
		background := random.Uint32() & 0xffffff
		if random.IntN(2) == 0 {
			background |= 0xff << 24
		}
		pix, hits := make([]byte, 4*n), 0
		var want [n]uint32
		for i := range n {
			p, hit := d.average(keys[grid*i:], stride, grid, background)
			if want[i] = p; hit {
				hits++
			}
			if isEven(keys[grid*i:], keys[grid*i], stride, grid) {
				kinds++
			}
		}
		if got := d.Resolve(pix, keys, stride, grid, background); got != hits {
			t.Fatalf("%d pixels are covered, want %d", got, hits)
		}
		for i := range n {
			if got := binary.LittleEndian.Uint32(pix[4*i:]); got != want[i] {
				t.Fatalf("grid %d, pixel %d: %08x, want %08x", grid, i, got, want[i])
			}
		}
		for _, k := range keys {
			if k != 0 {
				t.Fatal("a key is not cleared")
			}
		}
	}
	if kinds == 0 {
		t.Error("no pixel was of one colour")
	}
}

// TestMeansOfKnownSamples averages black and white, with and without samples that show the background.
func TestMeansOfKnownSamples(t *testing.T) {
	d := NewDownsampler(&specification)
	const white, black, none = 0xffffff, 0, -1
	for _, c := range []struct {
		samples    [4]int // one pixel's samples; with sixteen samples, each of them occurs four times
		background uint32
		want       uint32
	}{
		{[4]int{white, white, black, black}, 0, 0xffbcbcbc},          // each channel has half of the light
		{[4]int{white, 0xff0000, black, black}, 0, 0xffbc8989},       // green and blue have a quarter of the light
		{[4]int{white, black, none, none}, 0, 0x80bcbcbc},            // alpha is a half, and colours are not multiplied by it
		{[4]int{white, none, none, none}, 0xff000000, 0xff898989},    // mixed with a black background
		{[4]int{black, none, black, black}, 0xffffffff, 0xff898989},  // mixed with a white background
		{[4]int{white, white, none, white}, 0x00123456, 0xbfffffff},  // all covered samples have one colour
		{[4]int{none, none, none, none}, 0x12345678, 0x12345678},     // all samples show the background
		{[4]int{black, black, black, black}, 0x12345678, 0xff000000}, // no sample shows the background
	} {
		for _, grid := range []int{2, 4} {
			var keys [16]uint64
			for i := range grid * grid {
				if s := c.samples[i%4]; s != none {
					keys[i] = array.Key(0.5, uint64(^uint32(s)))
				}
			}
			if got, hit := d.average(keys[:], grid, grid, c.background); got != c.want || hit != (c.samples != [4]int{none, none, none, none}) {
				t.Errorf("%x before %08x, grid %d: %08x, want %08x", c.samples, c.background, grid, got, c.want)
			}
		}
	}
}
