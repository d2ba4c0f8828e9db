package tables

import (
	"math"
	"testing"
)

// The geometric mean of 1 and 4 is 2, the standard error of the logarithms is ln 2, and there is one degree of freedom.
func TestGeometric(t *testing.T) {
	got := geometricMean([]float64{1, 4})
	want := interval{2 / math.Pow(2, 12.706), 2, 2 * math.Pow(2, 12.706)}
	for _, x := range [][2]float64{{got.low, want.low}, {got.mean, want.mean}, {got.high, want.high}} {
		if math.Abs(x[0]/x[1]-1) > 1e-9 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := geometricMean([]float64{3}); got != (interval{}) {
		t.Errorf("one value: %+v", got)
	}
}

// Three virtual processors on two processors take two turns of 5 ns each. The first processor has two virtual
// processors, with 3 and 1 tasks. The second has one, with 2 tasks.
func TestIdle(t *testing.T) {
	var b busyTime
	b.add([]int32{3, 2, 1}, 2, 10)
	if got, want := b.idleFractions(40), (minMeanMax{0.5, 0.625, 0.75}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// The paper says that balancing makes unbalanced data take at most 70 per cent longer than balanced data.
func TestNearBalanced(t *testing.T) {
	cells := []cell{
		{Dataset: "unbalanced", View: "(0,0)", Processors: 512, SecondsBalanced: 3, SecondsPaperRule: 5, PaperSpeedup: 1},
		{Dataset: "balanced", View: "(0,0)", Processors: 512, SecondsOriginal: 2, SecondsBalanced: 2.2, SecondsPaperRule: 2.6},
		{Dataset: "balanced", View: "(45,45)", Processors: 512, SecondsOriginal: 1, SecondsBalanced: 1, SecondsPaperRule: 1},
	}
	ours, paper, theirs := excessOverBalanced(cells)
	if ours != 0.5 || paper != 1.5 || math.Abs(theirs-0.704) > 0.001 {
		t.Errorf("%v, %v, the paper %v", ours, paper, theirs)
	}
	if ours, paper := worstLoss(cells, "balanced"); math.Abs(ours-0.1) > 1e-9 || math.Abs(paper-0.3) > 1e-9 {
		t.Errorf("losses %v and %v", ours, paper)
	}
}

func TestMeanGain(t *testing.T) {
	samples := [][]cell{
		{{Dataset: "balanced", Gain: 1}, {Dataset: "unbalanced", Gain: 4}, {Dataset: "shear", Gain: 99}},
		{{Dataset: "balanced", Gain: 2}, {Dataset: "unbalanced", Gain: 2}, {Dataset: "shear", Gain: 0.1}},
	}
	if g := meanGain(samples); math.Abs(g.mean-2) > 1e-9 || g.least != 1 || math.Abs(g.interval.mean-2) > 1e-9 {
		t.Errorf("%+v", g)
	}
}
