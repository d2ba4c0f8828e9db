package circuit

import (
	"math"
	"slices"
)

// Discrepancy returns the largest total minus the smallest. It panics on an empty slice.
func Discrepancy(totals []float64) float64 {
	most, least := extremes(totals)
	return most - least
}

func extremes(totals []float64) (most, least float64) { return slices.Max(totals), slices.Min(totals) }

// S is the figure of merit of Demirel and Sbalzarini (Section 2.4, Equation 1): before / after / moves. This is the
// factor by which the discrepancy fell, divided by the number of moves. It is NaN if nothing moved, and infinite if the
// balance became perfect.
func S(before, after float64, moves float64) float64 {
	if moves == 0 {
		return math.NaN()
	}
	return before / after / moves
}

// SRel returns S divided by the S of SortedGreedy on the same problem (Equation 2 of Demirel and Sbalzarini).
func SRel(s, sortedGreedy float64) float64 { return s / sortedGreedy }
