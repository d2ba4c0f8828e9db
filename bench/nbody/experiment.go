package nbody

import (
	"context"
	"slices"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/lb/criterion"
	"lockstep/lb/partition"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// Experiment compares partitioners and criteria that balance particles between processing elements.
type Experiment struct {
	JSON bool        `name:"json" help:"Print one JSON object a line."`
	Plot report.Path `placeholder:"DIR" help:"Draw the papers' figures into DIR, as SVG and PNG."`
	Film report.Path `placeholder:"FILE" help:"Also write a film, FILE.png (APNG): the particles coloured by owner, of the first set-up with the first partitioner and criterion."`

	Setups       []string `name:"setup" sep:"," placeholder:"NAME,..." default:"paper" help:"Set-ups: toy, contraction, gravity, rotation (together: paper), contraction-short, contraction3d, expansion3d, expansion-contraction3d (paper3d), the held-out ones (heldout), those held out later (fresh, unseen and blind), or all."`
	Partitioners []string `name:"partitioner" sep:"," placeholder:"NAME,..." default:"rcb,rib,hsfc,norcb,auto" help:"Partitioners: rcb, rib, hsfc, norcb, norcb-serial (with one cut after the other, as its authors' program), flow, spokes, drift, NAME@0.5 to fit the middle of the interval; auto changes between the partitioners by forecasts of the effort, trial by trying them."`
	Criteria     []string `name:"criterion" sep:"," placeholder:"NAME,..." help:"Criteria: menon, boulmier, zhai, pearce, metalb, amrex:N, ours, ours-open, periodic:N, procassini:RHO, marquez:XI, never, always, guard:R:CRITERION. The default is the papers': periodic:600 for toy, boulmier for others."`
	Weights      string   `enum:"particles,interactions,both" default:"both" help:"What to balance: particles (as the papers do), interactions, or first one and then the other (both)."`

	Particles  report.Count `placeholder:"N" help:"Particles in place of the set-up's number."`
	PEs        report.Count `name:"pes" placeholder:"N" help:"Processing elements in place of the set-up's number."`
	Iterations report.Count `placeholder:"N" help:"Iterations in place of the set-up's number."`
	Every      report.Count `placeholder:"N" default:"1" help:"Decide and count times in every Nth iteration only. Each of these stands for N iterations."`
	CostFactor []float64    `sep:"," placeholder:"F,..." default:"1" help:"Multiply the cost of balancing by F. With several values, run with each of them."`
	Noise      float64      `placeholder:"F" help:"Multiply every element's time of an iteration by a random number of mean 1 and standard deviation F, at most 0.5."`
	Seed       uint64       `default:"2021" help:"Seed of the particles' positions."`
	Timed      bool         `help:"Measure the time of every processing element, one after the other, instead of counting interactions."`
	Explain    bool         `help:"Also say how the workers of this machine shared the forces and the players."`
	Optimum    bool         `help:"Also find the best possible times to balance, for partitioners that do not depend on earlier intervals. Takes a run for every iteration: combine with --every."`
}

// Upper limits of flags. A mistyped number could otherwise use up all memory.
const (
	maxParticles = 100_000_000
	maxPEs       = 1 << 20
)

// isInGroup reports whether s belongs to the given group. group may also be the name of s itself.
func isInGroup(s *Setup, group string) bool {
	switch group {
	case "paper":
		return s.Group == "" && s.Dim == 2
	case "paper3d":
		return s.Group == "" && s.Dim == 3
	}
	return group == "all" || group == s.Name || group != "" && group == s.Group
}

// chosenSetups returns the set-ups that --setup names, each once, with the sizes in the flags.
func (e *Experiment) chosenSetups() ([]Setup, error) {
	var out []Setup
	all := Setups()
	for _, name := range e.Setups {
		found := false
		for i := range all {
			s := all[i]
			if !isInGroup(&s, name) {
				continue
			}
			found = true
			if !slices.ContainsFunc(out, func(o Setup) bool { return o.Name == s.Name }) {
				e.resizeSetup(&s)
				out = append(out, s)
			}
		}
		if !found {
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
			}
			return nil, report.Usagef("--setup %s: expected paper, paper3d, heldout, fresh, unseen, blind, all or one of %s", name, strings.Join(names, ", "))
		}
	}
	return out, nil
}

// resizeSetup applies the flags that change the size of a set-up.
func (e *Experiment) resizeSetup(s *Setup) {
	if e.Particles > 0 {
		s.Particles = int(e.Particles)
	}
	if e.PEs > 0 {
		s.PEs = int(e.PEs)
	}
	if e.Iterations > 0 {
		s.Iterations = int(e.Iterations)
	}
}

// check returns an error if a flag is out of range, or flags contradict each other.
func (e *Experiment) check() error {
	switch {
	case len(e.Setups) == 0 || len(e.Partitioners) == 0 || len(e.CostFactor) == 0:
		return report.Usagef("--setup, --partitioner and --cost-factor: expected at least one each")
	case e.Particles > maxParticles:
		return report.Usagef("--particles %d: expected at most %d", e.Particles, maxParticles)
	case e.PEs > maxPEs:
		return report.Usagef("--pes %d: expected at most %d", e.PEs, maxPEs)
	case !(e.Noise >= 0 && e.Noise <= 0.5):
		return report.Usagef("--noise %v: expected from 0 to 0.5", e.Noise)
	case e.Timed && e.Optimum:
		return report.Usagef("--timed and --optimum exclude each other: an optimum needs times that repeat")
	}
	for _, f := range e.CostFactor {
		if !(f > 0 && f <= 1e9) {
			return report.Usagef("--cost-factor %v: expected more than 0 and at most 1e9", f)
		}
	}
	for _, name := range e.Partitioners {
		if _, err := partitionersOf(name, false); err != nil {
			return err
		}
	}
	for _, spec := range e.Criteria {
		if _, err := criterion.Named(spec); err != nil {
			return report.Usagef("--criterion: %v", err)
		}
	}
	return nil
}

// relativeWork holds the times of the partitioners on one processor, divided by the time of RCB. They are means over
// five set-ups. They were measured on an otherwise idle machine by
//
//	go test ./bench/nbody -run - -bench Works
//
// The values of single set-ups differ from the mean by up to a quarter, and those of flow by up to a half. RIB and
// NoRCB take longer in three dimensions.
var relativeWork = map[string]float64{"rcb": 1, "rib": 1.3, "hsfc": 1.4, "norcb": 1.55, "flow": 2.2, "spokes": 2.05, "drift": 1.45}

// locateWork is the time to find the part of every particle. forecastWork is the time to compute the loads that a
// partition will have when the particles have moved as forecast. Both are divided by the time of RCB. BenchmarkWorks
// measures them.
const (
	locateWork   = 0.34
	forecastWork = 0.34
)

// adaptivePartitioners are the partitioners among which "auto" and "trial" choose. "trial" starts with the first.
var adaptivePartitioners = []string{"rcb", "rib", "hsfc", "norcb", "drift", "flow", "spokes"}

// serialNoRCB is the name of NoRCB as its authors' program computes it: one cut after the other, and all elements take
// part in each. Source: github.com/xetqL/NoRCB, include/impl/CGAL/norcb.hpp, function partition. There the loop over
// the parts of a level contains collective operations of the whole communicator.
const serialNoRCB = "norcb-serial"

// movingPartitioners are the partitioners whose cuts move with the particles.
var movingPartitioners = []string{"drift", "flow"}

// leadFractions are the possible values of Partitioner.Lead besides 0. A partition fits best at the time for which it
// is made. The middle of the horizon is the best such time if the imbalance grows evenly before and after it.
// Player.forecastAges must contain every value.
var (
	leadFractions = []float64{0.5}
	leadNames     = []string{"0.5"}
)

// partitionersOf returns the partitioners that a value of --partitioner selects: one, or several for "auto" and
// "trial".
func partitionersOf(name string, weighted bool) ([]Partitioner, error) {
	method, text, leading := strings.Cut(name, "@")
	lead := 0.0
	if leading {
		if i := slices.Index(leadNames, text); i >= 0 {
			lead = leadFractions[i]
		} else {
			return nil, report.Usagef("--partitioner %s: expected one of %s after @", name, strings.Join(leadNames, ", "))
		}
	}
	names := []string{method}
	if name == "auto" || name == "trial" {
		names = adaptivePartitioners
	}
	var partitioners []Partitioner
	for _, n := range names {
		serial := n == serialNoRCB
		if serial {
			n = "norcb"
		}
		i := slices.IndexFunc(partition.Methods, func(m struct {
			Name string
			partition.Method
		}) bool {
			return m.Name == n
		})
		if i < 0 {
			return nil, report.Usagef("--partitioner %s: expected rcb, rib, hsfc, norcb, norcb-serial, flow, spokes, drift, auto or trial", name)
		}
		partitioner := Partitioner{Name: n, Method: partition.Methods[i].Method, Work: relativeWork[n], Weighted: weighted, Lead: lead, Serial: serial}
		if name != "auto" || n == "rcb" || slices.Contains(movingPartitioners, n) {
			partitioners = append(partitioners, partitioner)
		}
		if name == "auto" && !slices.Contains(movingPartitioners, n) {
			for _, partitioner.Lead = range leadFractions {
				partitioners = append(partitioners, partitioner)
			}
		}
	}
	return partitioners, nil
}

// Run runs the experiment; see [report.Experiment].
func (e *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.check(); err != nil {
		return err
	}
	setups, err := e.chosenSetups()
	if err != nil {
		return err
	}
	film, err := e.openFilm(out)
	if err != nil {
		return err
	}
	defer film.abort()
	p := &printer{out: out.Stdout, json: e.JSON, explain: e.Explain}
	var done []outcome
	for i := range setups {
		o, err := e.runSetup(ctx, out, &setups[i], film)
		if err != nil {
			return err
		}
		film = nil
		if err := p.print(o); err != nil {
			return err
		}
		done = append(done, o)
	}
	if e.Plot == "" {
		return nil
	}
	return drawFigures(out.Folder(string(e.Plot)), done)
}

// criterionNames returns the names of the criteria with which a set-up is run.
func (e *Experiment) criterionNames(s *Setup) []string {
	switch {
	case len(e.Criteria) > 0:
		return e.Criteria
	case s.Name == "toy":
		return []string{"periodic:600"}
	}
	return []string{"boulmier"}
}

// newPlayers returns a player and an entry for every combination of weights, costs, partitioners and criteria in the
// flags.
func (e *Experiment) newPlayers(s *Setup) (players []*Player, entries []entry, err error) {
	for _, weighted := range []bool{false, true} {
		if e.Weights == map[bool]string{false: "interactions", true: "particles"}[weighted] {
			continue
		}
		for _, factor := range e.CostFactor {
			for _, name := range e.Partitioners {
				for _, spec := range e.criterionNames(s) {
					a := entry{partitioner: name, weighted: weighted, criterion: spec, factor: factor, costs: s.Costs.scaleBalancing(factor)}
					p, err := e.newPlayer(s, &a)
					if err != nil {
						return nil, nil, err
					}
					players, entries = append(players, p), append(entries, a)
				}
			}
		}
	}
	return players, entries, nil
}

// newPlayer returns the player of an entry.
func (e *Experiment) newPlayer(s *Setup, a *entry) (*Player, error) {
	partitioners, err := partitionersOf(a.partitioner, a.weighted)
	if err != nil {
		return nil, err
	}
	newCriterion, err := criterion.Named(a.criterion)
	if err != nil {
		return nil, err
	}
	every := max(1, int(e.Every))
	decide := newCriterion((s.Iterations-1)/every + 1)
	strict := false // for criteria that are schedules, see Player.Strict
	switch c := decide.(type) {
	case *criterion.Periodic:
		c.Period, strict = max(1, c.Period/every), true // c.Period counts only the iterations that players see
	case criterion.Always:
		strict = true
	}
	p := &Player{
		Partitioners: partitioners, Criterion: decide, PEs: s.PEs, Costs: a.costs, Timed: e.Timed, Trials: a.partitioner == "trial",
		Noise: e.Noise, random: random{e.Seed}, Strict: strict,
	}
	if a.partitioner == "auto" {
		p.Iterations = s.Iterations
	}
	return p, nil
}

// newBalancedLoop returns a parallel loop for the forces and for the players. It moves work between workers, because
// the times for the forces of groups of cells vary as much as the density of the particles. During the run it learns
// the cost of moving work.
func newBalancedLoop(workers *machine.Machine) *vp.For {
	return &vp.For{Machine: workers, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
}

// runSetup runs all players on a set-up. It also draws the film if film is not nil.
func (e *Experiment) runSetup(ctx context.Context, out report.Output, s *Setup, film *film) (o outcome, err error) {
	players, entries, err := e.newPlayers(s)
	if err != nil {
		return o, err
	}
	every := max(1, int(e.Every))
	o = outcome{setup: s, every: every, entries: entries}
	out.Begin(s.Name, int64(s.Iterations))
	defer out.End()
	var record *recording
	if e.Optimum {
		record = &recording{setup: s, every: every}
	}
	if err := film.begin(s, every); err != nil {
		return o, err
	}
	workers := machine.New(machine.Options{})
	defer workers.Close()
	loop := newBalancedLoop(workers)
	c := Contest{Setup: s, Seed: e.Seed, Every: every, For: loop.Run, Before: record.recordStart}
	c.After = func(t int, y *System) error {
		out.Step(int64(min(every, s.Iterations-t)))
		o.interactions = append(o.interactions, y.interactions())
		record.recordEnd(y)
		return film.drawFrame(t, y, players[0].Owners())
	}
	if e.Timed {
		c.PlayersInTurn = true
	}
	if _, err := c.Run(ctx, players); err != nil {
		return o, err
	}
	for i, p := range players {
		o.entries[i].setResults(p)
	}
	o.shared = loop.Stats
	if err := film.commit(); err != nil || record == nil {
		return o, err
	}
	return o, record.findOptima(ctx, o.entries)
}
