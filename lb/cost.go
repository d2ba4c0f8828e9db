package lb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Timing holds the times of the phases of one iteration in a calibration run. All timings of a run share one unit. Any
// unit will do, because only ratios are used. Timing is an alias of an unnamed struct. So it is the same type as
// vp.Timing.
type Timing = struct {
	Gather         float64 // gathering the workload, including a trial plan
	Redistribution float64 // 0 if the iteration had no redistribution
	Solution       float64 // the iteration's own work; above 0
}

// DefaultConstant is the number of iterations that is added to every estimate of a cost. It covers errors of less than
// one iteration. A comparison with savings cannot show such an error, because savings are whole numbers of iterations.
const DefaultConstant = 1

// ErrTiming is wrapped by every error about unusable calibration timings, and ErrCostModel by every error about a
// stored model.
var (
	ErrTiming    = errors.New("unusable timing")
	ErrCostModel = errors.New("invalid cost model")
)

// A CostModel estimates the cost of one check and one redistribution, in iterations of the loop's own work (the
// solution phase). A check gathers the workload and tries a plan. The estimate must not be too low (Ahrens and Hansen
// 1995, section 2.1). Each calibration run gives a ratio of times
//
//	(longest gather + longest redistribution) / shortest solution
//
// over its iterations. The estimate is the largest ratio of all runs, plus a constant.
//
// For loops that calibrate themselves ([Cycle.Timed]), the model keeps times. When it needs a number of iterations, it
// divides a time by the latest solution time. The operating system may interrupt any phase. If the longest time counted
// for ever, one interruption would prevent balancing for good. Therefore:
//   - Only the last 100 to 200 checks count.
//   - The longest gather and the longest redistribution among them count as at most twice the second longest.
//   - The time of a redistribution is halved after every 100 checks without one.
//
// So about one check in a hundred may cost more than its estimate. The paper assumes that no check does.
// [CostModel.Underestimated] counts these checks.
//
// The zero value estimates infinity, so an uncalibrated program does not balance. A model marshals to JSON and back
// without loss, except for the times of single checks. A program that stores a model should also store on which machine
// and with which kernels it was measured. A method that changes the model must not run at the same time as any other
// method.
type CostModel struct {
	gather         float64 // the largest value, over all runs, of longest gather / shortest solution
	ratio          float64 // the largest of (longest gather + longest redistribution) / shortest solution
	constant       float64
	raised         float64 // largest measured cost that exceeded its estimate
	runs           int
	underestimated int
	recent         recent // times of loops that calibrate themselves
}

// NewCostModel returns an uncalibrated model. constant is in iterations. It panics if constant is negative or not
// finite.
func NewCostModel(constant float64) *CostModel {
	if !(constant >= 0) || math.IsInf(constant, 1) {
		panic(fmt.Sprintf("lb: NewCostModel: constant %v", constant))
	}
	return &CostModel{constant: constant}
}

// Calibrate adds one calibration run: the timings of the iterations of a loop over one data set. The run must have a
// redistribution. Solution times must be positive, and all numbers non-negative and finite. Otherwise the error wraps
// [ErrTiming] and the model stays as it was.
func (m *CostModel) Calibrate(run []Timing) error {
	var longest Timing
	shortest := math.Inf(1)
	for i, t := range run {
		if !positive(t.Solution) || !positive(t.Gather+1) || !positive(t.Redistribution+1) ||
			t.Gather < 0 || t.Redistribution < 0 {
			return fmt.Errorf("lb: iteration %d: %w: gather %v, redistribution %v, solution %v",
				i, ErrTiming, t.Gather, t.Redistribution, t.Solution)
		}
		longest.Gather = max(longest.Gather, t.Gather)
		longest.Redistribution = max(longest.Redistribution, t.Redistribution)
		shortest = min(shortest, t.Solution)
	}
	ratio := (longest.Gather + longest.Redistribution) / shortest
	if longest.Redistribution == 0 || math.IsInf(ratio, 1) {
		return fmt.Errorf("lb: run of %d iterations: %w: no redistribution, or the ratio overflows", len(run), ErrTiming)
	}
	m.ratio = max(m.ratio, ratio)
	m.gather = max(m.gather, longest.Gather/shortest)
	m.runs++
	return nil
}

// positive reports whether x is above 0 and finite.
func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// Estimate returns the cost of one check of the workload and one redistribution, in iterations. It is +Inf before any
// calibration.
func (m *CostModel) Estimate() float64 {
	if m == nil || m.runs == 0 {
		return math.Inf(1)
	}
	return max(m.lookAndMove(), m.raised) + m.constant
}

// Look returns the cost of one check alone, in iterations. It is 0 before any calibration.
func (m *CostModel) Look() float64 {
	if m == nil {
		return 0
	}
	return m.look()
}

// Runs returns the number of calibration runs.
func (m *CostModel) Runs() int { return m.runs }

// Underestimated returns how many observed costs exceeded their estimate.
func (m *CostModel) Underestimated() int { return m.underestimated }

// Observe compares the estimate with the measured cost of a check and redistribution, in iterations. It reports whether
// the estimate was too low. If the estimate was too low, Observe counts the event, and raises the estimate to the
// measured cost plus the constant. It ignores values that are not finite.
func (m *CostModel) Observe(measured float64) (underestimated bool) {
	if m.countIfUnderestimated(measured) {
		m.raised = measured
		return true
	}
	return false
}

// countIfUnderestimated reports whether the measured cost exceeds the estimate. If so, it increments m.underestimated.
func (m *CostModel) countIfUnderestimated(measured float64) (underestimated bool) {
	if !positive(measured) || m.runs == 0 || measured <= m.Estimate() {
		return false
	}
	m.underestimated++
	return true
}

// storedModel is the JSON form of a CostModel.
type storedModel struct {
	Gather         float64 `json:"gather"`
	Cost           float64 `json:"cost"`
	Constant       float64 `json:"constant"`
	Raised         float64 `json:"raised,omitempty"`
	Runs           int     `json:"runs"`
	Underestimated int     `json:"underestimated"`
}

// MarshalJSON implements json.Marshaler.
func (m *CostModel) MarshalJSON() ([]byte, error) {
	if m.runs == 0 {
		return json.Marshal(storedModel{Constant: m.constant})
	}
	return json.Marshal(storedModel{m.Look(), m.lookAndMove(), m.constant, m.raised, m.runs, m.underestimated})
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. If the numbers cannot come from a calibration, the error wraps
// [ErrCostModel] and the model stays as it was.
func (m *CostModel) UnmarshalJSON(data []byte) error {
	var s storedModel
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("lb: cost model: %w", err)
	}
	calibrated := s.Runs > 0 && s.Cost > 0 && s.Gather <= s.Cost
	fresh := s.Runs == 0 && s == storedModel{Constant: s.Constant}
	if s.Gather < 0 || s.Constant < 0 || s.Raised < 0 || s.Underestimated < 0 ||
		s.Underestimated == 0 && s.Raised > 0 || !calibrated && !fresh {
		return fmt.Errorf("lb: %w: %s", ErrCostModel, data)
	}
	*m = CostModel{s.Gather, s.Cost, s.Constant, s.Raised, s.Runs, s.Underestimated, recent{}}
	return nil
}
