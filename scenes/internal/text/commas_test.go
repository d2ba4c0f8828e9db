package text

import "testing"

func TestCommas(t *testing.T) {
	const point, spaces = "; numbers take a point, not a comma", "; spaces part numbers, not commas"
	const semicolons = "; spaces part numbers, not semicolons"
	for word, want := range map[string]string{
		"0,5": point, "-1,5e3": point, "0,0,0": spaces, "0,": spaces, ",5": spaces, ",": spaces, "1/1,2/2": point, "1.5,2.5,3.5": spaces,
		"0;0;0": semicolons, "0;": semicolons, "0,5;1": semicolons, "1/1;2/2": semicolons, "a;": "",
		"": "", "5": "", "x": "", "a,b": "", "1,b": "", "is,": "",
	} {
		if got := Commas(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
