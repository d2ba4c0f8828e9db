package scan

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/vp/machine"
)

func TestMain(m *testing.M) {
	minLength = 0 // machines split even the shortest sequence
	m.Run()
}

// scanMachines returns nil, for a sequential scan, and machines of several
// sizes: one worker, as many as cores on a small machine, odd ones, and more
// than there are cores.
func scanMachines(t testing.TB) []*machine.Machine {
	machines := []*machine.Machine{nil}
	for _, workers := range []int{1, 2, 3, 5, 8} {
		m := machine.New(machine.Options{Workers: workers})
		t.Cleanup(m.Close)
		machines = append(machines, m)
	}
	return machines
}

// panics reports whether f panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// A scanCase is one scan over int32 with its definition: what dst[i] is, as a
// function of the elements from the start of i's segment to i.
type scanCase struct {
	name string
	scan func(m *machine.Machine, dst, src []int32, heads []bool) int32
	// want gets the segment up to and with i.
	want      func(segment []int32) int32
	inclusive bool
	segmented bool
}

const least, most = -1000, 1000

func total(s []int32) (t int32) {
	for _, v := range s {
		t += v
	}
	return t
}
func largest(s []int32) int32  { return slices.Max(append([]int32{least}, s...)) }
func smallest(s []int32) int32 { return slices.Min(append([]int32{most}, s...)) }

func scanCases() []scanCase {
	type scan = func(m *machine.Machine, d, s []int32, h []bool) int32
	plain := func(f func(m *machine.Machine, d, s []int32) int32) scan {
		return func(m *machine.Machine, d, s []int32, _ []bool) int32 { return f(m, d, s) }
	}
	bound := func(f func(m *machine.Machine, d, s []int32, b int32) int32, b int32) scan {
		return func(m *machine.Machine, d, s []int32, _ []bool) int32 { return f(m, d, s, b) }
	}
	segmentBound := func(f func(m *machine.Machine, d, s []int32, h []bool, b int32) int32, b int32) scan {
		return func(m *machine.Machine, d, s []int32, h []bool) int32 { return f(m, d, s, h, b) }
	}
	return []scanCase{
		{"plus", plain(Plus[int32]), total, false, false},
		{"plus inclusive", plain(PlusInclusive[int32]), total, true, false},
		{"max", bound(Max[int32], least), largest, false, false},
		{"max inclusive", bound(MaxInclusive[int32], least), largest, true, false},
		{"min", bound(Min[int32], most), smallest, false, false},
		{"min inclusive", bound(MinInclusive[int32], most), smallest, true, false},
		{"segmented plus", SegmentedPlus[int32], total, false, true},
		{"segmented plus inclusive", SegmentedPlusInclusive[int32], total, true, true},
		{"segmented max", segmentBound(SegmentedMax[int32], least), largest, false, true},
		{"segmented max inclusive", segmentBound(SegmentedMaxInclusive[int32], least), largest, true, true},
		{"segmented min", segmentBound(SegmentedMin[int32], most), smallest, false, true},
		{"segmented min inclusive", segmentBound(SegmentedMinInclusive[int32], most), smallest, true, true},
	}
}

// headOf returns where i's segment begins.
func headOf(i int, heads []bool) int {
	for i > 0 && !heads[i] {
		i--
	}
	return i
}

// define computes the scan from its definition, in quadratic time.
func (c scanCase) define(src []int32, heads []bool) (dst []int32, last int32) {
	dst = make([]int32, len(src))
	for i := range src {
		start, end := 0, i
		if c.segmented {
			start = headOf(i, heads)
		}
		if c.inclusive {
			end = i + 1
		}
		dst[i] = c.want(src[start:end])
	}
	start := 0
	if c.segmented && len(src) > 0 {
		start = headOf(len(src)-1, heads)
	}
	return dst, c.want(src[start:])
}

// check runs the case on one machine, apart and in place.
func (c scanCase) check(t rapid.TB, m *machine.Machine, src []int32, heads []bool) {
	want, wantLast := c.define(src, heads)
	dst := make([]int32, len(src))
	last := c.scan(m, dst, src, heads)
	if !slices.Equal(dst, want) || last != wantLast {
		t.Fatalf("%s, %s: scan of %v, heads %v\n got %v, %d\nwant %v, %d", c.name, describe(m), src, heads, dst, last, want, wantLast)
	}
	same := slices.Clone(src)
	last = c.scan(m, same, same, heads)
	if !slices.Equal(same, want) || last != wantLast {
		t.Fatalf("%s, %s: in place differs", c.name, describe(m))
	}
}

func describe(m *machine.Machine) string {
	if m == nil {
		return "sequential"
	}
	return fmt.Sprintf("%d workers", m.Workers())
}

func TestScansKnownAnswers(t *testing.T) {
	src := []int32{3, 1, 4, 1, 5, 9, 2, 6}
	heads := []bool{false, false, true, false, false, true, false, false}
	dst := make([]int32, len(src))
	is := func(name string, last, wantLast int32, want ...int32) {
		t.Helper()
		if !slices.Equal(dst, want) || last != wantLast {
			t.Errorf("%s = %v, %d; want %v, %d", name, dst, last, want, wantLast)
		}
	}
	is("Plus", Plus(nil, dst, src), 31, 0, 3, 4, 8, 9, 14, 23, 25)
	is("PlusInclusive", PlusInclusive(nil, dst, src), 31, 3, 4, 8, 9, 14, 23, 25, 31)
	is("Max", Max(nil, dst, src, 2), 9, 2, 3, 3, 4, 4, 5, 9, 9)
	is("Min", Min(nil, dst, src, 2), 1, 2, 2, 1, 1, 1, 1, 1, 1)
	is("SegmentedPlus", SegmentedPlus(nil, dst, src, heads), 17, 0, 3, 0, 4, 5, 0, 9, 11)
	is("SegmentedMaxInclusive", SegmentedMaxInclusive(nil, dst, src, heads, 0), 9, 3, 3, 4, 4, 5, 9, 9, 9)
	is("SegmentedMinInclusive", SegmentedMinInclusive(nil, dst, src, heads, 9), 2, 3, 1, 4, 1, 1, 9, 2, 2)
	Copy(nil, dst, src, heads)
	is("Copy", 0, 0, 3, 3, 4, 4, 4, 9, 9, 9)
	is("Enumerate", Enumerate(nil, dst, heads), 2, 0, 0, 0, 1, 1, 1, 2, 2)
	if got := Pack(nil, dst, src, heads); !slices.Equal(got, []int32{4, 9}) {
		t.Errorf("Pack = %v", got)
	}
}

// Every length from 0 to 70 and a few large ones, with few and with many heads.
func TestScansEqualTheirDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	machines := scanMachines(t)
	lengths := []int{257, 1000}
	for n := range 71 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for _, share := range []int{1, 4, 30} {
			src := make([]int32, n)
			heads := make([]bool, n)
			for i := range src {
				src[i] = random.Int32N(199) - 99
				heads[i] = random.IntN(share) == 0
			}
			for _, m := range machines {
				for _, c := range scanCases() {
					c.check(t, m, src, heads)
				}
				checkMoves(t, m, src, heads)
			}
		}
	}
}

// checkMoves compares copy, enumerate and pack with their definitions.
func checkMoves(t rapid.TB, m *machine.Machine, src []int32, flags []bool) {
	copied, ranks := make([]int32, len(src)), make([]int32, len(src))
	Copy(m, copied, src, flags)
	count := Enumerate(m, ranks, flags)
	var kept []int32
	for i, v := range src {
		if want := src[headOf(i, flags)]; copied[i] != want {
			t.Fatalf("%s: Copy[%d] = %d, want %d", describe(m), i, copied[i], want)
		}
		if int(ranks[i]) != len(kept) {
			t.Fatalf("%s: Enumerate[%d] = %d, want %d", describe(m), i, ranks[i], len(kept))
		}
		if flags[i] {
			kept = append(kept, v)
		}
	}
	if int(count) != len(kept) {
		t.Fatalf("%s: Enumerate returns %d, want %d", describe(m), count, len(kept))
	}
	room := make([]int32, len(kept))
	if packed := Pack(m, room, src, flags); !slices.Equal(packed, kept) {
		t.Fatalf("%s: Pack = %v, want %v", describe(m), packed, kept)
	}
	same := slices.Clone(src)
	Copy(m, same, same, flags)
	if !slices.Equal(same, copied) {
		t.Fatalf("%s: Copy in place differs", describe(m))
	}
}

func TestScansProperty(t *testing.T) {
	machines := scanMachines(t)
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Int32Range(least, most), 0, 120).Draw(t, "src")
		heads := rapid.SliceOfN(rapid.Bool(), len(src), len(src)).Draw(t, "heads")
		m := rapid.SampledFrom(machines).Draw(t, "machine")
		for _, c := range scanCases() {
			c.check(t, m, src, heads)
		}
		checkMoves(t, m, src, heads)
	})
}

func FuzzScans(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	machines := scanMachines(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1000)]
		n := len(data) / 5
		src, heads := make([]int32, n), make([]bool, n)
		for i := range n {
			src[i] = int32(binary.LittleEndian.Uint32(data[5*i:]))
			heads[i] = data[5*i+4]%3 == 0
		}
		for _, m := range machines {
			for _, c := range scanCases() {
				c.check(t, m, src, heads)
			}
			checkMoves(t, m, src, heads)
		}
	})
}

// A long sequence with sums that wrap around, in the widest and an unsigned
// narrow type: sequential and parallel agree in every bit.
func TestLongScansAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n = 100_003
	src := make([]uint64, n)
	flags := make([]bool, n)
	for i := range src {
		src[i] = random.Uint64()
		flags[i] = random.IntN(1000) == 0
	}
	small := make([]uint8, n)
	for i := range small {
		small[i] = uint8(src[i])
	}
	want, wantSmall := make([]uint64, n), make([]uint8, n)
	sumAll := Plus(nil, want, src)
	sumSmall := SegmentedPlus(nil, wantSmall, small, flags)
	packed := Pack(nil, make([]uint64, n), src, flags)
	for _, m := range scanMachines(t) {
		got, gotSmall := make([]uint64, n), make([]uint8, n)
		if s := Plus(m, got, src); s != sumAll || !slices.Equal(got, want) {
			t.Errorf("%s: Plus of uint64 differs", describe(m))
		}
		if s := SegmentedPlus(m, gotSmall, small, flags); s != sumSmall || !slices.Equal(gotSmall, wantSmall) {
			t.Errorf("%s: SegmentedPlus of uint8 differs", describe(m))
		}
		if got := Pack(m, make([]uint64, n), src, flags); !slices.Equal(got, packed) {
			t.Errorf("%s: Pack differs", describe(m))
		}
		if s := PlusReduce(m, src); s != sumAll {
			t.Errorf("%s: PlusReduce = %d, want %d", describe(m), s, sumAll)
		}
		if s := MaxReduce(m, src, 0); s != slices.Max(src) {
			t.Errorf("%s: MaxReduce = %d", describe(m), s)
		}
		if s := MinReduce(m, src, math.MaxUint64); s != slices.Min(src) {
			t.Errorf("%s: MinReduce = %d", describe(m), s)
		}
	}
}

// NaN, infinities and both zeros: bits are compared.
func TestMaxAndMinScansOfFloats(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1}
	random := rand.New(rand.NewPCG(5, 6))
	bits := func(v []float64) []uint64 {
		out := make([]uint64, len(v))
		for i := range v {
			out[i] = math.Float64bits(v[i])
			if v[i] != v[i] {
				out[i] = math.MaxUint64 // every NaN counts as the same
			}
		}
		return out
	}
	agree := func(m *machine.Machine, scan func(*machine.Machine, []float64, []float64, float64) float64, src []float64, bound float64) {
		t.Helper()
		want, got := make([]float64, len(src)), make([]float64, len(src))
		scan(nil, want, src, bound)
		scan(m, got, src, bound)
		if !slices.Equal(bits(got), bits(want)) {
			t.Errorf("%s: scan of %v = %v, want %v", describe(m), src, got, want)
		}
	}
	for _, m := range scanMachines(t) {
		for range 100 {
			src := make([]float64, random.IntN(40))
			for i := range src {
				src[i] = odd[random.IntN(len(odd))]
				if src[i] != src[i] && random.IntN(4) > 0 {
					src[i] = -1 // fewer NaNs, which hide everything after them
				}
			}
			agree(m, Max[float64], src, math.Inf(-1))
			agree(m, MinInclusive[float64], src, math.Inf(1))
		}
	}
}

func TestScansPanicOnLengths(t *testing.T) {
	three, two, flags := make([]int, 3), make([]int, 2), make([]bool, 2)
	for name, call := range map[string]func(){
		"Plus":          func() { Plus(nil, three, two) },
		"PlusInclusive": func() { PlusInclusive(nil, two, three) },
		"Max":           func() { Max(nil, three, two, 0) },
		"Copy dst":      func() { Copy(nil, two, three, make([]bool, 3)) },
		"Copy heads":    func() { Copy(nil, three, three, flags) },
		"SegmentedPlus": func() { SegmentedPlus(nil, three, three, flags) },
		"Enumerate":     func() { Enumerate(nil, three, flags) },
		"Pack flags":    func() { Pack(nil, three, three, flags) },
		"Pack room":     func() { Pack(nil, two[:1], two, []bool{true, true}) },
	} {
		if !panics(call) {
			t.Errorf("%s with wrong lengths did not panic", name)
		}
	}
}

func TestSequentialScansAllocateNothing(t *testing.T) {
	src, dst, flags := make([]int32, 50), make([]int32, 50), make([]bool, 50)
	flags[7], flags[20] = true, true
	for _, c := range scanCases() {
		if n := testing.AllocsPerRun(20, func() { c.scan(nil, dst, src, flags) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
	n := testing.AllocsPerRun(20, func() {
		Copy(nil, dst, src, flags)
		Enumerate(nil, dst, flags)
		Pack(nil, dst, src, flags)
		PlusReduce(nil, src)
		MaxReduce(nil, src, 0)
	})
	if n != 0 {
		t.Errorf("copy, enumerate, pack, reduce: %v allocations", n)
	}
}
