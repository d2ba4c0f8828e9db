package numeric

import "math"

// Circle returns the cosine and sine of an angle in turns. It does not use package math, because on some processors the
// polynomials there are computed with fused multiply-adds, which give other bits.
func Circle(turns float64) (cos, sin float64) {
	f := turns - math.Floor(turns)
	quarter := math.Round(f * 4)
	x := float64((f - quarter/4) * (2 * math.Pi)) // in [-pi/4, pi/4]
	c, s := cosSeries(x), sinSeries(x)
	switch int(quarter) & 3 {
	case 1:
		return -s, c
	case 2:
		return -c, -s
	case 3:
		return s, -c
	}
	return c, s
}

// Turn returns the cosine and sine of i/n of a turn. The results for i = 0 and i = n are the same.
func Turn(i, n int) (cos, sin float64) { return Circle(float64(i%n) / float64(n)) }

// Coefficients of the Taylor series. At pi/4 the first missing term is below 2^-56 of the sum.
var (
	sinTerms = [...]float64{1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000}
	cosTerms = [...]float64{1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000}
)

func sinSeries(x float64) float64 { return float64(x * horner(sinTerms[:], float64(x*x))) }

func cosSeries(x float64) float64 { return horner(cosTerms[:], float64(x*x)) }

// horner evaluates a polynomial at x. terms holds its coefficients, the constant first.
func horner(terms []float64, x float64) (sum float64) {
	for i := len(terms) - 1; i >= 0; i-- {
		sum = float64(sum*x) + terms[i]
	}
	return sum
}
