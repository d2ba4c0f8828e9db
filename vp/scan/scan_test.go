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

// scanMachines returns nil, for a sequential scan, and machines of several sizes: one worker, the number of cores of
// a small machine, odd numbers, and more workers than cores.
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

const least = -1000

// The function check compares every scan function with its definition, both with a separate dst and in place.
func check(t rapid.TB, m *machine.Machine, src []int32, heads []bool) {
	want, sum := make([]int32, len(src)), int32(0)
	for i, v := range src {
		want[i] = sum
		sum += v
	}
	dst := make([]int32, len(src))
	if last := Plus(m, dst, src); !slices.Equal(dst, want) || last != sum {
		t.Fatalf("%s: Plus of %v\n got %v, %d\nwant %v, %d", describe(m), src, dst, last, want, sum)
	}
	same := slices.Clone(src)
	if last := Plus(m, same, same); !slices.Equal(same, want) || last != sum {
		t.Fatalf("%s: Plus in place differs", describe(m))
	}
	if got := PlusReduce(m, src); got != sum {
		t.Fatalf("%s: PlusReduce = %d, want %d", describe(m), got, sum)
	}
	if got, want := MaxReduce(m, src, least), slices.Max(append([]int32{least}, src...)); got != want {
		t.Fatalf("%s: MaxReduce = %d, want %d", describe(m), got, want)
	}
	checkMoves(t, m, src, heads)
}

// headOf returns the index at which i's segment begins.
func headOf(i int, heads []bool) int {
	for i > 0 && !heads[i] {
		i--
	}
	return i
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
	if sum, most, bound := PlusReduce(nil, src), MaxReduce(nil, src, 2), MaxReduce(nil, src, 12); sum != 31 || most != 9 || bound != 12 {
		t.Errorf("PlusReduce = %d, MaxReduce = %d and %d", sum, most, bound)
	}
	Copy(nil, dst, src, heads)
	is("Copy", 0, 0, 3, 3, 4, 4, 4, 9, 9, 9)
	is("Enumerate", Enumerate(nil, dst, heads), 2, 0, 0, 0, 1, 1, 1, 2, 2)
	if got := Pack(nil, dst, src, heads); !slices.Equal(got, []int32{4, 9}) {
		t.Errorf("Pack = %v", got)
	}
}

// The lengths are 0 to 70 and a few larger ones, each with few and with many heads.
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
				check(t, m, src, heads)
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
		src := rapid.SliceOfN(rapid.Int32Range(least, 1000), 0, 120).Draw(t, "src")
		heads := rapid.SliceOfN(rapid.Bool(), len(src), len(src)).Draw(t, "heads")
		m := rapid.SampledFrom(machines).Draw(t, "machine")
		check(t, m, src, heads)
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
			check(t, m, src, heads)
		}
	})
}

// TestLongScansAgree checks a long sequence whose sums wrap around. Sequential and parallel scans must agree in every
// bit. The element types are the widest type and a narrow unsigned type.
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
	sumSmall := Plus(nil, wantSmall, small)
	packed := Pack(nil, make([]uint64, n), src, flags)
	for _, m := range scanMachines(t) {
		got, gotSmall := make([]uint64, n), make([]uint8, n)
		if s := Plus(m, got, src); s != sumAll || !slices.Equal(got, want) {
			t.Errorf("%s: Plus of uint64 differs", describe(m))
		}
		if s := Plus(m, gotSmall, small); s != sumSmall || !slices.Equal(gotSmall, wantSmall) {
			t.Errorf("%s: Plus of uint8 differs", describe(m))
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
	}
}

// TestMaxReduceOfFloats compares the bits of NaN, infinities and both zeros.
func TestMaxReduceOfFloats(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1}
	random := rand.New(rand.NewPCG(5, 6))
	for _, m := range scanMachines(t) {
		for range 100 {
			src := make([]float64, random.IntN(40))
			for i := range src {
				src[i] = odd[random.IntN(len(odd))]
				if src[i] != src[i] && random.IntN(4) > 0 {
					src[i] = -1 // replaces some NaNs, since a single NaN hides all other values
				}
			}
			got, want := MaxReduce(m, src, math.Inf(-1)), MaxReduce(nil, src, math.Inf(-1))
			if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
				t.Errorf("%s: the maximum of %v is %v, want %v", describe(m), src, got, want)
			}
		}
	}
}

func TestScansPanicOnLengths(t *testing.T) {
	three, two, flags := make([]int, 3), make([]int, 2), make([]bool, 2)
	for name, call := range map[string]func(){
		"Plus":       func() { Plus(nil, three, two) },
		"Copy dst":   func() { Copy(nil, two, three, make([]bool, 3)) },
		"Copy heads": func() { Copy(nil, three, three, flags) },
		"Enumerate":  func() { Enumerate(nil, three, flags) },
		"Pack flags": func() { Pack(nil, three, three, flags) },
		"Pack room":  func() { Pack(nil, two[:1], two, []bool{true, true}) },
	} {
		if !panics(call) {
			t.Errorf("%s with wrong lengths did not panic", name)
		}
	}
}

func TestSequentialScansAllocateNothing(t *testing.T) {
	src, dst, flags := make([]int32, 50), make([]int32, 50), make([]bool, 50)
	flags[7], flags[20] = true, true
	n := testing.AllocsPerRun(20, func() {
		Plus(nil, dst, src)
		Copy(nil, dst, src, flags)
		Enumerate(nil, dst, flags)
		Pack(nil, dst, src, flags)
		PlusReduce(nil, src)
		MaxReduce(nil, src, 0)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
