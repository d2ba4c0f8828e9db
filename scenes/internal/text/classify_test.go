package text

import (
	"strings"
	"testing"
)

func TestCommas(t *testing.T) {
	const point, spaces = "; numbers take a point, not a comma", "; spaces part numbers, not commas"
	const semicolons = "; spaces part numbers, not semicolons"
	for word, want := range map[string]string{
		"0,5": point, "-1,5e3": point, "0,0,0": spaces, "0,": spaces, ",5": spaces, ",": spaces, "1/1,2/2": point, "1.5,2.5,3.5": spaces,
		"0;0;0": semicolons, "0;": semicolons, "0,5;1": semicolons, "1/1;2/2": semicolons, "a;": "",
		"": "", "5": "", "x": "", "a,b": "", "1,b": "", "is,": "",
	} {
		if got := CommaHint(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// TestComments finds the first line that is not a comment in any format.
func TestComments(t *testing.T) {
	for _, c := range []struct{ comments, rest string }{
		{"", ""},
		{"", "v 0 0 0\n# a\n"},
		{"", "solid a\n"},
		{"# a\n  # b\r\n\r\n", "OFF"},
		{"# a\r# b\r", "OFF"},
		{"\xef\xbb\xbf# a\n", "v 1 2 3"},
		{"; a\n// b\ncomment c\n", "FBXHeaderExtension:  {"},
		{"<?xml version='1.0'?>\n<!-- a\n<b> -->\n<!-- c -->", "<COLLADA>"},
		{"<?xml version='1.0'>\n", "<VTKFile type='PolyData'><?x?>"},
		{"<?xml\nversion='1.0'?>\n", "<VTKFile>"}, {"<?a>b?>", "<c>"},
		{"<?a b>\nc?>", "<d>"}, {"<?xml-stylesheet href='a>b'\ntype='c'?>\n", "<d>"}, {"<?xml>\n?>", "<d>"}, {"<?xml\tversion='1.0'>", "<d>\n<?e?>"},
		{"$Comments\na\n$b\n$EndComments\n", "$MeshFormat\n"},
		{"999\na comment\n 999 \r\nanother\n\n", "  0\nSECTION\n"[2:]},
		{"# cut", ""}, {"<?xml", ""}, {"<!-- cut\n>\n", ""}, {"$Comments\ncut\n", ""}, {"999\ncut", ""}, {"999", ""},
	} {
		if got := CommentsLength([]byte(c.comments + c.rest)); got != len(c.comments) {
			t.Errorf("%q, %q: comments of %d bytes", c.comments, c.rest, got)
		}
	}
	if got := string(AfterComments([]byte(strings.Repeat("# a\n", 5000)+"mark and more"), 4)); got != "mark" {
		t.Errorf("after comments: %q", got)
	}
}
