package encode

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"math"
	"testing"
)

// disc returns a frame with a shaded disc on a light background, moved by k pixels.
func disc(width, height, k int, alpha byte) (pix []byte) {
	for y := range height {
		for x := range width {
			dx, dy := x-width/2-k, y-height/2
			if d := dx*dx + dy*dy; d < height*height/9 {
				v := byte(60 + 150*(height*height/9-d)/(height*height/9))
				pix = append(pix, v, v-30, v-50, 255)
			} else {
				pix = append(pix, 0xf3, 0xf4, 0xf6, alpha)
			}
		}
	}
	return pix
}

// TestGIF decodes animations of few and of many frames. Every frame must be close to the original, and the background
// exact.
func TestGIF(t *testing.T) {
	const width, height = 60, 40
	for _, alpha := range []byte{255, 0} {
		for _, frames := range []int{1, 3, 12} {
			var b bytes.Buffer
			g, err := NewGIF(&b, width, height, 4)
			if err != nil {
				t.Fatal(err)
			}
			for k := range frames {
				if err := g.Frame(disc(width, height, k, alpha)); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			clip, err := gif.DecodeAll(&b)
			if err != nil || len(clip.Image) != frames || clip.LoopCount != 0 || clip.Delay[0] != 4 {
				t.Fatalf("%d frames of %d; %v", len(clip.Image), frames, err)
			}
			shown := make([][4]byte, width*height)
			for k, img := range clip.Image {
				want := disc(width, height, k, alpha)
				for i, index := range img.Pix {
					if r, g, b, a := img.Palette[index].RGBA(); a != 0 {
						shown[i] = [4]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8), 255}
					} else if alpha == 0 {
						shown[i] = [4]byte{}
					}
					w := want[4*i : 4*i+4]
					if w[3] == 0 {
						if shown[i][3] != 0 {
							t.Fatalf("frame %d, pixel %d is not transparent", k, i)
						}
						continue
					}
					for c := range 3 {
						d, most := int(shown[i][c])-int(w[c]), 14
						if w[0] == 0xf3 {
							most = 0
						}
						if d < -most || d > most {
							t.Fatalf("frame %d of %d, pixel %d: %v, want %v", k, frames, i, shown[i], w)
						}
					}
				}
			}
		}
	}
}

func TestGIFWithoutFrames(t *testing.T) {
	var b bytes.Buffer
	if g, err := NewGIF(&b, 3, 3, 4); err != nil || g.Close() == nil {
		t.Error("an animation without frames is none")
	}
	if _, err := NewGIF(&b, 70000, 3, 4); err == nil {
		t.Error("too wide")
	}
}

func BenchmarkGIF(b *testing.B) {
	pix := disc(480, 360, 0, 255)
	g, err := NewGIF(new(bytes.Buffer), 480, 360, 4)
	if err != nil {
		b.Fatal(err)
	}
	for k := 0; b.Loop(); k++ {
		copy(pix, disc(480, 360, k%50, 255))
		if err := g.Frame(pix); err != nil {
			b.Fatal(err)
		}
	}
}

// plain returns a frame of one colour whose last hole pixels are transparent.
func plain(width, height, hole int, color [3]byte) (pix []byte) {
	for i := range width * height {
		if i >= width*height-hole {
			pix = append(pix, 0, 0, 0, 0)
		} else {
			pix = append(pix, color[0], color[1], color[2], 255)
		}
	}
	return pix
}

// shown decodes an animation and returns the frames as a viewer shows them.
func shown(t *testing.T, file []byte) (frames []*image.RGBA, delays []int) {
	t.Helper()
	clip, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, clip.Config.Width, clip.Config.Height))
	for k, img := range clip.Image {
		draw.Draw(canvas, img.Rect, img, img.Rect.Min, draw.Over)
		now := image.NewRGBA(canvas.Rect)
		copy(now.Pix, canvas.Pix)
		frames = append(frames, now)
		if clip.Disposal[k] == gif.DisposalBackground {
			clear(canvas.Pix)
		}
	}
	return frames, clip.Delay
}

// TestGIFLaterColors draws frames whose colours first occur long after the first palette was computed, like the back of
// a mesh on a turntable. It also draws old colours that return.
func TestGIFLaterColors(t *testing.T) {
	const width, height = 40, 30
	colors := [][3]byte{{40, 80, 220}, {230, 200, 40}, {200, 30, 40}, {40, 80, 220}, {120, 120, 120}}
	var b bytes.Buffer
	g, err := NewGIF(&b, width, height, 4)
	if err != nil {
		t.Fatal(err)
	}
	const each = 10
	for _, c := range colors {
		for range each {
			if err := g.Frame(plain(width, height, 0, c)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	frames, _ := shown(t, b.Bytes())
	if len(frames) != each*len(colors) {
		t.Fatalf("%d frames", len(frames))
	}
	for k, f := range frames {
		want := colors[k/each]
		for i := 0; i < len(f.Pix); i += 4 {
			for c := range 3 {
				if d := int(f.Pix[i+c]) - int(want[c]); d < -14 || d > 14 {
					t.Fatalf("frame %d, pixel %d: %v, want %v", k, i/4, f.Pix[i:i+4], want)
				}
			}
		}
	}
}

// TestGIFLaterHoles has transparent pixels that first occur after the first palette was computed.
func TestGIFLaterHoles(t *testing.T) {
	const width, height = 20, 10
	var b bytes.Buffer
	g, err := NewGIF(&b, width, height, 4)
	if err != nil {
		t.Fatal(err)
	}
	const opaque, all = 12, 16
	hole := func(k int) int { return max(0, (k-opaque+1)*(4-3*(k%2))) }
	for k := range all {
		if err := g.Frame(plain(width, height, hole(k), [3]byte{90, 100, 110})); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	frames, _ := shown(t, b.Bytes())
	for k, f := range frames {
		for i := range width * height {
			if want := i >= width*height-hole(k); (f.Pix[4*i+3] == 0) != want {
				t.Fatalf("frame %d, pixel %d: alpha %d, want a hole: %v", k, i, f.Pix[4*i+3], want)
			}
		}
	}
}

// TestGIFLength checks that animations have the right length for any duration of a frame.
func TestGIFLength(t *testing.T) {
	for _, fps := range []float64{7, 24, 25, 29.97, 30, 45, 50} {
		var b bytes.Buffer
		g, err := NewGIF(&b, 3, 3, 100/fps)
		if err != nil {
			t.Fatal(err)
		}
		const frames = 90
		for k := range frames {
			if err := g.Frame(plain(3, 3, 0, [3]byte{byte(k)})); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		_, delays := shown(t, b.Bytes())
		sum := 0
		for _, d := range delays {
			sum += d
			if want := 100 / fps; float64(d) < want-1 || float64(d) > want+1 || d < 2 {
				t.Errorf("%g frames a second: a frame of %d", fps, d)
			}
		}
		if want := 100 * frames / fps; float64(sum) < want-0.5 || float64(sum) > want+0.5 {
			t.Errorf("%g frames a second: %d hundredths of a second, want %g", fps, sum, want)
		}
	}
	for _, delay := range []float64{-1, 65536, math.NaN(), math.Inf(1)} {
		if _, err := NewGIF(new(bytes.Buffer), 3, 3, delay); err == nil {
			t.Errorf("a delay of %g", delay)
		}
	}
}
