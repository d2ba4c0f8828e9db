package perforator

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"

	"pgregory.net/rapid"
)

// TestSurface checks that the points of both versions are on the surface of the field, and that both enclose nearly the
// same volume.
func TestSurface(t *testing.T) {
	f := newField(1)
	var volumes [2]float64
	for i, version := range []string{"balanced", "unbalanced"} {
		s := New(DefaultTriangles, 1, version == "unbalanced")
		m := scenes.MakeBlock(s.Len())
		m.Colors = make([]uint32, s.Len())
		s.Fill(0, &m)
		far := 0
		for tri := range m.Len() {
			var d [3][3]float64
			for k, c := range m.Triangle(tri) {
				d[k] = [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
				if v := math.Abs(f.at(d[k])); v > cellWidth/10 {
					t.Fatalf("%s: triangle %d: the field is %v at %v", version, tri, v, d[k])
				} else if v > 1e-4 {
					far++
				}
			}
			volumes[i] += vector.Dot(d[0], vector.Cross(d[1], d[2])) / 6
		}
		// A few corners may be off the surface, because the search for the zero ends early where two parts meet at an
		// angle.
		if share := float64(far) / float64(3*m.Len()); share > 0.02 {
			t.Errorf("%s: %.3f of all corners are off the surface", version, share)
		}
	}
	if math.Abs(volumes[1]/volumes[0]-1) > 0.02 {
		t.Errorf("volumes %v", volumes)
	}
}

// TestField checks that the field and its parts change no faster than the distance, because March relies on this when
// it skips bricks.
func TestField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newField(rapid.Uint64Range(0, 9).Draw(t, "seed"))
		coordinate := rapid.Float64Range(-1, 1)
		for range 100 {
			p := [3]float64{coordinate.Draw(t, "x"), 1.5 * coordinate.Draw(t, "y"), coordinate.Draw(t, "z")}
			d := [3]float64{coordinate.Draw(t, "dx"), coordinate.Draw(t, "dy"), coordinate.Draw(t, "dz")}
			d = vector.Scale(rapid.SampledFrom([]float64{1e-3, 0.03, 0.3}).Draw(t, "step"), d)
			from, to, run := f.values(p), f.values(vector.Add(p, d)), math.Sqrt(vector.Dot(d, d))
			for part := range from {
				if rise := math.Abs(to[part] - from[part]); rise > run*1.001+1e-12 {
					t.Fatalf("part %d of the field changes by %v over %v at %v", part, rise, run, p)
				}
			}
		}
	})
}

// values returns the value of each part of the field, and then the value of the whole field.
func (f *field) values(p [3]float64) [9]float64 {
	j, any := f.place(p), math.Inf(1)
	return [...]float64{
		f.stem(j), f.tip(j), f.charge(j), f.liner(p, j, any), f.casing(p, j, any),
		f.cavity(p, j), f.cement(p, j, any), f.rock(p, j, any), f.at(p),
	}
}

// TestNearest compares nearest with all parts, which are computed independently of each other.
func TestNearest(t *testing.T) {
	r, found := rand.New(rand.NewPCG(1, 1)), [components]int{}
	for i := range 6000 {
		f := fields[i%len(fields)]
		p := [3]float64{2*r.Float64() - 1, 3*r.Float64() - 1.5, 2*r.Float64() - 1}
		if i%2 == 0 { // half of the points are near the casing and the jet
			p = vector.Add(holeCenter, vector.Scale(0.5, p))
		}
		v := f.values(p)
		want, part := math.Inf(1), component(0)
		for i, of := range [...]component{partJet, partTip, partCase, partLiner, partCasing, partRock, partCement, partRock} {
			if i != 5 && v[i] < want { // index 5 is the cavity, which is subtracted from cement and rock
				want, part = v[i], of
			}
		}
		for i := range f.fragments {
			if v := f.fragments[i].at(p); v < want {
				want, part = v, f.fragments[i].part
			}
		}
		if got, of := f.nearest(p); got != want || of != part {
			t.Fatalf("at %v the field is %v of part %d, want %v of %d", p, got, of, want, part)
		}
		found[part]++
	}
	for part, n := range found {
		if n == 0 {
			t.Errorf("part %d was never the nearest", part)
		}
	}
}

// fields holds the fields of some seeds.
var fields = [...]*field{newField(1), newField(2), newField(3)}
