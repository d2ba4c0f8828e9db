package film

import (
	"bytes"
	"image/gif"
	"testing"
)

// disc is a frame with a shaded disc on a light background, moved by k.
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

// TestGIF decodes films of few and many frames: every frame is close to what went in,
// the background exactly.
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
			film, err := gif.DecodeAll(&b)
			if err != nil || len(film.Image) != frames || film.LoopCount != 0 || film.Delay[0] != 4 {
				t.Fatalf("%d frames of %d; %v", len(film.Image), frames, err)
			}
			shown := make([][4]byte, width*height)
			for k, img := range film.Image {
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
		t.Error("a film without frames is no film")
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
