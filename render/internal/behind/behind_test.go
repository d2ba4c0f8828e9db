package behind

import (
	"math"
	"testing"
)

// built returns a picture. The function `of` returns the grey level and the alpha of each pixel.
func built(width, height, frameHeight int, of func(x, y int) (grey, alpha uint8)) *Picture {
	pix := make([]byte, 4*width*height)
	for i := range width * height {
		g, a := of(i%width, i/width)
		copy(pix[4*i:], []byte{g, g, g, a})
	}
	linear := new([256]float32)
	for i := range linear {
		linear[i] = float32(i) / 255
	}
	p := new(Picture)
	for range 2 { // the second round reuses the memory of the first
		p.Build(pix, width, height, frameHeight, linear, func(n int, do func(row int)) {
			for i := n - 1; i >= 0; i-- {
				do(i)
			}
		})
	}
	return p
}

// TestPixels reads every pixel of a picture, in a frame of the same height and in a frame three times as high. Beyond
// the picture, its outermost pixels must be repeated.
func TestPixels(t *testing.T) {
	of := func(x, y int) (uint8, uint8) { return uint8(10*x + 40*y), 255 }
	for _, scale := range []int{1, 3} {
		p := built(5, 4, 4*scale, of)
		for y := -1; y < 5; y++ {
			for x := -1; x < 6; x++ {
				want, _ := of(min(max(x, 0), 4), min(max(y, 0), 3))
				light, alpha := p.At((float32(x)-2)*float32(scale), (1.5-float32(y))*float32(scale), 0)
				if math.Abs(float64(light.Y*255)-float64(want)) > 0.01 || alpha != 1 || p.Alpha(0, 0) != 1 {
					t.Errorf("scale %d, pixel %d, %d: %g, want %d", scale, x, y, light.Y*255, want)
				}
			}
		}
	}
	if light, _ := built(5, 4, 4, of).At(-0.5, 0, 0); math.Abs(float64(light.X*255)-75) > 0.01 {
		t.Errorf("between four pixels: %g, want 75", light.X*255)
	}
}

// TestBlur blurs a picture with a bright half more and more. The step between the halves must become a slope, and the
// mean must not change.
func TestBlur(t *testing.T) {
	p := built(64, 64, 64, func(x, _ int) (uint8, uint8) { return uint8(255 * (x / 32)), 255 })
	slope := float32(2)
	for _, blur := range []float32{0, 0.25, 0.5, 0.75, 1, 7} {
		left, _ := p.At(-3, 1, blur)
		right, _ := p.At(3, 1, blur)
		if sum := left.X + right.X; math.Abs(float64(sum-1)) > 1e-3 {
			t.Errorf("blur %g: %g and %g on both sides of the middle", blur, left.X, right.X)
		}
		if now := right.X - left.X; now > slope || blur == 0 && now < 0.999 || blur == 1 && now > 0.5 {
			t.Errorf("blur %g: %g apart, %g before", blur, now, slope)
		} else {
			slope = now
		}
	}
}

// TestAlphaCounts checks that pixels are weighted by their alpha, so that transparent pixels do not darken the mean.
func TestAlphaCounts(t *testing.T) {
	p := built(16, 16, 16, func(x, _ int) (uint8, uint8) { return 200, uint8(255 * (x % 2)) })
	for _, blur := range []float32{0.5, 1} {
		light, alpha := p.At(0, 0, blur)
		if math.Abs(float64(alpha-0.5)) > 0.01 || math.Abs(float64(light.Y/alpha)-200./255) > 1e-3 {
			t.Errorf("blur %g: %g of alpha %g", blur, light.Y, alpha)
		}
	}
}

func TestShrink(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {1920, 1080, 1}, {2100, 1000, 1}, {2101, 1000, 2}, {3840, 2160, 2}, {1 << 20, 1 << 20, 724}} {
		k := Shrink(c[0], c[1])
		if n := Bytes(c[0], c[1]); n > 15*MaxPixels || n < 14 || k == 1 && n < 14*int64(c[0])*int64(c[1]) {
			t.Errorf("%v: %d bytes", c, n)
		}
		if w, h := (c[0]+k-1)/k, (c[1]+k-1)/k; k != c[2] || w*h > MaxPixels {
			t.Errorf("%v: %d, %d x %d", c, k, w, h)
		}
	}
}
