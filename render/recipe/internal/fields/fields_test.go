package fields

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

type inner struct {
	Range [2]float64 `json:"range,omitzero" flag:"range"`
	Ask   *bool      `json:"ask,omitempty" flag:"ask"`
	On    bool       `json:"on,omitempty" flag:"on"`
}

type outer struct {
	Names []string `json:"names" flag:"name"`
	Words []string `json:"words" flag:"word" split:";"`
	Inner inner    `json:"inner"`
	Plain int
}

// TestArgs checks that Args writes what Set has read, and that only a list with the tag split gets several elements
// from one value.
func TestArgs(t *testing.T) {
	var v outer
	for _, f := range Of(&v) {
		switch f.Flag {
		case "name", "word":
			if err := f.Set("a; b"); err != nil {
				t.Fatal(err)
			}
		case "range":
			if err := f.Set("0.1,2"); err != nil || f.Set("1") == nil || f.Set("1,x") == nil {
				t.Error(err)
			}
		default:
			f.Choose(f.Flag == "on")
		}
		if f.IsBool() != (f.Flag == "ask" || f.Flag == "on") || f.IsChoice() != (f.Flag == "ask") {
			t.Errorf("%s: %v %v", f.Flag, f.IsBool(), f.IsChoice())
		}
	}
	want := []string{"--name=a; b", "--word=a", "--word=b", "--range=0.1,2", "--no-ask", "--on"}
	if got := Args(&v); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Paths(reflect.TypeFor[outer]()); len(got) != 5 || got["inner.ask"] != "ask" || got["names"] != "name" {
		t.Error(got)
	}
	v.Inner.Range[1] = math.Copysign(0, -1)
	if PositiveZeros(&v); math.Signbit(v.Inner.Range[1]) {
		t.Error("a zero stays negative")
	}
}
