package flowshop

import (
	"context"
	"fmt"
	"math"
	"time"

	"lockstep/bench/report"
	"lockstep/bench/sharing"
	"lockstep/lb/overlay"
)

// Experiment solves Taillard's instances with the protocols of lb/overlay. With --figure it reproduces Tables I and II
// and Figures 1 to 5 of Vu and others, "Overlay-Centric Load Balancing", CLUSTER 2012.
type Experiment struct {
	sharing.Flags
	Instances []int  `placeholder:"N" help:"Taillard's instances (default 30; with --figure 21, or 21 to 30 for table2 and 3)."`
	Jobs      int    `placeholder:"N" help:"Only the first N jobs (default all, at most 20; with --figure 14)."`
	Start     string `default:"heuristic" enum:"heuristic,optimum,none" help:"First bound: ${enum}."`
	Search    int    `default:"20000" placeholder:"N" help:"Iterations of the heuristic."`
	Rule      string `default:"minbranch" enum:"minbranch,minmin,maxsum,forward" help:"Where to branch: ${enum}."`
	Lengths   bool   `help:"Measure work by the lengths of intervals, including ruled-out permutations, as the paper does."`
	Bounds    string `default:"lb1" enum:"lb1,lb2" help:"Lower bound: ${enum}, from single machines or from pairs of machines."`
}

// Run implements [report.Experiment].
func (e Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.Adopt(); err != nil {
		return err
	}
	if e.Search < 0 || e.Jobs < 0 {
		return report.Usagef("--search %d, --jobs %d: expected at least 0", e.Search, e.Jobs)
	}
	var tasks []sharing.Task
	for _, number := range e.instanceNumbers() {
		tasks = append(tasks, func() (sharing.Problem, sharing.Row, error) { return e.newProblem(ctx, number) })
	}
	return e.Flags.Run(ctx, out, sharing.Defaults{Step: 200 * time.Microsecond, LocalSlice: 64, SimulatedSlice: 1}, tasks)
}

// instanceNumbers returns the numbers of the instances that the flags name or the figure uses.
func (e *Experiment) instanceNumbers() []int {
	switch {
	case len(e.Instances) > 0:
		return e.Instances
	case e.Figure == "table2" || e.Figure == "3" || e.Figure == "2":
		return []int{21, 22, 23, 24, 25, 26, 27, 28, 29, 30}
	case e.Figure != "":
		return []int{21}
	}
	return []int{30}
}

// figureJobs is the number of jobs of the instances for the figures. The paper has 20. With 14 jobs the trees have 0.01
// to 3 million sub-problems, and a simulation takes seconds.
const figureJobs = 14

// rules maps the names for --rule to rules.
var rules = map[string]Rule{"minbranch": MinBranch, "minmin": MinMin, "maxsum": MaxSum, "forward": Forward}

// newProblem returns the problem of an instance, and a row that describes it. The search starts with a makespan that
// the heuristic finds, with the optimum, or without a bound.
func (e *Experiment) newProblem(ctx context.Context, number int) (sharing.Problem, sharing.Row, error) {
	row := sharing.Row{Experiment: "flowshop"}
	in, err := Taillard(number)
	if err != nil {
		return nil, row, report.Usagef("--instances: %v", err)
	}
	jobs := e.Jobs
	if jobs == 0 && e.Figure != "" {
		jobs = figureJobs
	}
	if jobs > 0 {
		in = in.First(jobs)
	}
	p := &problem{in: in}
	begin := time.Now()
	switch e.Start {
	case "optimum":
		if row.Start = in.Best; in.Best == 0 {
			return nil, row, report.Usagef("--start optimum: that of %s is not known here", in.Name)
		}
	case "none":
	default:
		p.order, row.Start = in.NewHeuristic(e.Seed).Improve(ctx, e.Search, in.LowerBound())
		if ctx.Err() != nil {
			return nil, row, context.Cause(ctx)
		}
		row.Heuristic = time.Since(begin).Seconds()
	}
	row.Instance = in.Name
	options := Options{Bound: row.Start, Lengths: e.Lengths, Rule: rules[e.Rule]}
	if e.Bounds == "lb2" {
		options.Bounding = TwoMachine
	}
	if p.search, err = NewSearch(in, options); err != nil {
		return nil, row, report.Usagef("%v", err)
	}
	return p, row, nil
}

// A problem is an instance that peers solve together.
type problem struct {
	in     *Instance
	search *Search
	order  []int // order that the heuristic found; nil without the heuristic
}

// Name implements sharing.Problem.
func (p *problem) Name() string { return p.in.Name }

// Pool implements sharing.Problem.
func (p *problem) Pool() overlay.Pool { return p.search.NewPool() }

// Plant implements sharing.Problem.
func (p *problem) Plant(pool overlay.Pool) { pool.(*Pool).Plant() }

// Collect implements sharing.Problem. All permutations have been searched, so the best makespan is the optimum. It
// returns an error if the order that was found does not have this makespan, or if the known optimum differs from it.
func (p *problem) Collect(pools []overlay.Pool, row *sharing.Row) error {
	best, order := int64(math.MaxInt64), p.order
	row.Nodes = 0
	for _, pool := range pools {
		pool := pool.(*Pool)
		row.Nodes += pool.Nodes()
		best = min(best, pool.Bound())
	}
	for _, pool := range pools {
		if pool := pool.(*Pool); pool.Order() != nil && pool.Bound() == best {
			order = pool.Order()
		}
	}
	row.Makespan, row.Proved = best, true
	if order != nil && (p.in.Makespan(order) != int(best) || !p.in.isPermutation(order)) {
		return fmt.Errorf("order %v takes %d, not %d", order, p.in.Makespan(order), best)
	}
	if p.in.Best > 0 && best != int64(p.in.Best) {
		return fmt.Errorf("found %d, the optimum is %d", best, p.in.Best)
	}
	return nil
}
