package surface_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/tiff"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/surface"
)

// TestDecodedOnce checks that the picture of a file is decoded once, whatever names it has.
func TestDecodedOnce(t *testing.T) {
	folder := fstest.MapFS{"t/a.png": {Data: meshtest.PNG(t, 2, 1, 1, 2)}, "bad.png": {Data: []byte("bad")}}
	in := meshtest.Input(context.Background(), scenes.ReadOptions{Beside: folder})
	var first *image.NRGBA
	for _, name := range []string{"t/a.png", `t\a.png`, "T/A.png", "./t/../t/a.png", "t/%61.png"} {
		p, err := surface.DecodeBeside(in, "", name, 0)
		if err != nil || first != nil && p != first {
			t.Errorf("%s: decoded again, or %v", name, err)
		}
		first = p
	}
	_, err := surface.DecodeBeside(in, "", "bad.png", 0)
	delete(folder, "bad.png")
	if _, again := surface.DecodeBeside(in, "", "bad.png", 0); err == nil || again != err {
		t.Errorf("%v, then %v", err, again)
	}
}

// TestPixels checks the common limit for the pixels of all pictures of an input.
func TestPixels(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2000, 2000))); err != nil {
		t.Fatal(err)
	}
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	var limit *scenes.LimitError
	for n := 1; ; n++ {
		_, err := surface.Decode(in, b.Bytes(), 0)
		if errors.As(err, &limit) && limit.Fixed && n == 9 {
			return
		}
		if err != nil || n == 9 {
			t.Fatalf("picture %d: %v", n, err)
		}
	}
}

// TestUnreadPictures checks that errors name the kind of a file that cannot be read as a texture, such as TIFF.
func TestUnreadPictures(t *testing.T) {
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	for data, says := range map[string]string{
		"": "it is empty", "nothing known": "it is of an unknown format", "DDS |": "it is a DDS picture",
		"\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x08\x00\x18\x20cut off": "it is a TGA picture that ends within its pixels",
		"version https://git-lfs.github.com/spec/v1\noid":                                 "it is a pointer of Git LFS",
	} {
		if _, err := surface.Decode(in, []byte(data), 0); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: %v", data, err)
		}
	}
	var b bytes.Buffer // a decoder for TIFF is registered, because this test imports it
	if err := tiff.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 1)), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := surface.Decode(in, b.Bytes(), 0); err == nil || !strings.HasPrefix(err.Error(), "it is a TIFF picture") {
		t.Error(err)
	}
}
