package origin

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func points(p ...[3]float64) iter.Seq[[3]float64] { return slices.Values(p) }

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		points iter.Seq[[3]float64]
		want   [3]float64
	}{
		{"none", points(), [3]float64{}},
		{"near", points([3]float64{0.1, 0, 0}, [3]float64{1.1, 0, 0}), [3]float64{}},
		{"far, digits of float64", points([3]float64{500000.123, 0, 0}, [3]float64{500001.377, 1, 1}), [3]float64{500000.75, 0, 0}},
		{"far, digits of float32", points([3]float64{500000.12, 0, 0}, [3]float64{500001.4, 1, 1}), [3]float64{}},
		{"far, whole", points([3]float64{500000, 0, 4e6}, [3]float64{500001, 1, 4e6}), [3]float64{}},
		{"only the far axis has them", points([3]float64{500000, 0.1234567891, 0}, [3]float64{500001, 1, 1}), [3]float64{}},
		{"a point", points([3]float64{500000.123, 7, 7}), [3]float64{}},
	} {
		if got := Choose(c.points); fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestDigitsOfPowersOfTwo checks that no digits count as lost at powers of two, where the spacing of float32 changes.
func TestDigitsOfPowersOfTwo(t *testing.T) {
	for e := -126; e < 128; e++ {
		v := math.Ldexp(1, e)
		for _, v := range []float64{v, -v, float64(math.Nextafter32(float32(v), 0))} {
			written := strconv.FormatFloat(v, 'e', -1, 32)
			if back, err := strconv.ParseFloat(written, 64); err != nil || losesDigits(back) {
				t.Errorf("%s, of %v, loses digits", written, v)
			}
		}
	}
	if !losesDigits(1.2621774000001e-29) || !losesDigits(500000.123) {
		t.Error("no digits are lost of a number that float32 does not hold")
	}
}

// TestDigitsOfSingles checks that float32 loses no digits of numbers that were written from float32, however many
// digits were written.
func TestDigitsOfSingles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float32Range(-1e9, 1e9).Draw(t, "number")
		format := rapid.SampledFrom([]byte("efg")).Draw(t, "format")
		digits := rapid.IntRange(-1, 17).Draw(t, "digits")
		written := strconv.FormatFloat(float64(v), format, digits, 32)
		back, err := strconv.ParseFloat(written, 64)
		// Up to seven digits may be rounded to a number that is not the nearest to any float32. Nine or more digits identify
		// a float32.
		if err != nil || digits >= 9 && losesDigits(back) || digits < 0 && losesDigits(back) {
			t.Fatalf("%s, of %v, loses digits", written, v)
		}
	})
}
