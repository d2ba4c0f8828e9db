package annotate

import (
	"strings"
	"testing"
)

// TestLabelsFit checks that labels are complete if a pixel stays free on both sides, with margins of up to a letter. In
// narrower pictures they must be shortened, with margins of an eighth of the width.
func TestLabelsFit(t *testing.T) {
	face, err := newTypeface()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"bottom", "a label of words"} {
		p := &page{a: &Annotator{text: face}, h: 60, size: 11}
		needs := p.textWidth(text)
		for p.w = 1; p.w < int(needs)+40; p.w++ {
			width := float64(p.w)
			got, x := p.fitLabel(text)
			switch right := width - x - p.textWidth(got); {
			case width >= needs+22:
				if got != text || x != 11 {
					t.Errorf("%q in %d columns: %q from %v", text, p.w, got, x)
				}
			case width >= needs+2:
				if got != text || x < 1 || x-right > 1e-9 || right-x > 1e-9 {
					t.Errorf("%q in %d columns: %q from %v, %v to the right", text, p.w, got, x, right)
				}
			default:
				cut, shortened := strings.CutSuffix(got, "…")
				if !shortened || !strings.HasPrefix(text, cut) || x != min(11, width/8) || cut != "" && right < x {
					t.Errorf("%q in %d columns: %q from %v, %v to the right", text, p.w, got, x, right)
				}
			}
		}
	}
}
