package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// appendRecord appends a record whose normal is NaN, because no code may read the normal.
func appendRecord(raw []byte, corners [coordinates]float32, attributes uint16) []byte {
	for range 3 {
		raw = binary.LittleEndian.AppendUint32(raw, 0x7fc01234)
	}
	for _, v := range corners {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return binary.LittleEndian.AppendUint16(raw, attributes)
}

// unrolled is a number of records that is large enough for all loops in assembly.
const unrolled = 16

var (
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())
	negZero = float32(math.Copysign(0, -1))
)

func TestSummarizeKnown(t *testing.T) {
	empty := Summary{Lo: [3]float32{inf, inf, inf}, Hi: [3]float32{-inf, -inf, -inf}, Attributes: Attributes{MarkedAnd: 0xFFFF}}
	raw := appendRecord(nil, [9]float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0)
	one := Summary{Lo: [3]float32{1, 2, 3}, Hi: [3]float32{7, 8, 9}, Attributes: Attributes{MarkedAnd: 0xFFFF}}
	many := appendRecord(raw, [9]float32{0, -8, 0, 0, inf, 0, nan, 100, 100}, 0x7001)
	many = appendRecord(many, [9]float32{nan, nan, nan, nan, nan, nan, nan, nan, nan}, 0x800C)
	many = appendRecord(many, [9]float32{1, 2, 3, 4, 5, 6, 7, 8, 9.5}, 0x8014)
	three := Summary{
		Lo: [3]float32{0, -8, 0}, Hi: [3]float32{7, 8, 9.5}, Bad: 2, FirstBad: 1,
		Attributes: Attributes{MarkedAnd: 0x8004, MarkedOr: 0x801C, Plain: 0x7001},
	}
	var zeros []byte
	for range unrolled {
		zeros = appendRecord(zeros, [9]float32{negZero, negZero, negZero, negZero, negZero, negZero, negZero, negZero, negZero}, 0)
	}
	for _, set := range sets() {
		for _, c := range []struct {
			name string
			raw  []byte
			want Summary
		}{
			{"nothing", nil, empty},
			{"part of a record", raw[:RecordSize-1], empty},
			{"one", raw, one},
			{"one and a part", append(raw[:RecordSize:RecordSize], raw[:RecordSize-1]...), one},
			{"negative zeros", zeros, Summary{Attributes: Attributes{MarkedAnd: 0xFFFF}}},
			{"bad ones", many, three},
		} {
			if err := sameSummary(set.Summarize(c.raw), c.want); err != nil {
				t.Errorf("%v: %s: %v", set.Level, c.name, err)
			}
		}
	}
}

func TestDecodeKnown(t *testing.T) {
	var raw []byte
	for i := range 40 {
		f := float32(i)
		raw = appendRecord(raw, [9]float32{f, f + 100, f + 200, f + 300, f + 400, f + 500, f + 600, f + 700, f + 800}, 0xABCD)
	}
	for _, set := range sets() {
		var c Columns
		for i := range c {
			c[i] = make([]float32, 40)
		}
		set.Decode(c, raw)
		for i := range c {
			for k, v := range c[i] {
				if v != float32(100*i+k) {
					t.Fatalf("%v: coordinate %d of triangle %d is %v", set.Level, i, k, v)
				}
			}
		}
	}
}

func TestDecodeShortColumn(t *testing.T) {
	raw := make([]byte, 32*RecordSize)
	for _, set := range sets() {
		for short := range coordinates {
			var c Columns
			for i := range c {
				c[i] = make([]float32, 32)
			}
			c[short] = c[short][:31:31]
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v: no panic for column %d", set.Level, short)
					}
				}()
				set.Decode(c, raw)
			}()
		}
	}
}

// values holds coordinates for the records of tests. Some coordinates are rare, so that there are long runs of records
// without them.
var values = []float32{
	0, negZero, 1, -1, 3.5, -2.25, 1e-40, -1e-40, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	math.MaxFloat32, -math.MaxFloat32, 0x1p-126, 1000,
}

var badValues = []float32{inf, -inf, nan, math.Float32frombits(0xFFC00001), math.Float32frombits(0x7F800001)}

// randomRecords returns n records. One in badEvery has a bad coordinate, and one in markEvery has attributes.
func randomRecords(r *rand.Rand, n, badEvery, markEvery int) []byte {
	var raw []byte
	for range n {
		var c [coordinates]float32
		for i := range c {
			if c[i] = values[r.IntN(len(values))]; r.IntN(2) == 0 {
				c[i] = (r.Float32() - 0.5) * 100
			}
		}
		if badEvery > 0 && r.IntN(badEvery) == 0 {
			c[r.IntN(len(c))] = badValues[r.IntN(len(badValues))]
		}
		attributes := uint16(0)
		if markEvery > 0 && r.IntN(markEvery) == 0 {
			attributes = uint16(r.Uint32())
		}
		raw = appendRecord(raw, c, attributes)
	}
	return raw
}

// TestSummaryIgnoresOrder checks that the box does not depend on the order of the records, not even in the signs of its
// zeros. Otherwise it would depend on how a file is divided among workers.
func TestSummaryIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "records")
		one := rapid.SampledFrom([]float32{1, -1}).Draw(t, "one") // so that zero is an end of the box
		kinds := []float32{0, negZero, one, one, one}
		if rapid.Bool().Draw(t, "bad ones too") {
			kinds = append(kinds, nan, inf)
		}
		var raw []byte
		for range n {
			var c [coordinates]float32
			for i := range c {
				c[i] = rapid.SampledFrom(kinds).Draw(t, "coordinate")
			}
			raw = appendRecord(raw, c, uint16(rapid.IntRange(0, 0xFFFF).Draw(t, "attributes")))
		}
		var shuffled []byte
		for _, i := range rapid.Permutation(indices(n)).Draw(t, "order") {
			shuffled = append(shuffled, raw[i*RecordSize:(i+1)*RecordSize]...)
		}
		want := Summarize(raw)
		for _, set := range sets() {
			got := set.Summarize(shuffled)
			got.FirstBad = want.FirstBad
			if err := sameSummary(got, want); err != nil {
				t.Fatalf("%v: %v", set.Level, err)
			}
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
