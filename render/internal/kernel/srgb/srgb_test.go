package srgb

import "testing"

// TestEncoderAtItsSteps encodes the numbers around every step, where rounding decides.
func TestEncoderAtItsSteps(t *testing.T) {
	e := NewEncoder()
	for v := 1; v < 256; v++ {
		at := Decode((float64(v) - 0.5) / 255)
		for _, off := range []float64{-2e-9, -1e-9, -1e-12, -1e-16, 0, 1e-16, 1e-12, 1e-9, 2e-9} {
			if got, want := e.Encode(at+off), Encode8(at+off); got != want {
				t.Fatalf("step %d, %v beside it: %d, want %d", v, off, got, want)
			}
		}
	}
	if e.Encode(1) != 255 {
		t.Error("1 is not 255")
	}
}
