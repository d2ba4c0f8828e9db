package effort_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
)

// There are two intervals: one without cost and with imbalance times 1, 3 and 0, and one at a cost of 6 with
// imbalance times 2 and 2.
func TestMeterKnownAnswer(t *testing.T) {
	var m effort.Meter
	for _, s := range []criterion.Sample{
		{Max: 5, Mean: 4}, {Max: 7, Mean: 4}, {Max: 4, Mean: 4},
		{Max: 6, Mean: 4, Balanced: true, Cost: 6}, {Max: 6, Mean: 4},
	} {
		m.Observe(s)
	}
	want := []effort.Interval{
		{First: 0, Length: 3, Residual: 2, Growth: 2, Mean: 12},
		{First: 3, Length: 2, Cost: 6, Residual: 4, Mean: 8},
	}
	if got := m.Intervals(); !slices.Equal(got, want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	if got := m.Open().Effort(); got != 5 {
		t.Errorf("effort %v, want (6+4)/2", got)
	}
	if got := m.Open().Relative(); got != 10.0/8 {
		t.Errorf("relative effort %v, want 10/8", got)
	}
}

// TestMeterSums checks that the three causes are never negative. Together with the mean loads they add up to the time
// of the run, as equation 4 of the paper says.
func TestMeterSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m effort.Meter
		time := 0.0
		for i := range rapid.IntRange(1, 60).Draw(t, "n") {
			s := criterion.Sample{Mean: float64(rapid.IntRange(0, 9).Draw(t, "mean"))}
			s.Max = s.Mean + float64(rapid.IntRange(0, 9).Draw(t, "u"))
			if i > 0 && rapid.Bool().Draw(t, "balanced") {
				s.Balanced, s.Cost = true, float64(rapid.IntRange(0, 30).Draw(t, "cost"))
			}
			time += s.Max + s.Cost
			m.Observe(s)
		}
		total := m.Total()
		if got := total.Mean + total.Cost + total.Residual + total.Growth; got != time {
			t.Fatalf("%+v makes %v, want %v", total, got, time)
		}
		first := 0
		for _, i := range m.Intervals() {
			if i.First != first || min(i.Cost, i.Residual, i.Growth) < 0 {
				t.Fatalf("%+v: want it to start at %d", i, first)
			}
			first += i.Length
		}
	})
}

// TestSelector checks that the Selector uses the best method nearly always, even after another method has become the
// best.
func TestSelector(t *testing.T) {
	s := effort.NewSelector(4)
	used := make([]int, 4)
	for i := range 400 {
		e := []float64{3, 1, 2, 4}
		if i >= 200 {
			e = []float64{3, 5, 0.5, 4}
		}
		if i == 200 {
			if used[1] < 170 {
				t.Errorf("the best method was used in %v of 200 intervals", used)
			}
			clear(used)
		}
		used[s.Used()]++
		s.Next(effort.Interval{Length: 1, Mean: 1, Growth: e[s.Used()]})
	}
	if used[2] < 150 {
		t.Errorf("after a change the best method was used in %v of 200 intervals", used)
	}
	if one := effort.NewSelector(1); one.Next(effort.Interval{Length: 1, Growth: math.Inf(1)}) != 0 {
		t.Error("the only method is not used")
	}
}

// TestSelectorTriesTheOldest checks that after all methods were tried, the Selector tries the method whose last trial
// is oldest. The pauses between trials double.
func TestSelectorTriesTheOldest(t *testing.T) {
	s := effort.NewSelector(3)
	for i, want := range []int{1, 2, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1} {
		took := float64(1 + s.Used())
		if got := s.Next(effort.Interval{Length: 1, Growth: took, Mean: 1}); got != want {
			t.Fatalf("balancing %d: method %d, want %d", i, got, want)
		}
	}
}

// TestSelectorBelievesHalf checks that the last interval of a method counts for half of the method's effort.
func TestSelectorBelievesHalf(t *testing.T) {
	for _, c := range []struct {
		last float64
		want int
	}{{3.1, 0}, {3.3, 1}} {
		s := effort.NewSelector(2)
		for _, e := range []float64{1, 2.1, 1} {
			s.Next(effort.Interval{Length: 1, Growth: e, Mean: 1})
		}
		if s.Used() == 1 {
			s.Next(effort.Interval{Length: 1, Growth: 2.1, Mean: 1})
		}
		if got := s.Next(effort.Interval{Length: 1, Growth: c.last, Mean: 1}); got != c.want {
			t.Errorf("1, 1 and %v: method %d, want %d", c.last, got, c.want)
		}
	}
}
