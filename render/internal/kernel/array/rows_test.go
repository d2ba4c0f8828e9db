package array

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestTakeRows compares TakeRows, which stores rows column by column, with PushRows, which stores them one by one. It
// also tests PushAll.
func TestTakeRows(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	from := MakePolygons(50)
	for range 50 {
		at := func() Vertex { return Vertex{random.Int32N(1e4), random.Int32N(1e4), random.Float32()} }
		y0 := random.Int32N(40)
		from.Push(at(), at(), at(), Box{0, 100, y0, y0 + 1 + random.Int32N(60)}, random.Float32(), 0)
	}
	const y0, y1 = 30, 64
	var index []int32
	want := MakeRowRanges(60)
	for n := range int32(from.N) {
		first, end := max(from.First[n], y0), min(from.First[n]+from.Rows[n], y1)
		if first < end && n%3 != 0 {
			index = append(index, n)
			want.PushRows(from, int(n), first, end-first)
			want.MaxRows = max(want.MaxRows, end-first)
		}
	}
	got := MakeRowRanges(60)
	got.PushRows(from, 0, from.First[0], 1) // TakeRows removes this row
	got.TakeRows(from, index, y0, y1)
	if len(index) < 10 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows:\n%+v\nwant\n%+v", len(index), got, want)
	}
	all, one := MakeRowRanges(120), MakeRowRanges(120)
	for range 2 {
		all.PushAll(from)
		for n := range from.N {
			one.PushRows(from, n, from.First[n], from.Rows[n])
		}
	}
	if !reflect.DeepEqual(all, one) {
		t.Error("PushAll is not PushRows of all")
	}
}
