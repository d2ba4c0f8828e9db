package scanline

import (
	"math"
	"slices"
	"testing"

	"lockstep/render/internal/kernel/array"
	"pgregory.net/rapid"
)

// TestRedistributionLosesNoRow splits random polygons: every row comes once, the ranges of a
// polygon are equal but for one row, long ranges come first, to a class of lengths,
// and the groups of ranges take few iterations more than rows spread over all lanes.
func TestRedistributionLosesNoRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d redistributor
		d.clear()
		most := rapid.SampledFrom([]int32{1, 9, 300, 20000}).Draw(t, "most")
		left := rapid.SliceOfN(rapid.Int32Range(1, most), 1, deferredMost).Draw(t, "left")
		total := 0
		for n, rows := range left {
			d.deferred.First[n], d.deferred.Rows[n] = int32(7*n), rows
			total += int(rows)
		}
		d.deferred.N = len(left)
		d.makeRanges()

		done := make([]int32, len(left))
		iterations, longest := 0, int32(math.MaxInt32/2)
		class := int32(1) << keyShift(slices.Max(d.length[:len(left)]), lengthClasses)
		group := 0 // iterations of the current one
		for i := range d.rowRanges.n {
			n, first, rows := d.rowRanges.at(nil, i)
			if first != int32(7*n)+done[n] || rows < 1 {
				t.Fatalf("range %d is rows %d to %d of polygon %d, of which %d are done", i, first, first+rows, n, done[n])
			}
			done[n] += rows
			if rows > longest+class {
				t.Fatalf("range %d has %d rows, one before it %d", i, rows, longest)
			}
			longest = min(longest, rows)
			if i%array.Lanes == 0 {
				group = 0
			}
			iterations += max(int(rows)-group, 0)
			group = max(group, int(rows))
		}
		for n, rows := range left {
			if done[n] != rows {
				t.Fatalf("%d rows of %d of polygon %d", done[n], rows, n)
			}
		}
		tallest, groups := int(slices.Max(d.length[:len(left)]))+1, (d.rowRanges.n+array.Lanes-1)/array.Lanes
		if bound := total/array.Lanes + 2*tallest + groups*int(class) + 2; iterations > bound {
			t.Fatalf("%d rows of %d polygons in %d ranges take %d iterations, above %d", total, len(left), d.rowRanges.n, iterations, bound)
		}
	})
}

// TestRedistributionByRow has polygons of one length: neighbours in height share groups.
func TestRedistributionByRow(t *testing.T) {
	var d redistributor
	d.clear()
	for n := range 10 * array.Lanes {
		d.deferred.First[n], d.deferred.Rows[n] = int32(n*77%(10*array.Lanes)), 500
	}
	d.deferred.N = 10 * array.Lanes
	d.makeRanges()
	for i := range d.rowRanges.n {
		// 1.25 rows are a class.
		n, first, rows := d.rowRanges.at(nil, i)
		if top := int(d.deferred.First[n]); rows != 250 || top < i/2-2 || top > i/2+2 {
			t.Fatalf("range %d of %d is rows %d to %d", i, d.rowRanges.n, first, first+rows)
		}
	}
}
