package units

import "testing"

// TestNames checks that every name has a normal name for the same length, and that the length has a symbol.
func TestNames(t *testing.T) {
	for name, length := range Lengths() {
		normal := Normal(name)
		if Of(normal) != length || Symbol(length) == "" || Normal(normal) != normal {
			t.Errorf("%s: %s", name, normal)
		}
	}
	if Normal("MM") != "mm" || Of("Inch") != 0.0254 || Normal("parsec") != "parsec" || Of("parsec") != 0 {
		t.Error("upper case, or no unit")
	}
	if Name(0.0254) != "inch" || Name(2) != "2 metres" || Symbol(1e-6) != "µm" || Symbol(2) != "" {
		t.Error(Name(0.0254), Name(2), Symbol(1e-6), Symbol(2))
	}
}
