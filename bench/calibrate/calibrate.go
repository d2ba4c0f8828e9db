// Package calibrate prints the costs with which the renderer decides on this machine whether to redistribute work.
// Package render/calibration measures and stores them.
package calibrate

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"lockstep/bench/report"
	"lockstep/render/calibration"
	"lockstep/vp/isa"
)

// Experiment prints what redistributing work costs on this machine, and the measurements behind these numbers. If no
// costs are stored yet, it measures them.
type Experiment struct {
	ISA   string `name:"isa" default:"auto" enum:"auto,all,generic,avx2,avx512" help:"Instruction set, or all that this processor has: ${enum}."`
	Renew bool   `help:"Measure again and replace what is stored."`
	JSON  bool   `name:"json" help:"Print one JSON object a line."`

	// Store replaces the user's store of costs if it is not nil.
	Store *calibration.Store `kong:"-"`
}

// A calibrated holds the costs of one instruction set, and says how they were found.
type calibrated struct {
	Experiment string `json:"experiment"`
	ISA        string `json:"isa"`
	Machine    string `json:"machine"`
	Kernel     string `json:"kernel"`
	File       string `json:"file,omitempty"`    // "" if the costs are not stored
	Problem    string `json:"problem,omitempty"` // why the costs are not stored
	Fresh      bool   `json:"fresh"`             // the costs were measured just now

	Estimate float64 `json:"estimate"` // in iterations per polygon
	// Full is the time of an iteration in which all lanes work, divided by the time of an iteration in which few lanes
	// work.
	Full  float64 `json:"full"`
	First float64 `json:"first"` // additional iterations for a block's first redistribution
	// time of an iteration in which few lanes work, in ticks of the processor's clock
	Ticks          float64              `json:"ticks"`
	Underestimated int                  `json:"underestimated"`
	Samples        []calibration.Sample `json:"samples"`
}

// Run implements [report.Experiment].
func (c *Experiment) Run(ctx context.Context, out report.Output) error {
	levels := isa.Available()
	if c.ISA != "all" {
		level, err := isa.Select(c.ISA)
		if err != nil {
			return report.Usagef("--isa %s: %v", c.ISA, err)
		}
		levels = []isa.Level{level}
	}
	for i, level := range levels {
		found, err := c.costsOf(ctx, level)
		if err != nil {
			return err
		}
		if c.JSON {
			err = report.WriteJSON(out.Stdout, found)
		} else {
			if i > 0 {
				fmt.Fprintln(out.Stdout)
			}
			err = found.print(out.Stdout)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// costsOf returns the costs of one instruction set, from the store if it has them. If the store fails, it measures the
// costs, and Problem says why they are not stored.
func (c *Experiment) costsOf(ctx context.Context, level isa.Level) (*calibrated, error) {
	found := &calibrated{Experiment: "calibrate", ISA: level.String(), Machine: isa.Processor(), Kernel: calibration.KernelVersion()}
	store, err := c.Store, error(nil)
	if store == nil {
		store, err = calibration.UserStore()
	}
	var costs *calibration.Costs
	if err == nil {
		found.Machine, found.Kernel, found.File = store.Machine, store.Kernel, store.File()
		costs, found.Fresh, err = store.AllCosts(ctx, level, c.Renew)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		found.File, found.Problem = "", err.Error()
	}
	if costs == nil {
		found.Fresh = true
		if costs, err = calibration.Measure(ctx, level.String()); err != nil {
			return nil, err
		}
	}
	m := costs.Model
	found.Estimate, found.Full, found.Ticks, found.Underestimated = m.Estimate(), costs.Full, costs.Ticks, m.Underestimated()
	found.First, found.Samples = costs.First, costs.Samples
	return found, nil
}

// print writes the costs as tables.
func (c *calibrated) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	say := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s "+format+"\n", append([]any{name}, args...)...)
	}
	say("isa", "%s", c.ISA)
	say("machine", "%s", c.Machine)
	say("kernel", "%s", c.Kernel)
	switch {
	case c.Problem != "":
		say("stored", "no: %s", c.Problem)
	case c.Fresh:
		say("stored", "just now, in %s", c.File)
	default:
		say("stored", "in %s", c.File)
	}
	say("estimate", "%.2f iterations for each polygon moved (was too low %d times so far)", c.Estimate, c.Underestimated)
	say("full", "%.2f times as long as another is an iteration in which all lanes work, at most; another takes %.1f ticks", c.Full, c.Ticks)
	say("first", "%.2f iterations more for the first move of a block", c.First)
	fmt.Fprintf(w, "\nIterations for each polygon moved; balancing pays where it saves more than it costs.\n\n")
	fmt.Fprintln(t, "busy lanes\trows\tsaved\tcost\tat least\tat most\tcost more\tpays\t")
	for _, s := range c.Samples {
		pays := "no"
		if s.Pays() {
			pays = "yes"
		}
		atMost := c.Estimate + (c.Full-1)*s.Iterations
		fmt.Fprintf(t, "%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f %%\t%s\t\n", s.Tall, s.Rows, s.Saved, s.Cost, s.Shortest, atMost, 100*s.Dearer, pays)
	}
	return t.Flush()
}
