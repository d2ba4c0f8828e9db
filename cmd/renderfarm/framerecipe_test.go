package main

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/pictureflags"
	"lockstep/render/recipe"
)

// wantRecipes draws the recipe in the text of every picture in a folder, as a single picture. It must have the pixels
// of the file. mesh is the mesh of the film.
func wantRecipes(t *testing.T, dir, mesh string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d pictures, %v", len(names), err)
	}
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var p recipe.Picture
		if err := p.UnmarshalJSON(recipeText(t, file)); err != nil {
			t.Fatal(err)
		}
		p.Meshes[0].File = mesh
		got, err := recipe.Draw(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		want := image.NewNRGBA(image.Rect(0, 0, got.Width, got.Height))
		draw.Draw(want, want.Rect, decoded, image.Point{}, draw.Src)
		if decoded.Bounds() != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: its recipe gives another picture", filepath.Base(name))
		}
	}
}

// recipeText returns the recipe in the text of a PNG file.
func recipeText(t *testing.T, file []byte) []byte {
	t.Helper()
	r := bytes.NewReader(file[8:]) // the signature has eight bytes
	for {
		kind, data, err := pictureflags.ReadChunk(r)
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := strings.CutPrefix(string(data), recipe.TextKey+"\x00"); ok && kind == "tEXt" {
			return []byte(text)
		}
	}
}
