package flowshop

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// known has the instances of 20 jobs and 20 machines. For each it has a hash of the numbers in the published file,
// Taillard's lower bound, the makespan of NEH, and an order with the optimal makespan.
var known = []struct {
	digest     string
	lower, neh int
	best       []int
}{
	{"7f02ae9c094b1d3353a20b3f1bf979fce97b1e607d24195d9150c488261eeac8", 1911, 2410, []int{15, 17, 13, 6, 12, 7, 14, 8, 5, 19, 16, 11, 9, 10, 4, 0, 1, 3, 2, 18}},
	{"dbf332422f1b61e3228686e05c5a8cfcdaab148807477d67368c0d5a29ec692c", 1711, 2150, []int{17, 10, 5, 11, 3, 14, 0, 15, 18, 12, 7, 13, 2, 9, 19, 4, 8, 6, 16, 1}},
	{"15a337b6a996f2fca46de77bedb13e729c9c0ed4db578c7097f7565aba6c3c8f", 1844, 2411, []int{17, 18, 3, 0, 12, 4, 13, 7, 8, 14, 10, 2, 11, 16, 15, 5, 19, 9, 1, 6}},
	{"81f400030ce71d80e63b4a8600210d7941c3f97b95589bba49d314cebe2e61b8", 1810, 2262, []int{2, 13, 7, 3, 15, 17, 11, 5, 10, 19, 1, 14, 12, 0, 6, 4, 18, 9, 16, 8}},
	{"5f5095751ab76b0bf3ebb7c017292d33e53d49c401f33c2c2f8e66018e0612eb", 1899, 2397, []int{9, 8, 0, 14, 2, 17, 19, 3, 12, 1, 15, 18, 10, 16, 11, 13, 4, 6, 7, 5}},
	{"15b7289ca7d126756669ceacaecb16c2b4af1fb1cf8a7c6bcaaa5d117b466c12", 1875, 2349, []int{5, 12, 17, 0, 1, 14, 7, 15, 9, 4, 8, 16, 10, 19, 2, 6, 11, 3, 13, 18}},
	{"45ca347f8fbe4aac528365b99340a53b21efb0d5e9fbe794f5d8c4170f9f0e9b", 1875, 2362, []int{9, 11, 15, 10, 14, 16, 3, 5, 18, 1, 19, 7, 13, 17, 0, 4, 8, 6, 2, 12}},
	{"3349b8ce2511fbf89aa3d5f02e1026cbd9dc08a9d38c4e5badfaf85c141f22cf", 1880, 2249, []int{3, 19, 4, 15, 9, 6, 1, 16, 10, 17, 13, 18, 12, 11, 2, 14, 5, 7, 0, 8}},
	{"289899ec27c85def764e31f1a99090f337acf45b03ee63e7fe85b78e57f40010", 1840, 2320, []int{0, 7, 13, 5, 1, 12, 6, 17, 16, 3, 2, 10, 14, 19, 8, 9, 11, 15, 18, 4}},
	{"786ab35aa040be2516538d4756d9dd0824ff7165964c429bd28ec12fc290875e", 1900, 2277, []int{2, 6, 11, 5, 12, 17, 0, 1, 14, 9, 10, 4, 16, 3, 18, 7, 19, 8, 15, 13}},
}

func TestTaillard(t *testing.T) {
	for i, want := range known {
		in, err := Taillard(21 + i)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, row := range in.Times {
			text.WriteString(strings.Trim(fmt.Sprint(row), "[]") + "\n")
		}
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(text.String()))); got != want.digest {
			t.Errorf("%s: digest %s, want %s", in.Name, got, want.digest)
		}
		if got := in.LowerBound(); got != want.lower {
			t.Errorf("%s: lower bound %d, want %d", in.Name, got, want.lower)
		}
		if got := in.Makespan(want.best); got != in.Best || !in.isPermutation(want.best) {
			t.Errorf("%s: the best order takes %d, want %d", in.Name, got, in.Best)
		}
		order, span := in.NewHeuristic(1).NEH()
		if span != want.neh || in.Makespan(order) != span || !in.isPermutation(order) {
			t.Errorf("%s: NEH %d, evaluated %d, want %d", in.Name, span, in.Makespan(order), want.neh)
		}
	}
	if _, err := Taillard(121); err == nil {
		t.Error("Ta121 exists")
	}
}

// TestImprove checks that the iterated greedy search improves an order and returns the makespan of this order.
func TestImprove(t *testing.T) {
	in, err := Taillard(30)
	if err != nil {
		t.Fatal(err)
	}
	order, span := in.NewHeuristic(1).Improve(t.Context(), 200, 0)
	if in.Makespan(order) != span || !in.isPermutation(order) {
		t.Errorf("%v takes %d, reported %d", order, in.Makespan(order), span)
	}
	if span > 2220 || span < in.Best {
		t.Errorf("found %d from 2277, the optimum is %d", span, in.Best)
	}
	_, first := in.NewHeuristic(1).Improve(t.Context(), 0, 0)
	if _, enough := in.NewHeuristic(1).Improve(t.Context(), 200, first); enough != first || first == span {
		t.Errorf("went on from %d, which was asked for, to %d", first, enough)
	}
	again, _ := in.NewHeuristic(1).Improve(t.Context(), 200, 0)
	if !slices.Equal(order, again) {
		t.Errorf("%v, then %v", order, again)
	}
}

// lowerBounds are Taillard's own bounds, published with the instances, ten for each class.
var lowerBounds = [][10]int{
	{1232, 1290, 1073, 1268, 1198, 1180, 1226, 1170, 1206, 1082},
	{1448, 1479, 1407, 1308, 1325, 1290, 1388, 1363, 1472, 1356},
	{1911, 1711, 1844, 1810, 1899, 1875, 1875, 1880, 1840, 1900},
	{2712, 2808, 2596, 2740, 2837, 2793, 2689, 2667, 2527, 2776},
	{2907, 2821, 2801, 2968, 2908, 2941, 3062, 2959, 2795, 3046},
	{3480, 3424, 3351, 3336, 3313, 3460, 3427, 3383, 3457, 3438},
	{5437, 5208, 5130, 4963, 5195, 5063, 5198, 5038, 5385, 5272},
	{5759, 5345, 5623, 5732, 5431, 5246, 5523, 5556, 5779, 5830},
	{5851, 6099, 6099, 6072, 6009, 6144, 5991, 6084, 5979, 6298},
	{10816, 10422, 10886, 10794, 10437, 10255, 10761, 10663, 10348, 10616},
	{10979, 10947, 11150, 11127, 11132, 11085, 11194, 11126, 10965, 11122},
	{25922, 26353, 26320, 26424, 26181, 26401, 26300, 26429, 25891, 26315},
}

// TestEveryClass compares the bounds of all instances. A bound depends on all times of its instance, so a wrong seed or
// size would change the bound.
func TestEveryClass(t *testing.T) {
	for c, bounds := range lowerBounds {
		for i, want := range bounds {
			in, err := Taillard(10*c + i + 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := in.LowerBound(); got != want {
				t.Errorf("%s, %d jobs on %d machines: lower bound %d, want %d", in.Name, in.Jobs, in.Machines, got, want)
			}
		}
	}
}
