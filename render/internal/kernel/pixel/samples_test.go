package pixel

import (
	"testing"

	"lockstep/render/internal/kernel/srgb"
)

// TestTableIsThatOfEncodeSRGB compares every entry of the table with the formula.
func TestTableIsThatOfEncodeSRGB(t *testing.T) {
	d := NewDownsampler()
	for i, got := range d.encode {
		if want := srgb.Encode8(float64(i) / linearOne); got != want {
			t.Fatalf("of %d: %d, want %d", i, got, want)
		}
	}
}
