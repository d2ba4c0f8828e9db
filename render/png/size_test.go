package png

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// TestLarge encodes and decodes pictures of full size.
func TestLarge(t *testing.T) {
	width, height := 1280, 720
	if *long {
		width, height = 1920, 1080
	}
	for _, p := range []*picture{sphere("sphere", width, height, 1, 0.05, orange), lines("lines", width, height, 100), noise("noise", width, height)} {
		file := encodeRGBA(t, p, &Options{Run: goroutines(2)})
		if got, _, _ := decodeRGBA(t, file); !bytes.Equal(got, p.pix) {
			t.Errorf("%s: pixels differ", p.name)
		}
	}
}

// TestSize compares sizes of files with those of image/png, for every picture of the gallery and for facets of many
// sizes.
func TestSize(t *testing.T) {
	sizes := [][2]int{{64, 64}, {200, 200}}
	if *long {
		sizes = append(sizes, [2]int{256, 256}, [2]int{300, 300}, [2]int{640, 360}, [2]int{400, 300}, [2]int{960, 540}, [2]int{1280, 720}, [2]int{1920, 1080}, [2]int{3840, 2160})
	}
	for _, size := range sizes {
		for _, p := range gallery(size[0], size[1]) {
			checkSizeOf(t, p)
		}
		if size[0] <= 1920 {
			for _, cell := range []float64{0.015, 0.02, 0.04, 0.06, 0.1, 0.2} {
				checkSizeOf(t, sphere(fmt.Sprintf("cell=%g", cell), size[0], size[1], 1, cell, grey))
			}
		}
	}
}

// checkSizeOf compares the size of one picture's file with image/png's BestSpeed.
func checkSizeOf(t *testing.T, p *picture) {
	t.Helper()
	const limit = 1.2
	reference := len(encodeBestSpeed(p.image()))
	file := encodeRGBA(t, p, &Options{Run: goroutines(2)})
	if got, _, _ := decodeRGBA(t, file); !bytes.Equal(got, p.pix) {
		t.Errorf("%dx%d %s: pixels differ", p.width, p.height, p.name)
	}
	ratio := float64(len(file)) / float64(reference)
	t.Logf("%dx%d %-15s %8d bytes, %.2f of BestSpeed", p.width, p.height, p.name, len(file), ratio)
	if ratio > limit {
		t.Errorf("%dx%d %s: %d bytes, %.2f of BestSpeed's %d, limit %.1f", p.width, p.height, p.name, len(file), ratio, reference, limit)
	}
}

// TestSizeDepth compares sizes of pictures of depth.
func TestSizeDepth(t *testing.T) {
	z := depth(1920, 1080)
	reference := len(encodeBestSpeed(gray16Image(z, 1920, 1080)))
	var buf bytes.Buffer
	if err := new(Encoder).EncodeGray16(&buf, z, 1920, 1920, 1080, nil); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := decodeGray16(t, buf.Bytes()); !slices.Equal(got, z) {
		t.Error("samples differ")
	}
	if ratio := float64(buf.Len()) / float64(reference); ratio > 1.2 {
		t.Errorf("%d bytes, %.2f of BestSpeed's %d", buf.Len(), ratio, reference)
	}
}

// TestSmallIsSmaller checks that level Small gives smaller files than level Fast.
func TestSmallIsSmaller(t *testing.T) {
	for _, p := range []*picture{sphere("smooth", 960, 540, 1, 0, orange), sphere("facets", 960, 540, 1, 0.05, grey), lines("lines", 960, 540, 200)} {
		fast, small := encodeRGBA(t, p, nil), encodeRGBA(t, p, &Options{Level: Small})
		if got, _, _ := decodeRGBA(t, small); !bytes.Equal(got, p.pix) {
			t.Errorf("%s: pixels differ", p.name)
		}
		if len(small) >= len(fast) {
			t.Errorf("%s: Small has %d bytes, Fast %d", p.name, len(small), len(fast))
		}
	}
}
