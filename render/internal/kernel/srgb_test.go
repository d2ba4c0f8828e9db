package kernel

import "testing"

// TestTablesAreThatOfEncodeSRGB compares every entry of all tables with the formula.
func TestTablesAreThatOfEncodeSRGB(t *testing.T) {
	for _, base := range []uint32{0, 0xffffff, 0xcccccc, 0x0a0b0c, 0x01fe80, 0x7f0102} {
		s := NewShader(base)
		for i := range s.uniform {
			x := float64(i) / (ShadeSteps - 1)
			if want := encode8(x); s.encode[i] != want {
				t.Fatalf("encode[%d] is %d, want %d", i, s.encode[i], want)
			}
			want := uint32(0xff << 24)
			for channel, shift := range []int{16, 8, 0} {
				linear := DecodeSRGB(float64(base>>shift&255) / 255)
				want |= uint32(encode8(float64(x*linear))) << (8 * channel)
			}
			if s.uniform[i] != want {
				t.Fatalf("base %06x: uniform[%d] is %08x, want %08x", base, i, s.uniform[i], want)
			}
		}
	}
	d := NewDownsampler()
	for i, got := range d.encode {
		if want := encode8(float64(i) / linearOne); got != want {
			t.Fatalf("of %d: %d, want %d", i, got, want)
		}
	}
}

// TestEncoderAtItsSteps asks for the numbers around every step, where rounding
// decides.
func TestEncoderAtItsSteps(t *testing.T) {
	e := newEncoder8()
	for v := 1; v < 256; v++ {
		at := DecodeSRGB((float64(v) - 0.5) / 255)
		for _, off := range []float64{-2e-9, -1e-9, -1e-12, -1e-16, 0, 1e-16, 1e-12, 1e-9, 2e-9} {
			if got, want := e.encode(at+off), encode8(at+off); got != want {
				t.Fatalf("step %d, %v beside it: %d, want %d", v, off, got, want)
			}
		}
	}
	if e.encode(1) != 255 {
		t.Error("1 is not 255")
	}
}
