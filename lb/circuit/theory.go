package circuit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// DiscrepancyBound returns sqrt(12 ln n) + 1, the discrepancy that a balancing
// circuit on n elements reaches with probability 1 - 2/n^2, in units of the
// heaviest load. Source: the paper, Theorem 1.
func DiscrepancyBound(n int) float64 {
	return math.Sqrt(12*math.Log(float64(n))) + 1
}

// RoundsBound returns 4 d/(1-lambda) ln(K n/eps), the number of matchings
// after which divisible loads of initial discrepancy K on n elements differ by
// at most eps; d is the number of matchings in a round, and lambda belongs to
// the round matrix, see [Lambda]. Source: the paper, Section 6.3.
func RoundsBound(d int, lambda, k float64, n int, eps float64) float64 {
	return 4 * float64(d) / (1 - lambda) * math.Log(k*float64(n)/eps)
}

// denseElements is the size up to which Lambda solves the eigenproblem
// directly: 400 elements take about a second.
const denseElements = 400

// Lambda returns max(|lambda_2|, |lambda_n|) of the circuit's round matrix,
// the product of its matchings' averaging matrices, on n elements. It is below
// 1 exactly when the graph is connected. Source: the paper, Section 6.2.
//
// The round matrix of three or more matchings is not symmetric and can have
// complex eigenvalues; lambda is the largest modulus but for the eigenvalue 1
// of the constant vector. Small circuits go to gonum's dense solver, others to
// LambdaIterated.
func Lambda(c Circuit, n int) (float64, error) {
	if n < 2 {
		return 0, fmt.Errorf("circuit: lambda of %d elements", n)
	}
	if n > denseElements {
		return LambdaIterated(c, n, 1e-6, 100000)
	}
	m := RoundMatrix(c, n)
	// Without the constant vector's part the eigenvalue 1 becomes 0.
	m.Apply(func(_, _ int, v float64) float64 { return v - 1/float64(n) }, m)
	var eigen mat.Eigen
	if !eigen.Factorize(m, mat.EigenNone) {
		return 0, fmt.Errorf("circuit: the eigenvalues of %d elements' round matrix did not converge", n)
	}
	lambda := 0.0
	for _, v := range eigen.Values(nil) {
		lambda = max(lambda, math.Hypot(real(v), imag(v)))
	}
	return lambda, nil
}

// RoundMatrix returns the n by n matrix that maps the totals of divisible
// loads, a column, to those after one round.
func RoundMatrix(c Circuit, n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	column := make([]float64, n)
	for j := range n {
		clear(column)
		column[j] = 1
		applyRound(c, column)
		m.SetCol(j, column)
	}
	return m
}

func applyRound(c Circuit, x []float64) {
	for _, matching := range c.Matchings {
		for _, e := range matching {
			mean := (x[e.U] + x[e.V]) / 2
			x[e.U], x[e.V] = mean, mean
		}
	}
}

// LambdaIterated returns Lambda by power iteration without forming the matrix,
// to a relative accuracy of about tolerance in 1-lambda. A pair of complex
// eigenvalues makes the growth of the iterate swing, so the modulus is the
// geometric mean of the growth over a window that widens as the iteration
// proceeds. It fails when limit rounds do not settle it. Cost O(edges) a
// round; the rounds needed grow like 1/(1-lambda).
func LambdaIterated(c Circuit, n int, tolerance float64, limit int) (float64, error) {
	x := make([]float64, n)
	for i := range x {
		// A fixed start with a part of every eigenvector: hashed, not smooth.
		x[i] = float64(mix(uint64(i))>>11)/(1<<53) - 0.5
	}
	normalise(x)
	previous := math.Inf(1)
	for window, done := 32, 0; done < limit; window *= 2 {
		logs := 0.0
		for range window {
			applyRound(c, x)
			growth := normalise(x)
			if growth == 0 {
				return 0, nil
			}
			logs += math.Log(growth)
		}
		done += window
		lambda := math.Exp(logs / float64(window))
		if math.Abs(lambda-previous) <= tolerance*(1-lambda) {
			return lambda, nil
		}
		previous = lambda
	}
	return 0, fmt.Errorf("circuit: lambda of %d elements did not settle in %d rounds", n, limit)
}

// normalise subtracts the mean, scales to length 1 and returns the length.
func normalise(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	norm := 0.0
	for i := range x {
		x[i] -= mean
		norm += float64(x[i] * x[i])
	}
	norm = math.Sqrt(norm)
	if norm < 1e-150 {
		return 0
	}
	for i := range x {
		x[i] /= norm
	}
	return norm
}
