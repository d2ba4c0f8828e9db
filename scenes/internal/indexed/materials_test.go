package indexed

import (
	"image"
	"testing"

	"lockstep/scenes"
)

// TestSharedPictures checks that the memory of a picture counts once, however many materials share it.
func TestSharedPictures(t *testing.T) {
	one, other := image.NewNRGBA(image.Rect(0, 0, 8, 8)), image.NewNRGBA(image.Rect(0, 0, 4, 4))
	var m Mesh
	for range 10 {
		for _, p := range []*image.NRGBA{one, other} {
			m.AddMaterial(scenes.Material{Texture: &scenes.Texture{Picture: p}})
		}
		m.AddMaterial(scenes.Material{})
	}
	if got, want := m.details.held(), int64(30*materialBytes+4*(64+16)); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}
