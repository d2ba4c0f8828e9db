// Package numbers writes the numbers of recipes as text without loss, and reads them.
package numbers

import (
	"math"
	"strconv"
	"strings"
)

// IsFinite reports whether x is neither infinite nor NaN.
func IsFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Exact returns a number in decimal. It has the fewest digits that determine the number exactly.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// ExactList returns the numbers in the form of Exact, separated by commas.
func ExactList(numbers []float64) string {
	words := make([]string, len(numbers))
	for i, x := range numbers {
		words[i] = Exact(x)
	}
	return strings.Join(words, ",")
}

// Parse reads exactly n finite numbers that are separated by commas. ok is false if s is anything else.
func Parse(s string, n int) (numbers []float64, ok bool) {
	words := strings.Split(s, ",")
	if len(words) != n {
		return nil, false
	}
	for _, word := range words {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || !IsFinite(x) {
			return nil, false
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}
