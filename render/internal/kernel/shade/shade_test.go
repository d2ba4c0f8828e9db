package shade

import (
	"testing"

	"lockstep/render/internal/kernel/srgb"
)

// TestTablesAreThatOfEncodeSRGB compares every entry of all tables with the formula.
func TestTablesAreThatOfEncodeSRGB(t *testing.T) {
	for _, base := range []uint32{0, 0xffffff, 0xcccccc, 0x0a0b0c, 0x01fe80, 0x7f0102} {
		s := NewShader(base)
		for i := range s.uniform {
			x := float64(i) / (ShadeSteps - 1)
			if want := srgb.Encode8(x); s.encode[i] != want {
				t.Fatalf("encode[%d] is %d, want %d", i, s.encode[i], want)
			}
			want := uint32(0xff << 24)
			for channel, shift := range []int{16, 8, 0} {
				linear := srgb.Decode(float64(base>>shift&255) / 255)
				want |= uint32(srgb.Encode8(float64(x*linear))) << (8 * channel)
			}
			if s.uniform[i] != want {
				t.Fatalf("base %06x: uniform[%d] is %08x, want %08x", base, i, s.uniform[i], want)
			}
		}
	}
}
