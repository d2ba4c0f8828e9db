package partition

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFind compares the result of find with a sort. Weights are integers, so that sums are exact in any order.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		values := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, math.MaxFloat64, -math.MaxFloat64, 5e-324}))
		key := rapid.SliceOfN(values, n, n).Draw(t, "key")
		var weight []float64
		total := float64(n)
		if rapid.Bool().Draw(t, "weighted") {
			total = 0
			for range n {
				weight = append(weight, float64(rapid.IntRange(0, 9).Draw(t, "weight")))
				total += weight[len(weight)-1]
			}
		}
		share := total * rapid.Float64Range(0, 1).Draw(t, "share")
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		below, best, want := 0.0, share, 0
		for k, i := range order {
			below += weightAt(weight, i)
			if d := math.Abs(below - share); d < best {
				best, want = d, k+1
			}
		}
		var s selector
		p := s.find(sequential, key, weight, 0, n, share)
		got, left := 0, 0.0
		for k, i := range order {
			if p.before(key[i], i) == 1 {
				got++
				left += weightAt(weight, i)
				if got != k+1 {
					t.Fatal("the left side is not a prefix")
				}
			}
		}
		if math.Abs(left-share) != best {
			t.Fatalf("%d points of weight %v are before %+v, want %d: share %v", got, left, p, want, share)
		}
	})
}

// The keys are powers of two over the whole range of exponents, which bins of equal width cannot separate.
func TestFindExponents(t *testing.T) {
	var key []float64
	for e := -1074; e < 1024; e++ {
		key = append(key, math.Ldexp(1, e))
	}
	var s selector
	for _, share := range []float64{1, 700, 1049, 2000} {
		p := s.find(sequential, key, nil, 0, len(key), share)
		if p.key != key[int(share)-1] || p.index != int(share) {
			t.Errorf("share %v: %+v", share, p)
		}
	}
}

// TestEigen checks that A V = lambda V and that the vectors are orthonormal.
func TestEigen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a [3][3]float64
		for i := range 3 {
			for j := range i + 1 {
				a[i][j] = rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Just(0.0)).Draw(t, "a")
				a[j][i] = a[i][j]
			}
		}
		value, vector := eigen(a)
		for k, v := range vector {
			av := mulMatVec(a, v)
			for d := range 3 {
				if math.Abs(av[d]-value[k]*v[d]) > 1e-12 {
					t.Fatalf("%v: eigenvector %v of %v", a, v, value[k])
				}
			}
			for l, w := range vector {
				want := 0.0
				if k == l {
					want = 1
				}
				if math.Abs(dot(v, w)-want) > 1e-12 {
					t.Fatalf("%v: %v and %v", a, v, w)
				}
			}
		}
		if value[0] < value[1] || value[1] < value[2] {
			t.Fatalf("%v are not in order", value)
		}
	})
}
