// Package criteria compares criteria for when to balance with the exact optimum.
//
// compare.go runs an application with every criterion. tune.go finds the best parameter of the criteria that have one.
// The applications are:
//
//   - the eight benchmarks of Boulmier et al. (arXiv:2104.01688), the example of their Figure 1 (toy.go), and copies of
//     the benchmarks that are measured with noise (noise.go);
//   - imbalances of other shapes (shapes.go);
//   - curves in a file (curves.go, family.go) and recorded loads (recording.go, partial.go).
//
// guard.go measures whether a guard of a criterion keeps its bounds. times.go and vtfiles.go read measured times of a
// program, and advise.go says when the program should have balanced. leaderboard.go ranks the criteria on the families
// of package families. print.go and plot.go show the results.
package criteria

import (
	"context"
	"fmt"
	"time"

	"lockstep/bench/report"
	"lockstep/lb/loads"
)

// Experiment runs the eight synthetic benchmarks of Boulmier et al. (arXiv:2104.01688, Table 2), noisy copies of them
// and further shapes. With other flags it runs the applications in a file, or measures guards of criteria
// (criterion.Guard).
type Experiment struct {
	JSON        bool        `name:"json" help:"Print one JSON object a line."`
	Plot        report.Path `placeholder:"DIR" help:"Draw the paper's Figures 1, 6, 7 and 8 into DIR, as SVG and PNG."`
	Curves      report.Path `placeholder:"FILE" help:"Run the applications in FILE instead, JSON lines of name, C, mu, and iota (growth of the imbalance by age), iota_time (by time) or both."`
	Loads       report.Path `placeholder:"FILE" help:"Replay the loads recorded in FILE instead."`
	Parts       int         `placeholder:"N" help:"With --loads: give the blocks to N processing elements."`
	Family      bool        `help:"With --curves: print a table for each family instead of one for each application. A family has the names with the same part before a #."`
	Leaderboard bool        `help:"Rank the criteria on 78 families of random applications instead, by their cost over the exact optimum's."`
	Guard       bool        `help:"Measure instead how well guards of criteria keep bounds of 2 to 6; with --plot also draw that."`
	Best        int         `placeholder:"N" default:"1" help:"Print the N cheapest schedules, not the optimum alone."`

	Times    report.Path   `placeholder:"FILE" help:"Say when a program should have balanced. FILE holds its measured times: rows of iteration, rank and seconds; or a row for each iteration with a column for each rank; or vt's NAME.RANK.json."`
	Cost     time.Duration `placeholder:"D" help:"With --times: what a balancing takes, such as 5s."`
	Balanced []int         `placeholder:"N,..." help:"With --times: the iterations before which the program was balanced, counted from the first in FILE as 0."`

	MoveLatency   float64 `placeholder:"SECONDS" default:"0.001" help:"With --loads: seconds that a balancing takes even if nothing moves."`
	MoveBandwidth float64 `placeholder:"BYTES" default:"1e9" help:"With --loads: bytes a second that a processing element sends or receives."`
	Seeds         int     `placeholder:"N" default:"50" help:"Copies of each noisy and each random application."`
}

// Limits of the latency and the bandwidth with which work moves. They keep every cost finite. Real networks are within
// them by many orders of magnitude.
const (
	minLatency   = 1e-12 // in seconds
	maxBandwidth = 1e18  // in bytes per second
)

// check returns an error if flags contradict each other or are out of range.
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
	case c.Family && c.Curves == "":
		return report.Usagef("--family needs --curves")
	case c.Guard && (c.Curves != "" || c.Loads != ""):
		return report.Usagef("--guard takes applications of its own; it goes with neither --curves nor --loads")
	case c.Leaderboard && (c.Curves != "" || c.Loads != "" || c.Guard || c.Times != "" || c.Plot != ""):
		return report.Usagef("--leaderboard goes with neither --curves, --loads, --guard, --times nor --plot")
	case c.Guard && c.Seeds == 0:
		return report.Usagef("--guard needs --seeds of at least 1")
	case c.Times != "" && (c.Curves != "" || c.Loads != "" || c.Guard):
		return report.Usagef("--times goes with neither --curves, --loads nor --guard")
	case c.Times != "" && !(c.Cost > 0):
		return report.Usagef("--times needs --cost, what a balancing takes, such as 5s")
	case c.Times == "" && (c.Cost != 0 || len(c.Balanced) > 0):
		return report.Usagef("--cost and --balanced need --times")
	case c.Best < 0 || c.Best > maxBest:
		return report.Usagef("--best %d: expected 1 to %d", c.Best, maxBest)
	case c.Seeds < 0 || c.Seeds > 1_000_000:
		return report.Usagef("--seeds %d: expected 1 to 1000000", c.Seeds)
	case c.Loads != "" && c.MoveLatency != 0 && !(c.MoveLatency >= minLatency && c.MoveLatency <= loads.MaxSeconds):
		return report.Usagef("--move-latency %v: expected 0, or %v to %v seconds", c.MoveLatency, minLatency, float64(loads.MaxSeconds))
	case c.Loads != "" && !(c.MoveBandwidth >= 1 && c.MoveBandwidth <= maxBandwidth):
		return report.Usagef("--move-bandwidth %v: expected 1 to %v bytes a second", c.MoveBandwidth, maxBandwidth)
	}
	return nil
}

// Run runs the experiment; see [report.Experiment].
func (c *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := c.check(); err != nil {
		return err
	}
	p := &printer{out: out.Stdout, json: c.JSON}
	switch {
	case c.Curves != "":
		return c.runCurves(ctx, p)
	case c.Loads != "":
		return c.runRecording(ctx, p)
	case c.Leaderboard:
		return c.runLeaderboard(ctx, out, p)
	case c.Guard:
		return c.runGuard(ctx, out, p)
	case c.Times != "":
		return c.runTimes(ctx, out, p)
	}
	if err := c.runPaper(ctx, out, p); err != nil {
		return err
	}
	if err := c.runToy(ctx, out, p); err != nil {
		return err
	}
	if err := c.runNoisy(ctx, out, p); err != nil {
		return err
	}
	return c.runShapes(ctx, out, p)
}

// runPaper runs the eight benchmarks, prints the results and draws them.
func (c *Experiment) runPaper(ctx context.Context, out report.Output, p *printer) error {
	cases := paperCases()
	out.Begin("synthetic benchmarks", int64(len(cases)))
	defer out.End()
	var done []paperResult
	for _, k := range cases {
		app, err := k.application()
		if err != nil {
			return err
		}
		results, err := runCriteria(ctx, app, app.Cost())
		if err != nil {
			return err
		}
		if results, err = c.addBest(ctx, app, results); err != nil {
			return err
		}
		if p.printCase(k, results); p.err != nil {
			return fmt.Errorf("print the results: %w", p.err)
		}
		done = append(done, paperResult{k, app, results})
		out.Step(1)
	}
	if c.Plot == "" {
		return nil
	}
	return drawFigures(out.Folder(string(c.Plot)), done)
}
