package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"lockstep/vp/isa"
	"lockstep/vp/isa/isatest"
)

// sets returns the functions for all instruction sets of this processor.
func sets() []*Set {
	var all []*Set
	for _, level := range isa.Available() {
		all = append(all, For(level))
	}
	return all
}

// sameSummary returns an error if the summaries differ in any bit.
func sameSummary(got, want Summary) error {
	for c := range 3 {
		if math.Float32bits(got.Lo[c]) != math.Float32bits(want.Lo[c]) || math.Float32bits(got.Hi[c]) != math.Float32bits(want.Hi[c]) {
			return fmt.Errorf("axis %d: box %v..%v, want %v..%v", c, got.Lo[c], got.Hi[c], want.Lo[c], want.Hi[c])
		}
	}
	got.Lo, got.Hi = want.Lo, want.Hi
	if got != want {
		return fmt.Errorf("%+v, want %+v", got, want)
	}
	return nil
}

// guard is the value of memory that must not be written. No test writes this value.
const guard = 0x5A5A5A5A

// guardedColumns returns columns of n entries at the given offset from the start of an allocation. The returned
// function checks that the memory around the columns is unchanged.
func guardedColumns(n, offset int) (Columns, func() error) {
	const margin = 32
	var c Columns
	var whole Columns
	for i := range c {
		whole[i] = make([]float32, margin+offset+n+margin)
		for k := range whole[i] {
			whole[i][k] = math.Float32frombits(guard)
		}
		c[i] = whole[i][margin+offset:][:n:n]
	}
	return c, func() error {
		for i, w := range whole {
			for k, v := range w {
				if inside := k >= margin+offset && k < margin+offset+n; !inside && math.Float32bits(v) != guard {
					return fmt.Errorf("column %d was written at %d, outside %d..%d", i, k-margin-offset, 0, n)
				}
			}
		}
		return nil
	}
}

// compareDecoded compares the Decode of a set with the specification.
func compareDecoded(set *Set, raw []byte, offset int) error {
	n := len(raw) / RecordSize
	want, _ := guardedColumns(n, offset)
	Decode(want, raw)
	got, check := guardedColumns(n, offset)
	set.Decode(got, raw)
	if err := check(); err != nil {
		return err
	}
	for i := range got {
		for k := range got[i] {
			if g, w := math.Float32bits(got[i][k]), math.Float32bits(want[i][k]); g != w {
				return fmt.Errorf("coordinate %d of triangle %d: %#x, want %#x", i, k, g, w)
			}
		}
	}
	return nil
}

func compare(set *Set, raw []byte, offset int) error {
	if err := sameSummary(set.Summarize(raw), Summarize(raw)); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	if err := compareDecoded(set, raw, offset); err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	return nil
}

// TestTwins compares the vector versions with the specification on records that end at a page that must not be read. It
// tests all alignments and all lengths up to several vectors and one group.
func TestTwins(t *testing.T) {
	f := newFence(t, 1<<14)
	for _, set := range sets() {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 71 {
			for offset := range 16 {
				badEvery, markEvery := []int{0, 0, 5, 100}[offset%4], []int{0, 3, 200}[offset%3]
				raw := randomRecords(r, n, badEvery, markEvery)
				atEnd := atFence[byte](f, len(raw))
				copy(atEnd, raw)
				if err := compare(set, atEnd, offset); err != nil {
					t.Fatalf("%v: %d records, offset %d: %v", set.Level, n, offset, err)
				}
				moved := append(make([]byte, offset), raw...)[offset:]
				if err := compare(set, moved, offset); err != nil {
					t.Fatalf("%v: %d records at byte %d: %v", set.Level, n, offset, err)
				}
			}
		}
	}
}

// TestTwinsLong tests more records than one call into assembly handles. It puts some bad records on either side of the
// ends of groups and calls.
func TestTwinsLong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	raw := randomRecords(r, 2*4096+77, 0, 900)
	for _, set := range sets() {
		for _, at := range []int{-1, 0, 63, 64, 127, 128, 4095, 4096, 4097, 8191, 8192, 8192 + 76} {
			damaged := bytes.Clone(raw)
			if at >= 0 {
				copy(damaged[at*RecordSize+Vertices+4*(at%coordinates):], []byte{0, 0, 0x80, 0xFF})
			}
			if err := compare(set, damaged, 0); err != nil {
				t.Fatalf("%v: bad record %d: %v", set.Level, at, err)
			}
			if got := set.Summarize(damaged); at >= 0 && (got.Bad != 1 || got.FirstBad != at) {
				t.Fatalf("%v: %d bad from %d on, want one at %d", set.Level, got.Bad, got.FirstBad, at)
			}
		}
	}
}

// TestTwinsSeeEveryCoordinate checks that each coordinate alone can determine a side of the box, for each position of a
// record in an iteration of the vector loop.
func TestTwinsSeeEveryCoordinate(t *testing.T) {
	for _, set := range sets() {
		for at := range 70 {
			for i := range coordinates {
				for _, v := range []float32{-5, 5, nan, inf, -inf} {
					var raw []byte
					for k := range 70 {
						var c [coordinates]float32
						if k == at {
							c[i] = v
						}
						raw = appendRecord(raw, c, 0)
					}
					want := Summary{Attributes: Attributes{MarkedAnd: 0xFFFF}}
					switch {
					case !finite(v):
						want.Bad, want.FirstBad = 1, at
					case v < 0:
						want.Lo[i%3] = v
					default:
						want.Hi[i%3] = v
					}
					if err := sameSummary(set.Summarize(raw), want); err != nil {
						t.Fatalf("%v: coordinate %d of record %d is %v: %v", set.Level, i, at, v, err)
					}
				}
			}
		}
	}
}

func FuzzTwins(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	f.Add(randomRecords(r, 70, 0, 0))
	f.Add(randomRecords(r, 70, 40, 3))
	f.Add(make([]byte, 17*RecordSize+3))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, set := range sets() {
			if err := compare(set, raw, len(raw)%16); err != nil {
				t.Fatalf("%v: %v", set.Level, err)
			}
		}
	})
}

// TestTwinsAreSelected fails if the function For returns plain functions although the processor has an instruction set
// for which this build has vector versions.
func TestTwinsAreSelected(t *testing.T) {
	generic := reflect.ValueOf(*For(isa.Generic))
	for _, level := range isatest.Levels(t)[1:] {
		set := reflect.ValueOf(*For(level))
		for i := range set.NumField() {
			field := set.Type().Field(i)
			if field.Type.Kind() == reflect.Func && !runsTwin(set.Field(i), generic.Field(i), field.Name, level) {
				t.Errorf("%v: %s is %s", level, field.Name, runtime.FuncForPC(set.Field(i).Pointer()).Name())
			}
		}
	}
	t.Setenv(isa.Env, "")
	if best := Best(); best.Level != isa.Detect() {
		t.Errorf("the best is %v, the processor has %v", best.Level, isa.Detect())
	}
	t.Setenv(isa.Env, "generic")
	if best := Best(); best.Level != isa.Generic {
		t.Errorf("asked for generic, got %v", best.Level)
	}
	t.Setenv(isa.Env, "abacus")
	if best := Best(); best.Level != isa.Generic {
		t.Errorf("asked for an unknown instruction set, got %v", best.Level)
	}
}

// runsTwin reports whether a field of Set is the vector version for the given level instead of the plain function.
func runsTwin(f, plain reflect.Value, field string, level isa.Level) bool {
	name := runtime.FuncForPC(f.Pointer()).Name()
	return f.Pointer() != plain.Pointer() && strings.HasSuffix(strings.ToLower(name), strings.ToLower(field)+level.String())
}

// beyondAVX2 matches registers that only AVX-512 has.
var beyondAVX2 = regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|2\d|3[01]))\b`)

// TestTwinsKeepToTheirInstructionSet checks that the AVX2 versions have no instructions or registers that a processor
// with only AVX2 lacks.
func TestTwinsKeepToTheirInstructionSet(t *testing.T) {
	text, err := os.ReadFile("records_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	function, seen := "", 0
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "TEXT ·"); ok {
			function = name[:strings.Index(name, "(")]
		}
		if !strings.HasSuffix(function, "AVX2") {
			continue
		}
		if seen++; beyondAVX2.MatchString(line) {
			t.Errorf("%s needs AVX-512: %s", function, strings.TrimSpace(line))
		}
	}
	if seen == 0 {
		t.Error("no function for AVX2")
	}
}
