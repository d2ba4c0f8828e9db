package pixel

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/srgb"
)

// TestTableIsThatOfEncodeSRGB compares every entry of the table with the formula.
func TestTableIsThatOfEncodeSRGB(t *testing.T) {
	d := NewDownsampler(&specification)
	for i, got := range d.encode {
		if want := srgb.Encode8(float64(i) / linearOne); got != want {
			t.Fatalf("of %d: %d, want %d", i, got, want)
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
