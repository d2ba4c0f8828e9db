package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestDealLosesNoRow deals random polygons: every row comes once, the parts of a
// polygon are equal but for one row, long parts come first, and the groups of parts
// take few iterations more than rows spread over all lanes.
func TestDealLosesNoRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d dealer
		d.clear()
		most := rapid.SampledFrom([]int32{1, 9, 300, 20000}).Draw(t, "most")
		left := rapid.SliceOfN(rapid.Int32Range(1, most), 1, asideMost).Draw(t, "left")
		total := 0
		for n, rows := range left {
			d.aside.First[n], d.aside.Rows[n] = int32(7*n), rows
			total += int(rows)
		}
		d.aside.N = len(left)
		d.deal()

		done := make([]int32, len(left))
		iterations, longest := 0, int32(math.MaxInt32-1)
		for i := range d.parts.n {
			n, first, rows := d.parts.at(nil, i)
			if first != int32(7*n)+done[n] || rows < 1 {
				t.Fatalf("part %d is rows %d to %d of polygon %d, of which %d are done", i, first, first+rows, n, done[n])
			}
			done[n] += rows
			if rows > longest+1 && rows < lengthsMost {
				t.Fatalf("part %d has %d rows, one before it %d", i, rows, longest)
			}
			longest = min(longest, rows)
			if i%Lanes == 0 {
				iterations += int(rows)
			}
		}
		for n, rows := range left {
			if done[n] != rows {
				t.Fatalf("%d rows of %d of polygon %d", done[n], rows, n)
			}
		}
		_, _, first := d.parts.at(nil, 0)
		if bound := total/Lanes + 2*int(first) + d.parts.n/Lanes + 2; most < lengthsMost && iterations > bound {
			t.Fatalf("%d rows of %d polygons in %d parts take %d iterations, above %d", total, len(left), d.parts.n, iterations, bound)
		}
	})
}
