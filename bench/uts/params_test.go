package uts

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseParams(t *testing.T) {
	for _, s := range Samples {
		got, err := ParseParams(s.Params.String())
		want := s.Params
		if want.Fraction = 0.5; want.Kind == Binomial { // parameters without effect have the reference's values
			want.Depth = 6
		}
		if want.Kind == Geometric {
			want.Q, want.M = 15./64, 4
		}
		if err != nil || got != want {
			t.Errorf("%s: %q became %+v, want %+v: %v", s.Name, s.Params, got, want, err)
		}
	}
	for _, c := range []struct {
		text string
		want Params
	}{
		{"", Params{Kind: Geometric, Shape: Linear, Branches: 4, Q: 0.234375, M: 4, Depth: 6, Fraction: 0.5}},
		{"-t 2 -a0 d 16 b6 -r1 -q 0.25 -m3 -f0.25", Params{Kind: Hybrid, Branches: 6, Q: 0.25, M: 3, Depth: 16, Fraction: 0.25, Seed: 1}},
		{"t3 a2 b2.5 d9", Params{Kind: Balanced, Shape: Cyclic, Branches: 2.5, Q: 0.234375, M: 4, Depth: 9, Fraction: 0.5}},
	} {
		if got, err := ParseParams(c.text); err != nil || got != c.want {
			t.Errorf("%q became %+v, want %+v: %v", c.text, got, c.want, err)
		}
	}
	for text, part := range map[string]string{
		"t4": "-t 4", "t": "-t", "-a -1": "-a -1", "m1.5": "-m 1.5", "x3": "-x 3", "-": "expected a letter", "r 2147483648": "-r", "d nan": "-d nan",
		"f0": "-f 0", "b -3": "branches", "t0 q0.6 m2": "endless",
	} {
		if p, err := ParseParams(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q became %+v: error %v, want one with %q", text, p, err, part)
		}
	}
}

// countPlainly counts the nodes of a subtree as the reference implementation does, up to a limit.
func countPlainly(p Params, state [20]byte, depth int, c *Counts, most int64) {
	if c.Nodes++; c.Nodes > most {
		return
	}
	c.Depth = max(c.Depth, int64(depth))
	u := float64(binary.BigEndian.Uint32(state[16:])&lastRandom) / (1 << 31)
	d, gen, n := float64(depth), float64(p.Depth), 0
	switch {
	case p.Kind == Binomial && depth == 0, p.Kind == Balanced && depth < p.Depth:
		n = int(p.Branches)
	case p.Kind == Balanced:
	case p.Kind == Binomial, p.Kind == Hybrid && d >= p.Fraction*gen:
		if u < p.Q {
			n = p.M
		}
	default:
		b := p.Branches
		if depth > 0 {
			switch p.Shape {
			case Linear:
				b *= 1 - d/gen
			case Exponential:
				b *= math.Pow(d, -math.Log(b)/math.Log(gen))
			case Cyclic:
				if b = math.Pow(b, math.Sin(2*math.Pi*d/gen)); d > 5*gen {
					b = 0
				}
			case Fixed:
				if depth >= p.Depth {
					b = 0
				}
			}
		}
		n = min(100, int(math.Floor(math.Log(1-u)/math.Log(1-1/(1+max(0, b))))))
	}
	if n == 0 {
		c.Leaves++
	}
	for i := range n {
		countPlainly(p, sha1.Sum(binary.BigEndian.AppendUint32(state[:], uint32(i))), depth+1, c, most)
	}
}

// TestCountsOfAnyTree checks that trees of every kind and shape have the same counts as a plain search.
func TestCountsOfAnyTree(t *testing.T) {
	const most = 20000
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Kind: Kind(rapid.IntRange(0, 3).Draw(t, "kind")), Shape: Shape(rapid.IntRange(0, 3).Draw(t, "shape")),
			Branches: rapid.Float64Range(1, 7).Draw(t, "branches"), Depth: rapid.IntRange(1, 20).Draw(t, "depth"),
			M: rapid.IntRange(0, 9).Draw(t, "m"), Fraction: rapid.Float64Range(0.1, 1).Draw(t, "fraction"),
			Seed: rapid.Uint32Max(lastRandom).Draw(t, "seed"),
		}
		p.Q = rapid.Float64Range(0, 0.99).Draw(t, "chance") / float64(max(1, p.M))
		if p.Kind == Binomial {
			p.Branches *= 100
		}
		var want Counts
		countPlainly(p, sha1.Sum(binary.BigEndian.AppendUint32(make([]byte, 16), p.Seed)), 0, &want, most)
		if want.Nodes > most {
			t.Skip("large")
		}
		tree, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.Count(); got != want {
			t.Fatalf("%v: %+v, want %+v", p, got, want)
		}
	})
}
