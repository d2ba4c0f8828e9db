package footprint

import (
	"testing"

	"lockstep/render"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// TestFrame checks sizes with known lengths of rows. A row holds the keys of its tiles. It has one more cache line if
// their number of cache lines is even, and more if its length is close to a page.
func TestFrame(t *testing.T) {
	for _, c := range []struct {
		o    render.Options
		keys int64
	}{
		{render.Options{}, (1920 + 8) * 1088},
		{render.Options{Width: 512, Height: 1}, (512 + 136) * 16},
		{render.Options{Width: 1, Height: 700, Samples: 16}, (128 + 8) * 2800},
	} {
		if got, err := Frame(c.o); err != nil || got < 8*c.keys || got > 9*c.keys+9<<20 {
			t.Errorf("%+v: %d bytes, %v, want at least %d", c.o, got, err, 8*c.keys)
		}
	}
	if _, err := Frame(render.Options{Samples: 3}); err == nil {
		t.Error("three samples have a size")
	}
	const small, large = 8 * (256 + 8) * 256, 8 * (1920 + 8) * 1088
	if kept, err := Frame(render.Options{Width: 256, Height: 256}); err != nil || kept != small {
		t.Errorf("small frames, which keep no spans, take %d bytes, %v, want %d", kept, err, small)
	}
	if kept, err := Frame(render.Options{}); err != nil || kept <= large {
		t.Errorf("spans that are kept take nothing: %d bytes, %v", kept, err)
	}
}

// TestFrameOfDeferred checks that frames that store spans count two chunks of 512 records of 16 bytes for each tile
// row, in addition to spans and depths.
func TestFrameOfDeferred(t *testing.T) {
	for _, samples := range []int{1, 4} {
		got, err := Frame(render.Options{Width: 1920, Height: 1080, Samples: samples})
		grid := tile.Grid(samples)
		l := tile.New(1920*grid, 1080*grid)
		got -= 8*int64(l.Keys()) + l.StoreBytes() + hidden.GridBytes(l.TilesX*tile.Width, l.TilesY)
		if least := int64(2*l.TilesY+2) * (512*16 + 4); err != nil || got < least || got > least+4*(512*16+4) {
			t.Errorf("%d samples: %d bytes, %v, want %d", samples, got, err, least)
		}
	}
}

func TestSurface(t *testing.T) {
	if got := Surface(1000); got != 84_000 {
		t.Errorf("1000 triangles: %d bytes", got)
	}
	if got := Surface(100_000_000); got != 6_000_000_000 {
		t.Errorf("100 million triangles: %d bytes", got)
	}
}

// TestLit compares the memory for the points that lit pictures show, for occlusion and for eye-dome light.
func TestLit(t *testing.T) {
	flat := render.Options{Width: 100, Height: 10, Light: render.LightStudio}
	smooth := flat
	smooth.Shading = render.ShadingSmooth
	occluded := smooth
	occluded.Occlusion = true
	cloud := flat
	cloud.EyeDome = true
	for want, o := range map[int64]render.Options{0: flat, 4 * 116 * 26: cloud, 16_000: smooth, 22_000: occluded} {
		if got := Lit(o); got != want {
			t.Errorf("%+v: %d bytes, want %d", o, got, want)
		}
	}
}

// TestEyeDomeOfMesh checks that memory for eye-dome light is counted for clouds only.
func TestEyeDomeOfMesh(t *testing.T) {
	o := render.Options{Width: 100, Height: 10, Light: render.LightStudio, EyeDome: true}
	if got := Lit(Of(o, new(scenes.Mesh))); got != 0 {
		t.Errorf("a mesh takes %d bytes for eye-dome light", got)
	}
	if got := Lit(Of(o, new(scenes.Points))); got != Lit(o) {
		t.Errorf("a cloud takes %d bytes for eye-dome light, want %d", got, Lit(o))
	}
}
