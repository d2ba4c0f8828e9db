package criteria

import (
	"context"
	"fmt"

	"lockstep/bench/report"
)

// Criteria compares criteria for when to balance with the exact optimum: on the
// eight synthetic benchmarks of Boulmier et al. (arXiv:2104.01688, Table 2), on
// noisy copies of them, on further shapes, on applications given as curves, and
// on recorded films.
type Experiment struct {
	JSON   bool        `name:"json" help:"Print one JSON object a line."`
	Plot   report.Path `placeholder:"DIR" help:"Draw the paper's Figures 6, 7 and 8 into DIR, as SVG and PNG."`
	Curves report.Path `placeholder:"FILE" help:"Run the applications in FILE instead, JSON lines of name, C, mu and iota."`
	Loads  report.Path `placeholder:"FILE" help:"Replay the film of measured loads in FILE instead."`
	Parts  int         `placeholder:"N" help:"With --loads: give the blocks to N processing elements."`

	MoveLatency   float64 `placeholder:"SECONDS" default:"0.001" help:"With --loads: seconds that a balancing takes even if nothing moves."`
	MoveBandwidth float64 `placeholder:"BYTES" default:"1e9" help:"With --loads: bytes a second that a processing element sends or receives."`
	Seeds         int     `placeholder:"N" default:"50" help:"Copies of each noisy and each random application."`
}

// check reports flags that make no sense together.
func (c *Experiment) check() error {
	switch {
	case c.Curves != "" && c.Loads != "":
		return report.Usagef("--curves and --loads exclude each other")
	case c.Plot != "" && (c.Curves != "" || c.Loads != ""):
		return report.Usagef("--plot draws the synthetic benchmarks; it goes with neither --curves nor --loads")
	case c.Loads == "" && c.Parts != 0:
		return report.Usagef("--parts needs --loads")
	case c.Loads != "" && c.Parts < 1:
		return report.Usagef("--loads needs --parts of at least 1")
	case c.Seeds < 0:
		return report.Usagef("--seeds %d: want at least 1", c.Seeds)
	case c.Loads != "" && !(c.MoveLatency >= 0):
		return report.Usagef("--move-latency %v: want at least 0", c.MoveLatency)
	case c.Loads != "" && !(c.MoveBandwidth > 0):
		return report.Usagef("--move-bandwidth %v: want more than 0", c.MoveBandwidth)
	}
	return nil
}

// Run does the experiment; see [report.Experiment].
func (c *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := c.check(); err != nil {
		return err
	}
	p := &criteriaPrinter{out: out.Stdout, json: c.JSON}
	switch {
	case c.Curves != "":
		return runCurves(ctx, string(c.Curves), p)
	case c.Loads != "":
		return c.runFilm(ctx, p)
	}
	if err := c.runPaper(ctx, out, p); err != nil {
		return err
	}
	return c.runRobustness(ctx, out, p)
}

// stage follows a stage of an experiment; a nil Progress is fine.
func stage(p report.Progress, label string, total int64) (step func(), end func()) {
	if p == nil {
		return func() {}, func() {}
	}
	p.Begin(label, total)
	return func() { p.Add(1) }, p.End
}

// runPaper runs the eight benchmarks and draws them.
func (c *Experiment) runPaper(ctx context.Context, out report.Output, p *criteriaPrinter) error {
	cases := paperCases()
	step, end := stage(out.Progress, "synthetic benchmarks", int64(len(cases)))
	defer end()
	var done []paperResult
	for _, k := range cases {
		app, err := k.application()
		if err != nil {
			return err
		}
		results, err := compareCriteria(ctx, app, app.Cost())
		if err != nil {
			return err
		}
		p.paper(k, results)
		done = append(done, paperResult{k, app, results})
		step()
	}
	if p.err != nil {
		return fmt.Errorf("print the results: %w", p.err)
	}
	if c.Plot == "" {
		return nil
	}
	return drawCriteria(string(c.Plot), done)
}
