package main

import (
	"bytes"
	"testing"
)

// TestVideoFrame checks that a transparent pixel gets the colour of its neighbour, because a video stores one colour
// for both. The last row and column must be repeated.
func TestVideoFrame(t *testing.T) {
	red, clear, half := []byte{255, 0, 0, 255}, []byte{0, 0, 0, 0}, []byte{0, 0, 255, 128}
	pix := bytes.Join([][]byte{clear, clear, clear, red, half, clear}, nil) // two columns, three rows
	want := bytes.Join([][]byte{{255, 0, 0, 0}, {255, 0, 0, 0}, {255, 0, 0, 0}, red, half, {0, 0, 255, 0}, half, {0, 0, 255, 0}}, nil)
	if got := videoFrame(nil, pix, 2, 3, true); !bytes.Equal(got, want) {
		t.Errorf("transparent: %v, want %v", got, want)
	}
	want = bytes.Join([][]byte{{255, 255, 255}, {255, 255, 255}, {255, 255, 255}, {255, 0, 0}, {127, 127, 255}, {255, 255, 255}, {127, 127, 255}, {255, 255, 255}}, nil)
	if got := videoFrame(nil, pix, 2, 3, false); !bytes.Equal(got, want) {
		t.Errorf("on white: %v, want %v", got, want)
	}
	if got := videoFrame(nil, clear, 1, 1, true); !bytes.Equal(got, make([]byte, 16)) {
		t.Errorf("one pixel: %v", got)
	}
}
