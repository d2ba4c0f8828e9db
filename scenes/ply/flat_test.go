package ply

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// TestFlatTexture checks that flat pictures have the colours of a texture.
func TestFlatTexture(t *testing.T) {
	const file = "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" +
		"property float s\nproperty float t\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n"
	folder := fstest.MapFS{"a.png": {Data: meshtest.PNG(t, 1, 1, 0xff0000)}}
	for _, flat := range []bool{false, true} {
		m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true, Beside: folder, Flat: flat}, Format)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Colors) != 1 || m.Colors[0] != 0xff0000 || (m.Attributes == nil) != flat {
			t.Errorf("flat %v: colours %06x, %+v", flat, m.Colors, m.Attributes)
		}
	}
}
