package calibration

import (
	"encoding/json"
	"fmt"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// Costs holds the costs of redistributions in the scan-conversion loop, on one processor with one instruction set.
// Costs can be marshalled to JSON and back without loss.
type Costs struct {
	// Model estimates what a redistribution costs per redistributed polygon. The unit of Model, Full and First is the
	// time of an iteration in which most lanes are idle.
	Model *lb.CostModel `json:"model"`
	// Full is the longest time of an iteration in which all lanes have a row.
	Full float64 `json:"full"`
	// First is the additional cost of the first redistribution in a block. At that time, the code and data of
	// redistributions are not in the core's caches.
	First float64 `json:"first"`
	// Ticks is the shortest time of an iteration, in ticks of the clock that the instruction set's kernels read. If
	// Ticks is 0, measured times are not compared with the estimated cost.
	Ticks float64 `json:"ticks"`
	// Sharing is the cost of dividing polygons into row ranges for other workers. Nil means the built-in cost.
	Sharing *Sharing `json:"sharing,omitempty"`
	// Samples are the measurements from which the model was made.
	Samples []Sample `json:"samples"`
}

// UnmarshalJSON implements json.Unmarshaler. It returns an error that wraps lb.ErrCostModel for costs that no
// calibration can have given.
func (c *Costs) UnmarshalJSON(text []byte) error {
	type plain Costs
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	costs := Costs(p)
	if err := costs.Check(); err != nil {
		return err
	}
	*c = costs
	return nil
}

// maxRows is the largest number of rows of a sample. No picture has more rows.
const maxRows = 1 << 15

// maxCost limits the numbers of a calibration: costs, whose unit is the time of one iteration, and the number of clock
// ticks per iteration. The numbers of real machines are far smaller. Sums of numbers below maxCost do not overflow.
const maxCost = 1e6

// Check returns an error that wraps lb.ErrCostModel if no calibration could have given these costs.
func (c *Costs) Check() error {
	switch {
	case c.Model == nil || c.Model.Runs() == 0:
		return fmt.Errorf("%w: no calibration", lb.ErrCostModel)
	case !(c.Model.Estimate() <= maxCost) || !(c.Full > 0 && c.Full <= maxCost) || !(c.First >= 0 && c.First <= maxCost) || !(c.Ticks >= 0 && c.Ticks <= maxCost):
		return fmt.Errorf("%w: estimate %g, full iteration %g, first redistribution %g, iteration %g ticks", lb.ErrCostModel, c.Model.Estimate(), c.Full, c.First, c.Ticks)
	}
	if c.Sharing != nil {
		if err := c.Sharing.check(); err != nil {
			return err
		}
	}
	for i, s := range c.Samples {
		// Measurement error may make a small cost negative.
		least, most := min(s.Saved, s.Cost, s.Shortest, s.Iterations), max(s.Saved, s.Cost, s.Shortest, s.Iterations)
		if s.Tall < 1 || s.Tall > array.Lanes || s.Rows < 1 || s.Rows > maxRows || !(least >= -maxCost) || !(most <= maxCost) {
			return fmt.Errorf("%w: sample %d: %+v", lb.ErrCostModel, i, s)
		}
	}
	return nil
}
