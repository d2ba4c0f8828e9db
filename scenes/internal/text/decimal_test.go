package text

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDecimal compares Decimal with strconv. Slow cases call strconv, so forms near the limits of the fast case matter
// most.
func TestDecimal(t *testing.T) {
	check := func(s string) bool {
		want, err := strconv.ParseFloat(s, 64)
		got, next, ok := Decimal([]byte(s+" ~ "), 0)
		ok = ok && next == len(s)
		if err != nil && !math.IsInf(want, 0) {
			return !ok
		}
		// Numbers that are too large become the largest float64, see decimalSlow.
		want = math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, want))
		return ok && math.Float64bits(got) == math.Float64bits(want)
	}
	for _, s := range strings.Fields("0 -0 +0 .5 5. 1e22 1e-22 1e23 1e-23 7e22 7e23 3e-23 9e23 11e23 9007199254740992 9007199254740993 9007199254740993e22 " +
		"3.274081e-033 1.7976931348623157e308 1e309 -1e400 4.9e-324 1e-400 0000000000000000000000001 18446744073709551616 " +
		"1e 1e+ . - + e5 1.2.3 1e5.5 --1 1-1 1e99999999999 0.1 0.30000000000000004 123456789012345678") {
		if !check(s) {
			t.Errorf("%q is parsed wrongly", s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[+-]?[0-9]{0,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		if s != "" && !check(s) {
			t.Fatalf("%q is parsed wrongly", s)
		}
	})
}
