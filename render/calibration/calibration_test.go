package calibration

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"lockstep/lb"
	"lockstep/vp/isa"
)

// costSamples are measurements with known break-evens: 6 with one busy lane, at
// most 5 with two, at least 40 with four.
func costSamples() []Sample {
	return []Sample{
		{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Planning: 2, Full: 2, Iteration: 10},
		{Tall: 1, Rows: 9, Saved: 8, Cost: 7, Planning: 4, Full: 1, Iteration: 20},
		{Tall: 2, Rows: 10, Saved: 6, Cost: 5, Planning: 1, Full: 3, Iteration: 10},
		{Tall: 4, Rows: 100, Saved: 32, Cost: 40, Planning: 10, Full: 1.5, Iteration: 10},
	}
}

func TestBreakEven(t *testing.T) {
	samples := costSamples()
	want := []Sample{
		{Tall: 1, Rows: 7, Saved: 6, Cost: 6, Planning: 3, Full: 1.5, Iteration: 15},
		samples[2], samples[3],
	}
	if got := BreakEven(samples); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// By bad luck one that pays lies before one that does not.
	got := BreakEven([]Sample{{Saved: 4, Cost: 3}, {Saved: 8, Cost: 9}, {Saved: 16, Cost: 15}})
	if len(got) != 1 || got[0].Saved != 12 || got[0].Cost != 12 {
		t.Errorf("got %+v", got)
	}
	if got := BreakEven(nil); len(got) != 0 {
		t.Errorf("nothing breaks even at %v", got)
	}
}

func TestNewCosts(t *testing.T) {
	c, err := newCosts(costSamples())
	if err != nil {
		t.Fatal(err)
	}
	// The dearest is that with four lanes: 30 cannot be measured again.
	if m := c.Model; m.Estimate() != 41 || m.Look() != 30 || m.Runs() != 3 || c.Full != 1.5 {
		t.Errorf("%+v: estimate %g, look %g, %d runs", c, m.Estimate(), m.Look(), m.Runs())
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var again Costs
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, c) {
		t.Errorf("%s becomes %+v, %v", text, again, err)
	}
	good := Sample{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Planning: 1, Full: 1, Iteration: 10}
	if _, err := newCosts([]Sample{good}); err != nil {
		t.Error(err)
	}
	for i, change := range []func(*Sample){
		func(s *Sample) { s.Planning = 0 }, func(s *Sample) { s.Cost = math.NaN() }, func(s *Sample) { s.Full = 0 },
		func(s *Sample) { s.Full = math.Inf(1) }, func(s *Sample) { s.Rows = 0 }, func(s *Sample) { s.Tall = 17 },
		func(s *Sample) { s.Iteration = 1e9 }, func(s *Sample) { s.Saved = math.Inf(-1) },
	} {
		bad := good
		change(&bad)
		if c, err := newCosts([]Sample{bad}); err == nil {
			t.Errorf("%d: %+v", i, c)
		}
	}
	for _, bad := range [][]Sample{nil, {}} {
		if c, err := newCosts(bad); err == nil {
			t.Errorf("%v: %+v", bad, c)
		}
	}
}

func TestCostsRefuseNonsense(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"full":1}`, `{"model":null,"full":1}`, `{"model":{"constant":1},"full":1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":0}`, `{"model":{"cost":4,"constant":1,"runs":1},"full":-1}`,
		`{"model":{"cost":-4,"constant":1,"runs":1},"full":1}`, `[]`,
	} {
		var c Costs
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if err := new(Costs).Check(); !errors.Is(err, lb.ErrCostModel) {
		t.Errorf("costs without a model: %v", err)
	}
}

// TestCalibrate checks what calibration makes, not how long anything took.
func TestMeasure(t *testing.T) {
	for _, level := range isa.Available() {
		c, err := Measure(t.Context(), level.String())
		if err != nil {
			t.Fatal(err)
		}
		if m := c.Model; m.Runs() != 4 || !(m.Estimate() > lb.DefaultConstant) || math.IsInf(m.Estimate(), 0) || m.Look() > m.Estimate() || len(c.Samples) < 4 {
			t.Errorf("%v: %+v, estimate %g", level, c, m.Estimate())
		}
	}
	if _, err := Measure(t.Context(), "mmx"); err == nil {
		t.Error("an unknown instruction set was calibrated")
	}
}
