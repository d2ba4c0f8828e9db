package nbody

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/effort"
	"lockstep/lb/scenario"
	"lockstep/vp"
)

// An outcome holds the results of all players on a set-up.
type outcome struct {
	setup        *Setup
	every        int     // same as Contest.Every
	interactions []int64 // number of interactions in every iteration that the players see
	entries      []entry
	shared       vp.Stats // counts of the loops over forces and players, as they ran on this machine
}

// An entry describes a player and holds its results.
type entry struct {
	partitioner, criterion string
	weighted               bool
	factor                 float64 // factor that multiplies the costs of balancing
	costs                  Costs

	seconds, ideal float64
	balances       []int
	migrated       int
	imbalance      []float64 // imbalance time of every iteration that the player sees, in seconds
	intervals      []effort.Interval
	total          effort.Interval
	best           *scenario.Scenario // nil if the optimum was not computed
}

func (e *entry) setResults(p *Player) {
	e.seconds, e.ideal = p.Seconds, p.Ideal
	e.balances, e.migrated, e.imbalance = p.Balances, p.Migrated, p.Imbalance
	e.intervals, e.total = p.Meter.Intervals(), p.Meter.Total()
}

func (e *entry) weightsName() string {
	if e.weighted {
		return "interactions"
	}
	return "particles"
}

// A line is the JSON object of an entry. Times are in seconds.
type line struct {
	Experiment      string   `json:"experiment"`
	Setup           string   `json:"setup"`
	HeldOut         bool     `json:"held_out"`
	Dim             int      `json:"dim"`
	PEs             int      `json:"pes"`
	Particles       int      `json:"particles"`
	Iterations      int      `json:"iterations"`
	Every           int      `json:"every"`
	Partitioner     string   `json:"partitioner"`
	Weights         string   `json:"weights"`
	Criterion       string   `json:"criterion"`
	CostFactor      float64  `json:"cost_factor"`
	ParallelSeconds float64  `json:"parallel_seconds"`
	IdealSeconds    float64  `json:"ideal_seconds"`
	OptimumSeconds  *float64 `json:"optimum_seconds,omitempty"`
	Balances        int      `json:"balances"`
	BalancedAt      []int    `json:"balanced_at"`
	Migrated        int      `json:"migrated"`
	CostSeconds     float64  `json:"cost_seconds"`
	ResidualSeconds float64  `json:"residual_seconds"`
	GrowthSeconds   float64  `json:"growth_seconds"`
	// Effort is the effort of every interval, by Equation 5 of "Towards informed partitioning for load balancing".
	Effort    []float64  `json:"effort"`
	Intervals []interval `json:"intervals"`
}

// An interval is the JSON object of an effort.Interval.
type interval struct {
	First    int     `json:"first"`
	Length   int     `json:"length"`
	Cost     float64 `json:"cost"`
	Residual float64 `json:"residual"`
	Growth   float64 `json:"growth"`
}

func (o *outcome) newLine(e *entry) line {
	s := o.setup
	l := line{
		Experiment: "nbody", Setup: s.Name, HeldOut: s.Group != "" && s.Group != "noted", Dim: s.Dim, PEs: s.PEs, Particles: s.Particles,
		Iterations: s.Iterations, Every: o.every, Partitioner: e.partitioner, Weights: e.weightsName(), Criterion: e.criterion, CostFactor: e.factor,
		ParallelSeconds: e.seconds, IdealSeconds: e.ideal, Balances: len(e.balances), BalancedAt: append([]int{}, e.balances...),
		Migrated: e.migrated, CostSeconds: e.total.Cost, ResidualSeconds: e.total.Residual, GrowthSeconds: e.total.Growth,
		Effort: []float64{}, Intervals: []interval{},
	}
	for _, i := range e.intervals {
		l.Effort = append(l.Effort, i.Effort()/float64(o.every))
		l.Intervals = append(l.Intervals, interval{i.First * o.every, i.Length * o.every, i.Cost, i.Residual, i.Growth})
	}
	if e.best != nil {
		l.OptimumSeconds = &e.best.Cost
	}
	return l
}

// A printer prints outcomes as JSON lines or as tables.
type printer struct {
	out        io.Writer
	json       bool
	explain    bool
	printedAny bool
}

func (p *printer) print(o outcome) error {
	var text strings.Builder
	if p.json {
		encoder := json.NewEncoder(&text)
		for i := range o.entries {
			if err := encoder.Encode(o.newLine(&o.entries[i])); err != nil {
				return fmt.Errorf("print %s: %w", o.setup.Name, err)
			}
		}
	} else {
		if p.printedAny {
			text.WriteString("\n")
		}
		o.printTable(&text)
	}
	if s := o.shared; p.explain && !p.json {
		fmt.Fprintf(&text, "forces and players: %d tasks on %d workers of this machine, moved %d times\n", s.Tasks, s.Processors, s.Redistributions)
	}
	p.printedAny = true
	_, err := io.WriteString(p.out, text.String())
	return err
}

func (o *outcome) printTable(text *strings.Builder) {
	s := o.setup
	fmt.Fprintf(text, "%s: %d particles, %d processing elements, %d iterations; times over the ideal, causes in parts of it\n", s.Name, s.Particles, s.PEs, s.Iterations)
	w := report.NewTable(text)
	fmt.Fprint(w, "partitioner\tweights\tcriterion\tcosts\tseconds\ttime\tcost\tresidual\tgrowth\tbalancings\tmigrated\tover optimum\t\n")
	for i := range o.entries {
		e := &o.entries[i]
		over := "-"
		if e.best != nil {
			over = fmt.Sprintf("%.4f", relativeCost(e.seconds, e.best.Cost))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%g\t%.5g\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%s\t\n", e.partitioner, e.weightsName(), e.criterion, e.factor, e.seconds,
			relativeCost(e.seconds, e.ideal), ratioOrZero(e.total.Cost, e.ideal), ratioOrZero(e.total.Residual, e.ideal), ratioOrZero(e.total.Growth, e.ideal),
			len(e.balances), e.migrated, over)
	}
	w.Flush()
}

// ratioOrZero returns a/b, or 0 if b is 0.
func ratioOrZero(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
